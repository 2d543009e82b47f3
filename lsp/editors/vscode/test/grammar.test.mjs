// The grammar, through the very library that VS Code colours with.
import assert from "node:assert/strict";
import { readFileSync, readdirSync } from "node:fs";
import { createRequire } from "node:module";
import { test } from "node:test";
import { fileURLToPath } from "node:url";
import oniguruma from "vscode-oniguruma";
import textmate from "vscode-textmate";

const here = (path) => fileURLToPath(new URL(path, import.meta.url));
const wasm = createRequire(import.meta.url).resolve("vscode-oniguruma/release/onig.wasm");
await oniguruma.loadWASM(readFileSync(wasm).buffer);
const registry = new textmate.Registry({
  onigLib: Promise.resolve({
    createOnigScanner: (patterns) => new oniguruma.OnigScanner(patterns),
    createOnigString: (text) => new oniguruma.OnigString(text),
  }),
  loadGrammar: async () =>
    textmate.parseRawGrammar(readFileSync(here("../syntaxes/judge.tmLanguage.json"), "utf8"), "judge.json"),
});
const grammar = await registry.loadGrammar("source.judge");

/** The stretches of a text with the last scope of each, white space left out. */
function scopes(text) {
  let stack = textmate.INITIAL;
  const found = [];
  for (const line of text.split("\n")) {
    const { tokens, ruleStack } = grammar.tokenizeLine(line, stack);
    stack = ruleStack;
    for (const token of tokens) {
      const words = line.slice(token.startIndex, token.endIndex);
      if (words.trim()) found.push([words.trim(), token.scopes.at(-1).replace(/\.judge$/, "")]);
    }
  }
  return found;
}

const scopeOf = (text, word) => scopes(text).find(([words]) => words === word)?.[1];

test("declarations and their names", () => {
  assert.deepEqual(scopes("code judge fair(reply: Offer) {").slice(0, 6), [
    ["code", "storage.modifier"],
    ["judge", "storage.type"],
    ["fair", "entity.name.function"],
    ["(", "source"],
    ["reply", "variable.other.property"],
    [":", "source"],
  ]);
  for (const word of ["agent", "judge", "gate", "tool", "flow", "scorer", "condition", "choice", "scale", "suite"]) {
    assert.equal(scopeOf(`${word} some_name {`, word), "storage.type", word);
    assert.equal(scopeOf(`${word} some_name {`, "some_name"), "entity.name.function", word);
  }
  assert.equal(scopeOf('model small "a/b"', "small"), "variable.other.constant");
  assert.equal(scopeOf("type Offer { salary: int }", "Offer"), "entity.name.type");
  assert.equal(scopeOf('import "a.judge"', "import"), "keyword.control.import");
});

test("clauses, statements and word operators", () => {
  assert.equal(scopeOf("  judges [correct]", "judges"), "keyword.other.clause");
  assert.equal(scopeOf('  require len(reply) > 0 else "x"', "require"), "keyword.control");
  assert.equal(scopeOf('  require reply starts with "x"', "starts"), "keyword.operator.word");
  assert.equal(scopeOf("  context { model: 1 }", "model"), "variable.other.property");
  assert.equal(scopeOf("  return reply.model", "model"), "variable.other.property");
});

test("texts, their escapes and templates", () => {
  const line = scopes('  prompt "Write \\"it\\" about {{ len(topic) }}."');
  assert.ok(line.some(([words, scope]) => words === '\\"' && scope === "constant.character.escape"));
  assert.ok(line.some(([words, scope]) => words === "len" && scope === "entity.name.function"));
  assert.ok(line.some(([words, scope]) => words === "topic" && scope === "variable.other"));
  assert.equal(scopeOf('let x = "\\q"', "\\q"), "invalid.illegal.escape");
  assert.equal(scopeOf('scorer s regex r"\\d+{{"', 'r"\\d+{{"'), "string.quoted.double.raw");
  assert.equal(scopeOf('  prompt """\n  model {{ x }}\n  """\n  model small', "model small"), undefined);
});

test("a text block of several lines, and one that is never closed", () => {
  const block = 'agent a {\n  prompt """\n    model { # no comment\n    """\n  model small\n}';
  assert.equal(scopeOf(block, "model { # no comment"), "string.quoted.triple");
  assert.equal(scopes(block).filter(([, scope]) => scope === "keyword.other.clause").length, 2);
  const open = 'agent a {\n  prompt """\n    Hello.\n\nagent b {\n  model small\n}';
  assert.equal(scopeOf(open, "b"), "entity.name.function");
  assert.equal(scopeOf('let a = "never closed\nlet b = 1', "b"), "variable.other.constant");
});

test("numbers, money, durations, constants and comments", () => {
  assert.equal(scopeOf("  timeout 30s", "30s"), "constant.numeric.duration");
  assert.equal(scopeOf("  price $0.25 in, $2.00 out", "$0.25"), "constant.numeric.money");
  assert.equal(scopeOf("  threshold 0.7", "0.7"), "constant.numeric");
  assert.equal(scopeOf("let x = null", "null"), "constant.language");
  assert.equal(scopeOf("  model small # why", "# why") ?? scopeOf("  model small # why", "why"), "comment.line.number-sign");
});

test("every example of the repository: nothing illegal, and every text is closed", () => {
  const folder = here("../../../../examples/");
  const names = readdirSync(folder).filter((name) => name.endsWith(".judge"));
  assert.ok(names.length > 5);
  for (const name of names) {
    const text = readFileSync(folder + name, "utf8");
    for (const [words, scope] of scopes(text)) assert.ok(!scope.startsWith("invalid"), `${name}: ${words}`);
    assert.equal(scopeOf(`${text}\nflow zzz_last {`, "zzz_last"), "entity.name.function", name);
  }
});
