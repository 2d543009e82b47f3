"""What a declaration has no use for is an error where it stands, and never dropped."""

from __future__ import annotations

import pytest

from judgeflow.dsl.diagnostics import Diagnostic
from judgeflow.dsl.workspace.analysis import Workspace

JUDGE = 'code judge short { require len(reply) < 9 else "Shorter." }\n'


def errors(text: str) -> list[Diagnostic]:
    workspace = Workspace({}.get)
    workspace.update("main.judge", text)
    return [found for found in workspace.analyse("main.judge").diagnostics if found.severity == "error"]


@pytest.mark.parametrize(
    ("scorer", "more"),
    [
        ('contains "x"', "1..5"),
        ('contains "x"', "{ negate true }"),
        ("length 1..5", '"x"'),
        ("schema r'true'", "at least 3"),
        ('compiles "python"', 'r"x"'),
        ('regex r"x"', 'r"y"'),
        ('equals "x"', "weight 1"),
    ],
)
def test_a40_what_a_kind_of_scorer_has_no_use_for_is_an_error(scorer: str, more: str) -> None:
    assert errors(f"scorer it {scorer}\n") == []
    (found,) = errors(f"scorer it {scorer} {more}\n")
    assert found.code == "syntax.unexpected"


@pytest.mark.parametrize(
    ("clause", "code"),
    [
        ("retries 3", "clause.misplaced"),
        ("threshold 0.5", "clause.misplaced"),
        ("weights [1]", "clause.unknown"),
        ("eval [1]", "clause.unknown"),
    ],
)
def test_u53_a_clause_that_a_gate_has_not_is_an_error_that_lists_those_it_has(clause: str, code: str) -> None:
    (found,) = errors(f'gate ready(draft) {{\n  scorers {{ contains "x" }}\n  {clause}\n}}\n')
    assert found.code == code
    assert found.help == (
        "Here can stand `target`, `pass`, `scorers`, `combine`, `judge`, `ask` or `unreadable`."
    )


@pytest.mark.parametrize(
    "place",
    [
        'model m "a/x" { judges [short] }\n',
        'tool t(x: text) -> text { python "a.py:b"  judges [short] }\n',
        'gate g(x) { scorers { contains "x" }  judges [short] }\n',
        'model m "a/x" { kind decision }\ncondition c(x: text) { model m  ask "Is it?"  judges [short] }\n',
        "flow f(x: text) -> text {\n  judges [short]\n  return x\n}\n",
    ],
)
def test_a64_judges_stand_on_what_an_agent_answers_and_nowhere_else(place: str) -> None:
    agent = 'model n "b/x"\nagent w { model n  judges [short] }\n'
    assert errors(JUDGE + agent) == []
    assert [found.code for found in errors(JUDGE + place)] in (
        ["clause.misplaced"],
        ["syntax.unknown-statement"],
    )


@pytest.mark.parametrize("first", [JUDGE, 'model m "a/x"\njudge short { model m  ask "PASS?" }\n'])
def test_u03_two_judges_have_two_names(first: str) -> None:
    (found,) = errors(first + JUDGE)
    assert (found.code, found.message) == ("name.duplicate", "`short` is declared twice")


@pytest.mark.parametrize(("count", "code"), [(1, "value.range"), (2, None), (20, None), (21, "value.range")])
def test_u62_two_to_twenty_variants_are_drawn(count: int, code: str | None) -> None:
    found = errors(
        'model m "a/x"\nagent w { model m }\nagent picks { model m }\n'
        f"flow f(x: text) -> text {{ y = best of {count}: w(x) picked by picks  return y }}\n"
    )
    assert [each.code for each in found] == ([] if code is None else [code])
