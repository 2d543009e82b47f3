// What the manifest promises is there, and the bundle starts the server that it is told to.
import assert from "node:assert/strict";
import { existsSync, readFileSync } from "node:fs";
import { test } from "node:test";
import { fileURLToPath } from "node:url";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const manifest = JSON.parse(readFileSync(here("../package.json"), "utf8"));
const bundle = readFileSync(here("../out/extension.js"), "utf8");

test("every file that the manifest names is there", () => {
  const { languages, grammars } = manifest.contributes;
  for (const path of [manifest.main, languages[0].configuration, grammars[0].path]) {
    assert.ok(existsSync(here(`../${path}`)), path);
  }
});

test("every command of the manifest and of the server's lenses is registered", () => {
  const lenses = readFileSync(here("../../../features/lenses.py"), "utf8");
  const named = [...lenses.matchAll(/"(judgeflow\.\w+)"/g)].map((match) => match[1]);
  assert.equal(named.length, 3);
  for (const command of [...named, ...manifest.contributes.commands.map((one) => one.command)]) {
    assert.ok(bundle.includes(`"${command}"`), command);
  }
});

test("brackets and comments are those of the language", () => {
  const configuration = JSON.parse(readFileSync(here("../language-configuration.json"), "utf8"));
  assert.equal(configuration.comments.lineComment, "#");
  assert.ok(new RegExp(configuration.indentationRules.increaseIndentPattern).test("agent a {"));
  assert.ok(!new RegExp(configuration.indentationRules.increaseIndentPattern).test("agent a { model small }"));
  assert.ok(new RegExp(configuration.indentationRules.decreaseIndentPattern).test("  }"));
});

test("the settings of a workspace that is not trusted choose no program", () => {
  const { untrustedWorkspaces } = manifest.capabilities;
  assert.equal(untrustedWorkspaces.supported, "limited");
  assert.deepEqual(untrustedWorkspaces.restrictedConfigurations, ["judgeflow.command"]);
});
