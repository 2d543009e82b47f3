"""Keywords are soft: every word of the language is a name where names can stand, but for the 32 reserved ones."""

from __future__ import annotations

import pytest

from judgeflow.dsl.check.builtins import FUNCTIONS
from judgeflow.dsl.clauses import CLAUSES
from judgeflow.dsl.declarations import DECLARATIONS
from judgeflow.dsl.format import format_source, without_places
from judgeflow.dsl.parse import parse
from judgeflow.dsl.passes import load
from judgeflow.dsl.source import Source
from judgeflow.dsl.syntax.lexer import PRIMITIVES, RESERVED
from judgeflow.dsl.syntax.tables import load_tables

_SAID = (
    "true false null and or not in is if then else every some for contains starts ends matches as of with when "
    "showing weight each try return stop switch uncertain expect always"
)
_PLACES = (
    "reply",
    "variant",
    "task",
    "attempt",
    "run",
    "answer",
    "score",
    "result",
    "status",
    "reason",
    "input",
)
LITERALS = {word for word in load_tables().literals if word.isidentifier() and word.islower()}
CLAUSE_WORDS = {word for known in CLAUSES.values() for clause in known for word in clause.keyword.split()}
DECLARED = {word for known in DECLARATIONS for word in known.keyword.split()}
WORDS = sorted(
    LITERALS | CLAUSE_WORDS | DECLARED | set(FUNCTIONS) | set(PRIMITIVES) | set(_PLACES) | RESERVED
)
FREE = [word for word in WORDS if word not in RESERVED]

INSIDE = """
model jev_model "typesafe/jev" {{ kind decision }}
type Thing {{ {word}: text  other: int? }}
choice which(subject: Thing) {{ model jev_model  ask "Which?"  options {{ {word} "it"  other_one "not it" }} }}
judge typed {{
  model jev_model
  decide {{ grounded: choice "Which?" {{ {word} "it"  other_one "not it" }} }}
  require grounded.choice != "{word}" else "no"
}}
flow main(thing: Thing) -> json {{
  switch which(thing) {{ case {word} {{ found = thing.{word} }}  case other_one {{ found = "x" }} }}
  return {{ {word}: found, more: json("x").{word}, inner: {{ {word}: 1 }} }}
}}
"""
STEP = """
agent writer_of_it {{ model "openai/some"  prompt "Write." }}
flow main(topic_: text) -> json {{
  {word} = writer_of_it(topic_)
  parallel {{
    {word}_1 = writer_of_it({word})
    second_one = writer_of_it("{{{{ {word} }}}}")
  }}
  everything = each part_of_it in [{word}, second_one]: writer_of_it(part_of_it)
  return [{word}, everything, {word}_1, [part for part in [{word}] if part != "a"], {{ a: {word} }}]
}}
"""
DECLARATION = """
model jev_model "typesafe/jev" {{ kind decision }}
{kind}
flow main(topic_: text) -> json {{ {use} }}
"""
KINDS = {
    "let": ('let {word} = ["a"]', "return {word}"),
    "model": ('model {word} "openai/some"\nagent w {{ model {word}  prompt "x" }}', "return w(topic_)"),
    "provider": (
        'provider {word} {{ api openai }}\nmodel m "a/b" via {word}\nagent w {{ model m }}',
        "return w(topic_)",
    ),
    "tool": ('tool {word} {{ mcp "npx x" }}\nagent w {{ model "a/b"  tools [{word}] }}', "return w(topic_)"),
    "agent": ('agent {word}(x) {{ model "a/b"  prompt "{{{{ x }}}}" }}', "a = {word}(topic_)\n  return a"),
    "judge": (
        'code judge {word} {{ require len(reply) > 0 else "no" }}\n'
        'agent w {{ model "a/b"  judges [{word}] }}',
        "v = {word}(topic_)\n  return [v.passed, w(topic_)]",
    ),
    "scorer": (
        'scorer {word} contains "x"\ngate g(x) {{ scorers {{ {word}  not contains "z" as b }} }}',
        "g(topic_)\n  return 1",
    ),
    "gate": (
        "gate {word}(x) {{ scorers {{ length 1..5 }} }}",
        "{word}(topic_)\n  v = try {word}(topic_)\n  return v.passed",
    ),
    "condition": (
        'condition {word}(x) {{ model jev_model  ask "?" }}',
        "if {word}(topic_) {{ return 1 }} else {{ return 2 }}",
    ),
    "choice": (
        'choice {word}(x) {{ model jev_model  ask "?"  options {{ a "A"  b "B" }} }}',
        "switch {word}(topic_) {{ case a {{ return 1 }}  case b {{ return 2 }} }}",
    ),
    "scale": (
        'scale {word}(x) {{ model jev_model  ask "?"  levels ["a", "b"] }}',
        "s = {word}(topic_)\n  return s.label",
    ),
    "flow": ("flow {word}(x) -> text {{ return x }}", "a = {word}(topic_)\n  return a"),
    "parameter": ("flow named({word}: text) -> text {{ return {word} }}", "return named({word}: topic_)"),
    "profile": (
        'agent w {{ model "a/b" }}\nprofile {word} {{ agent w {{ model "c/d" }} }}',
        "return w(topic_)",
    ),
    "test": (
        'agent {word} {{ model "a/b" }}\n'
        'test "t" for main {{ given {{ topic_: "x" }}  {word} replies "y"  expect result == "y" }}',
        "return {word}(topic_)",
    ),
}


