"""What completion may offer at a place."""

import pytest

from judgeflow.dsl.mistakes.expected import expected_at

AGENT = {"model", "prompt", "tools", "judges", "retries", "timeout", "}"}
VALUE = {
    "NAME",
    "NUMBER",
    "TEXT",
    "MONEY",
    "DURATION",
    "true",
    "false",
    "null",
    "not",
    "every",
    "some",
    "if",
    "(",
    "[",
    "[]",
    "{",
    "-",
}
SHAPE = {"TYPENAME", "TEXT", "text", "int", "float", "bool", "json", "("}


def at(marked: str) -> frozenset[str]:
    offset = marked.index("|")
    return expected_at(marked.replace("|", "", 1), offset)


@pytest.mark.parametrize(
    ("marked", "words"),
    [
        ("agent a {\n  |\n}", AGENT),
        ("agent a {\n  mod|\n}", AGENT),
        ("agent a {\n  model b\n  ju|\n  prompt \"x\"\n}", AGENT),
        ("agent a {\n  = = b\n  ju|\n}", AGENT),
        ("agent a {\n  model |\n}", {"NAME", "TEXT"}),
        ("agent a {\n  model b|\n}", {"NAME", "TEXT"}),
        ("flow f(x: |", SHAPE),
        ("type A { b: te|xt }", SHAPE),
        ("let a = |", VALUE),
        ('agent a { prompt "x {{ | }}" }', VALUE),
        ('agent a { prompt "x {{ b.|', {"WORD"}),
        ('agent a { prompt """\n  x {{ b(c, |\n  """ }', VALUE | {")"}),
        ('agent a { prompt "x | y" }', set()),
        ('agent a { prompt """\n  x |\n  """ }', set()),
        ("agent a { # x |\n}", set()),
        ("gate g(x) {\n  combine |\n}", {"all", "any", "weighted"}),
        ("limits { cost $1 per |", {"run", "day"}),
        ("provider p { key |", {"env"}),
        ("provider p { key env |", {"ENVNAME"}),
    ],
)  # fmt: skip
def test_what_can_come_next(marked: str, words: set[str]) -> None:
    assert at(marked) == words


def test_a_declaration_can_start_an_empty_chunk() -> None:
    assert {"agent", "judge", "code", "type", "let", "flow"} <= at("|")
    assert at("ag|") == at("|")


def test_operators_and_statements_follow_a_value_in_a_flow() -> None:
    words = at("flow f(x: text) {\n  a = b |\n}")
    assert {"and", "contains", "==", "+", "return", "switch", "NAME", "}"} <= words
    assert "then" not in words


def test_only_what_is_possible_beyond_doubt_is_offered() -> None:
    assert "else" in at("code judge a { require b |")
    assert "else" not in at("let a = b |")
