from __future__ import annotations

import pytest


def test_a_constant_is_made_of_literals_and_other_constants(check) -> None:
    text = 'let a = "x"\nlet b = [a, "{{ a }}"]\nlet c = { first: b[0], bar: 0.7, cost: $0.50, wait: 5m, none: null }\n'
    assert check(text).short == []


@pytest.mark.parametrize(
    ("value", "code", "at", "message"),
    [
        ("it", "name.unknown", "it", "`it` is made of itself"),
        ('"{{ it }}!"', "name.unknown", "it", "`it` is made of itself"),
        ("nowhere", "name.unknown", "nowhere", "`nowhere` is not known here"),
        (
            "writer(1)",
            "flow.hidden-call",
            "writer",
            "`writer` is an agent and may not be called in a constant",
        ),
        ("writer", "shape.mismatch", "writer", "`writer` is an agent, not a value"),
        ('1 + "x"', "shape.mismatch", '"x"', "`+` works on numbers"),
    ],
)
def test_what_is_wrong_with_a_constant(check, value, code, at, message) -> None:
    only = check(f'agent writer {{ model "v/m" }}\nlet it = {value}\n').only
    assert (only.code, only.at, only.message) == (code, at, message)


CIRCLE = "let a = b + 1\nlet b = c + 1\nlet c = a + 1\n"


@pytest.mark.parametrize(
    ("text", "at", "message"),
    [
        ("let a = a\n", "a", "`a` is made of itself"),
        ("let a = b\nlet b = a\n", "b", "`a` is made of itself, by way of `b`"),
        (CIRCLE, "b", "`a` is made of itself, by way of `b` and `c`"),
        (CIRCLE + "let d = a + 1\nlet e = 3\n", "b", "`a` is made of itself, by way of `b` and `c`"),
    ],
)
def test_constants_in_a_circle_are_told_once(check, text: str, at: str, message: str) -> None:
    only = check(text).only
    assert (only.code, only.at, only.message) == ("name.unknown", at, message)


def test_constants_may_mention_each_other_in_any_order(check) -> None:
    assert check("let a = b + c\nlet b = c + 1\nlet c = 1\n").short == []