def errors(text: str) -> list[str]:
    checked = load("main.judge", lambda path: text.encode() if path.endswith("main.judge") else None)
    found = [
        each for each in checked.diagnostics if each.severity == "error" and each.code != "suite.no-cases"
    ]
    return [f"{each.code}: {each.message}" for each in found]


def test_the_reserved_words_are_the_32_that_the_reference_names() -> None:
    assert frozenset(_SAID.split()) == RESERVED
    assert len(RESERVED) == 32


@pytest.mark.parametrize("word", WORDS)
def test_every_word_is_a_field_an_option_and_a_key(word: str) -> None:
    text = INSIDE.format(word=word)
    assert errors(text) == []
    assert _kept(text)


@pytest.mark.parametrize("word", ["Status", "Offer", "JSON", "A"])
def test_words_with_capitals_are_fields_and_keys(word: str) -> None:
    text = f"flow main(x: text) -> json {{ return {{ {word}: json(x).{word}, b: {{ in: 1 }} }} }}\n"
    assert errors(text) == []


@pytest.mark.parametrize("word", FREE)
def test_every_other_word_is_a_step(word: str) -> None:
    text = STEP.format(word=word)
    assert errors(text) == []
    assert _kept(text)


@pytest.mark.slow
@pytest.mark.parametrize("kind", KINDS)
def test_every_other_word_is_the_name_of_a_declaration(kind: str) -> None:
    declared, use = KINDS[kind]
    wrong = {}
    for word in FREE:
        text = DECLARATION.format(kind=declared.format(word=word), use=use.format(word=word))
        if found := errors(text):
            wrong[word] = found
        elif not _kept(text):
            wrong[word] = ["the formatter changes it"]
    assert wrong == {}


@pytest.mark.parametrize("word", sorted(RESERVED))
def test_a_reserved_word_is_no_name_and_says_so(word: str) -> None:
    text = f"flow main(x: text) -> text {{\n  {word} = trim(x)\n  return x\n}}\n"
    assert errors(text)
    text = f"let {word} = 3\nflow main(x: text) -> text {{ return x }}\n"
    assert [found.partition(":")[0] for found in errors(text)] == ["name.reserved"]


def _kept(text: str) -> bool:
    """Whether formatting leaves the program as it is, and formatting again the layout."""
    formatted = format_source(text)
    before, after = (parse(Source("", each)) for each in (text, formatted))
    same = [without_places(item.node) for item in before.items] == [
        without_places(item.node) for item in after.items
    ]
    return same and format_source(formatted) == formatted
