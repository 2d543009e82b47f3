import assert from "node:assert/strict";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import { buildSync } from "esbuild";

const source = fileURLToPath(new URL("../src/commands.ts", import.meta.url));
const { outputFiles } = buildSync({ entryPoints: [source], bundle: true, format: "esm", write: false });
const url = `data:text/javascript;base64,${Buffer.from(outputFiles[0].text).toString("base64")}`;
const { resolved, runWords, serverWords, testWords } = await import(url);

test("a flow is run with its inputs, each a word of its own", () => {
  assert.deepEqual(runWords(["jrun"], "/w/a b.judge"), ["jrun", "run", "/w/a b.judge"]);
  assert.deepEqual(runWords(["py", "-m", "j"], "/w/a.judge", "main", { task: "two words; rm -rf $HOME" }), [
    ...["py", "-m", "j", "run", "/w/a.judge", "--flow", "main", "--input", "task=two words; rm -rf $HOME"],
  ]);
});

test("one test or all of a file", () => {
  assert.deepEqual(testWords(["jrun"], "/w/a.judge"), ["jrun", "test", "/w/a.judge"]);
  assert.deepEqual(testWords(["jrun"], "/w/a.judge", "it works"), ["jrun", "test", "/w/a.judge", "-k", "it works"]);
});

test("the server is the same command", () => {
  assert.deepEqual(serverWords(["jrun"]), ["jrun", ["lsp"]]);
  assert.deepEqual(serverWords(["uv", "run", "jrun"]), ["uv", ["run", "jrun", "lsp"]]);
  assert.deepEqual(serverWords([]), ["jrun", ["lsp"]]);
});

test("the folder of the workspace may stand in the setting", () => {
  assert.deepEqual(resolved(["${workspaceFolder}/.venv/bin/jrun"], "/w"), ["/w/.venv/bin/jrun"]);
});
