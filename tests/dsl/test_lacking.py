"""A declaration with a mistake in one clause: the others are checked, and nothing that only follows is told."""

from __future__ import annotations

import pytest

from judgeflow.dsl.workspace.analysis import Workspace

AROUND = """
model small "openai/gpt-6-mini" { price $1 in, $1 out }
agent other { model small  prompt "x" }
"""


def found(text: str) -> list[tuple[str, str]]:
    workspace = Workspace({}.get)
    workspace.update("main.judge", text + AROUND)
    findings = workspace.analyse("main.judge").diagnostics
    return [(each.code, text[each.start : each.end]) for each in findings if each.severity == "error"]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        (
            'agent w {\n  model small\n  promt "x"\n  retries 1000000\n  judges [nope]\n}\n',
            [("clause.unknown", "promt"), ("value.range", "1000000"), ("name.unknown", "nope")],
        ),
        (
            'agent w { modle small  prompt "{{ nope }}" }\n',
            [("clause.unknown", "modle"), ("name.unknown", "nope")],
        ),
        (
            'judge j { model small  aks "{{ reply }}"  require answer == "x" else "no" }\n',
            [("clause.unknown", "aks")],
        ),
        ('judge j { modle small  ask "{{ reply }}" }\n', [("clause.unknown", "modle")]),
        (
            'judge j { model none  aks "{{ reply }}" }\n',
            [("clause.unknown", "aks"), ("name.unknown", "none")],
        ),
        (
            "gate g(x) { scorers { length 5..1 weight 1 }  combin weighted at least 0.5 }\n",
            [("clause.unknown", "combin"), ("scorer.empty-range", "5..1")],
        ),
        (
            'choice c(x) { model small  ask "Which?"  optoins { a "A" } }\n',
            [("clause.unknown", "optoins"), ("model.wrong-kind", "small")],
        ),
    ],
)
def test_the_clauses_beside_an_unknown_one_are_checked(text: str, expected: list[tuple[str, str]]) -> None:
    assert sorted(found(text)) == sorted(expected)


def test_what_uses_a_declaration_with_a_broken_body_is_checked() -> None:
    agent = 'agent w(x: text) -> text {\n  model small\n  prompt "x"\n  timeout 5x\n}\n'
    flow = 'flow main(x: text) -> int { if w(x) == "a" and w(x) == "b" { stop "no" } return w(x) }\n'
    assert found(agent + flow) == [
        ("syntax.number", "5x"),
        ("flow.hidden-call", "w"),
        ("shape.mismatch", "w(x)"),
    ]


def test_what_uses_a_declaration_with_a_broken_head_is_not() -> None:
    agent = 'agent w(x: text) -> te@xt {\n  model small\n  prompt "x"\n}\n'
    flow = "flow main(x: text) -> int { return w(x) }\n"
    assert [code for code, _ in found(agent + flow)] == ["syntax.character"]
