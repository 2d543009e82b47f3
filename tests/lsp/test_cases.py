"""Faults that other checkers had: a typo that is silently taken, at the top and further in."""

from __future__ import annotations

import pytest

from judgeflow.dsl.workspace.analysis import Workspace
from judgeflow.lsp.features.actions import quick_fixes

PATH = "/w/main.judge"


def nothing(path: str) -> None:
    """There are no files on disk."""


def errors(text: str) -> list[tuple[str, str]]:
    """The code of every error and what it is about."""
    workspace = Workspace(nothing)
    workspace.update(PATH, text)
    found = workspace.analyse(PATH).diagnostics
    return [(one.code, text[one.start : one.end]) for one in found if one.severity == "error"]


def test_case_294_a_typo_in_a_limit_is_an_error_and_never_no_limit() -> None:
    text = "limits { cots $5 per day }\n"
    assert errors(text) == [("clause.unknown", "cots")]
    workspace = Workspace(nothing)
    workspace.update(PATH, text)
    titles = [fix.title for fix in quick_fixes(workspace.analyse(PATH), 0, len(text))]
    assert titles == ["Write `cost`"]


@pytest.mark.parametrize(
    ("text", "word"),
    [
        ("agent a { model m  retires 2 }\n", "retires"),
        ('model m "a/b" { timeuot 30s }\n', "timeuot"),
        ('suite s for f { cases "c.jsonl"  limits { cots $5 per run } }\n', "cots"),
        ("profile p { agent a { retires 2 } }\n", "retires"),
        ("gate g(x) { scorers { lenght 1..5 } }\n", "lenght"),
        ('judge j { model m  decide { ok: conditon "Is it?" } }\n', "conditon"),
        ("memory { compact evrey 5 keep 2 with m }\n", "evrey"),
    ],
)
def test_case_295_a_typo_is_an_error_at_every_depth(text: str, word: str) -> None:
    base = 'model m "a/b"\nagent a { model m  prompt "x" }\nflow f(t: text) -> text { return a(t) }\n'
    declared = base.replace('model m "a/b"\n', "") if text.startswith("model m") else base
    if text.startswith("agent a"):
        declared = 'model m "a/b"\n'
    assert word in [about for _, about in errors(declared + text)]
