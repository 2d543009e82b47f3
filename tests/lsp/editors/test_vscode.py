"""The VS Code extension's files against the language; `npm test` in its folder tests the extension itself."""

from __future__ import annotations

import json
import re
from pathlib import Path

from judgeflow.dsl.declarations import DECLARATIONS
from judgeflow.dsl.syntax.lalr import load_grammar
from judgeflow.dsl.syntax.lexer import PRIMITIVES

FOLDER = Path(__file__).parents[3] / "lsp" / "editors" / "vscode"
GRAMMAR = (FOLDER / "syntaxes" / "judge.tmLanguage.json").read_text(encoding="utf-8")


def coloured() -> set[str]:
    return set(re.findall(r"[a-z_]+", GRAMMAR))


def test_the_grammar_knows_every_word_of_the_language() -> None:
    words = {word for word in load_grammar().tables.literals if word[0].isalpha()}
    assert {*words, *PRIMITIVES} - coloured() == set()


def test_every_declaration_begins_its_line_in_the_grammar() -> None:
    heads = re.findall(r'"match": "\^\((.*?)\)', GRAMMAR)
    known = {word for head in heads for word in head.split("|")}
    assert {kind.keyword.split()[0] for kind in DECLARATIONS} == known


def test_the_manifest_is_of_the_same_licence_and_starts_nothing_by_itself() -> None:
    manifest = json.loads((FOLDER / "package.json").read_text(encoding="utf-8"))
    assert manifest["license"] == "Apache-2.0"
    assert manifest["activationEvents"] == []
