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
