"""The runner of rows: what it finds out, what it prints, and its exit code."""

from __future__ import annotations

import json
import subprocess
import sys
from pathlib import Path
from typing import Any

import pytest

from .vectors import READERS, differing, main

ROOT = Path(__file__).parents[2]

ROWS: dict[str, list[dict[str, Any]]] = {
    "lenient_json": [{"id": "l1", "input": "so: [1.0]", "expect": {"ok": True, "value": [1]}}],
    "verdict": [{"id": "v1", "input": "VERDICT: halt", "expect": {"readable": True, "verdict": "block"}}],
    "gate_judge": [
        {"id": "g1", "input": "SCORE: 0.3", "expect": {"readable": True, "verdict": "block", "score": "0.3"}},
        {"id": "g2", "input": '{"verdict":"ok","score":7}', "expect": {"verdict": "pass", "score": None}},
    ],
    "rate": [
        {"id": "r1", "input": "0.65", "threshold": "0.65", "expect": {"score": "13/20", "passed": True}},
        {"id": "r2", "input": "six", "threshold": "0", "expect": {"readable": False, "passed": False}},
    ],
    "winner": [
        {"id": "w1", "input": "WINNER: 9", "count": 4, "expect": {"winner": 4, "clamped": True}},
        {"id": "w2", "input": "none", "count": 4, "expect": {"winner": 1, "readable": False}},
    ],
    "scorers": [
        {
            "id": "s1",
            "scorer": {"kind": "length", "max": 3, "not": True},
            "index": 2,
            "target": "four",
            "expect": {"name": "length-2", "passed": True, "score": 1, "detail": False},
        },
        {"id": "s2", "schema": {"type": "array"}, "value": {}, "expect": {"valid": False}},
        {"id": "s3", "schema": {"type": 7}, "expect": {"error": "scorer.bad-schema"}},
        {"id": "s4", "schema": {"items": True}, "expect": {"error": None}},
    ],
    "combine": [
        {"id": "c1", "results": [True, False], "expect": {"passed": False, "combined": "0"}},
        {
            "id": "c2",
            "mode": "weighted",
            "results": [True, False],
            "weights": ["3", "1"],
            "threshold": "0.75",
            "judge_weight": "4",
            "expect": {"lower": "3/8", "upper": "7/8", "decided": None},
        },
        {
            "id": "c3",
            "mode": "weighted",
            "results": [True],
            "weights": [],
            "expect": {"error": "gate.weights"},
        },
    ],
}


def write(folder: Path, rows: dict[str, list[dict[str, Any]]]) -> str:
    for name, entries in rows.items():
        (folder / f"{name}.json").write_text(json.dumps(entries), encoding="utf-8")
    return str(folder)


def test_every_kind_of_row_is_read(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert set(ROWS) == set(READERS)
    assert main([write(tmp_path, ROWS)]) == 0
    assert capsys.readouterr().out.splitlines() == [
        f"{name}: {len(ROWS[name])} rows, 0 differ" for name in READERS
    ]


def test_a_row_that_differs_is_shown_with_both_sides_and_fails_the_run(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    wrong = {"id": "odd", "input": "VERDICT: PASS", "expect": {"readable": True, "verdict": "block"}}
    assert main([write(tmp_path, {"verdict": [*ROWS["verdict"], wrong]})]) == 1
    out = capsys.readouterr().out
    assert "odd" in out
    assert "'block'" in out
    assert "'pass'" in out
    assert out.splitlines()[-1] == "verdict: 2 rows, 1 differ"


def test_what_raises_differs() -> None:
    row = {"id": "x", "input": None, "expect": {"readable": False}}
    (found,) = differing("verdict", [row])
    assert isinstance(found[1], Exception)


@pytest.mark.parametrize(
    ("name", "row"),
    [
        ("rate", {"id": "r", "input": "0.5", "expect": {"score": "0.5000001"}}),
        ("lenient_json", {"id": "l", "input": "[true]", "expect": {"ok": True, "value": [1]}}),
        ("winner", {"id": "w", "input": "WINNER: 1", "count": 2, "expect": {"defaulted": True}}),
        ("scorers", {"id": "s", "schema": {"type": 7}, "expect": {"error": None}}),
    ],
)
def test_almost_is_not_the_same(name: str, row: dict[str, Any]) -> None:
    assert len(list(differing(name, [row]))) == 1


@pytest.mark.parametrize("arguments", [[], ["a", "b"], ["no/such/folder"]])
def test_nothing_to_compare_is_an_error(arguments: list[str]) -> None:
    assert main(arguments) == 2


def test_it_runs_as_a_module_from_the_root_of_the_repository(tmp_path: Path) -> None:
    done = subprocess.run(
        [sys.executable, "-m", "tests.acceptance.vectors", write(tmp_path, {"rate": ROWS["rate"]})],
        cwd=ROOT,
        capture_output=True,
        text=True,
        check=False,
    )
    assert (done.returncode, done.stdout) == (0, "rate: 2 rows, 0 differ\n")
