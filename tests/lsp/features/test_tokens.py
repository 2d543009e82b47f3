from __future__ import annotations

import random

import pytest

from judgeflow.dsl.workspace.analysis import Analysis
from judgeflow.lsp.features.tokens import MODIFIERS, TYPES, Token, TokenCache, difference, encode

TEXT = '''\
# a comment
model small "openai/gpt-6-mini" { temperature 0.2  price $0.25 in, $2.00 out }
let style = "Plain."
type Offer { salary: int  model: text }
agent writer(topic: text) -> Offer {
  model small
  prompt """
    Write about {{ upper(topic) }}, {{ style }}.
    """
}
scorer ok regex r"^ok$"
flow f(model: text) -> text {
  offer = writer(model)
  if offer.salary > 3 { return "x" }
  return model
}
'''


EXPECTED = (
    ("# a comment", "comment"),
    ("model", "keyword"),
    ("small", "namespace"),
    ("0.2", "number"),
    ("$0.25", "number"),
    ("style", "variable"),
    ("Offer", "class"),
    ("int", "type"),
    ("salary", "property"),
    ("writer", "function"),
    ("topic", "parameter"),
    ("upper", "function"),
    ('r"^ok$"', "regexp"),
    ("regex", "keyword"),
    ("ok", "method"),
    ("->", "operator"),
    ("offer", "variable"),
    ("return", "keyword"),
)


def tokens(analysis: Analysis, cache: TokenCache) -> list[Token]:
    return [
        token._replace(start=token.start + item.offset, end=token.end + item.offset)
        for item in analysis.module.items
        for token in cache.colours(item, analysis).tokens
    ]


def coloured(seen) -> list[tuple[str, str]]:
    return [
        (seen.text[one.start : one.end], TYPES[one.type]) for one in tokens(seen.analysis, TokenCache(10_000))
    ]


def test_every_word_has_its_colour(scene) -> None:
    found = coloured(scene(TEXT))
    for expected in EXPECTED:
        assert expected in found, expected


def test_a_soft_keyword_is_coloured_by_what_it_is_at_its_place(scene) -> None:
    found = [colour for word, colour in coloured(scene(TEXT)) if word == "model"]
    assert found == ["keyword", "property", "keyword", "parameter", "parameter", "parameter"]


def test_a_template_is_code_inside_of_text(scene) -> None:
    found = coloured(scene(TEXT))
    at = found.index(("upper", "function"))
    assert found[at - 1] == ("    Write about {{ ", "string")
    assert found[at + 1 : at + 4] == [("topic", "parameter"), (" }}, {{ ", "string"), ("style", "variable")]


def test_tokens_are_in_order_apart_and_on_one_line(scene) -> None:
    for text in (TEXT, TEXT.replace("{", "{{", 3), TEXT[:-40], TEXT.replace('"""', '"', 1)):
        seen = scene(text)
        at = 0
        for token in tokens(seen.analysis, TokenCache(10_000)):
            assert at <= token.start < token.end
            assert "\n" not in seen.text[token.start : token.end]
            assert 0 <= token.type < len(TYPES)
            assert 0 <= token.modifiers < 1 << len(MODIFIERS)
            at = token.end


def test_what_a_name_stands_for_decides_its_colour_even_from_another_declaration(scene) -> None:
    cache = TokenCache(10_000)
    use = 'agent a { model m  prompt "{{ x }}" }\n'
    first = scene('let x = "1"\n' + use)
    again = scene(use)
    kinds = []
    for seen in (first, again):
        kinds.append(
            [one.modifiers for one in tokens(seen.analysis, cache) if seen.text[one.start : one.end] == "x"]
        )
    assert kinds[0][-1] != kinds[1][-1]


def test_typing_for_days_in_a_long_declaration_keeps_no_more_than_was_asked_for(scene) -> None:
    cache = TokenCache(10_000)
    prose = "Write one of these. " * 100
    for number in range(30):
        tokens(scene(f'agent a {{ model m  prompt "{prose}{number}" }}').analysis, cache)
    assert 0 < len(cache._kept) <= 5
    assert 0 < len(cache._names) <= 5


SCRIPTED = """\
agent writer({param}: text) {{ model "script/a"  prompt "x" }}
test "t" for f {{ given {{ x: "a" }}  writer replies "a" when task == "x"  expect result == "a" }}
"""
SWITCHED = """\
flow f(u: text) -> text {{
  switch u {{ case Job {{ r = u }} case Other {{ r = u }} }}
  return r
}}
{more}"""


@pytest.mark.parametrize(
    ("before", "after"),
    [
        (SCRIPTED.format(param="task"), SCRIPTED.format(param="other")),
        (SCRIPTED.format(param="other"), SCRIPTED.format(param="task")),
        (SWITCHED.format(more=""), SWITCHED.format(more="type Job { a: text }\n")),
        (SWITCHED.format(more="type Job { a: text }\n"), SWITCHED.format(more="")),
    ],
)
def test_colours_that_are_kept_are_those_of_a_fresh_look(scene, before: str, after: str) -> None:
    cache = TokenCache(10_000)
    for text in (before, after):
        analysis = scene(text).analysis
        assert tokens(analysis, cache) == tokens(analysis, TokenCache(10_000))


def test_the_relative_form_and_differences_between_two() -> None:
    assert encode([(0, 2, 3, 1, 0), (0, 7, 1, 2, 1), (4, 1, 2, 0, 0)]) == [
        0,
        2,
        3,
        1,
        0,
        0,
        5,
        1,
        2,
        1,
        4,
        1,
        2,
        0,
        0,
    ]
    rng = random.Random(2)
    for _ in range(200):
        old = [rng.randrange(3) for _ in range(rng.randrange(12))]
        new = [
            *old[: rng.randrange(12)],
            *(rng.randrange(3) for _ in range(rng.randrange(4))),
            *old[rng.randrange(12) :],
        ]
        made = list(old)
        for start, dropped, data in difference(old, new):
            made[start : start + dropped] = data
        assert made == new
        assert (difference(old, new) == []) == (old == new)
