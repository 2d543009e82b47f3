"""Rows of what a reply says, what a scorer finds and what a gate makes of it, held against this package.

    python -m tests.acceptance.vectors DIR

DIR holds JSON arrays of rows, named after what they test: lenient_json, verdict, gate_judge, rate, winner, scorers,
combine. A row has an `id`, its input and what to `expect`. Prints the rows that differ and one count a file.
Exit code: 0 all as expected, 1 some differ, 2 nothing to compare.
"""

from __future__ import annotations

import json
import sys
from collections.abc import Callable, Iterator, Mapping
from fractions import Fraction
from pathlib import Path
from typing import Any

import jsonschema_rs

from judgeflow.dsl.scorer_check import check_schema, check_scorer
from judgeflow.dsl.scorer_spec import ScorerSpec
from judgeflow.runtime.judge.combine import check_combine, combine
from judgeflow.runtime.judge.reading import (
    exact_number,
    read_gate_judge,
    read_json,
    read_rate,
    read_verdict,
    read_winner,
)
from judgeflow.runtime.judge.scorers import compile_scorer

Row = Mapping[str, Any]
Found = Mapping[str, Any]
REPORTED = frozenset(("score", "combined", "lower", "upper"))
"""Numbers that are shown, not decided on: they may differ by TOLERANCE."""
TOLERANCE = Fraction(1, 10**9)


def lenient_json(row: Row) -> Found:
    reading = read_json(row["input"])
    return {"ok": reading.ok, "value": reading.value}


def verdict(row: Row) -> Found:
    return _fields(read_verdict(row["input"]), "readable", "verdict")


def gate_judge(row: Row) -> Found:
    return _fields(read_gate_judge(row["input"]), "readable", "verdict", "score")


def rate(row: Row) -> Found:
    threshold = exact_number(row["threshold"]) if "threshold" in row else None
    return _fields(read_rate(row["input"], threshold), "readable", "score", "passed")


def winner(row: Row) -> Found:
    reading = read_winner(row["input"], row["count"])
    return _fields(reading, "winner", "readable", "clamped", "defaulted")


def scorers(row: Row) -> Found:
    if "scorer" not in row:
        return _schema(row)
    spec = _spec(row["scorer"])
    wrong = check_scorer(spec)
    result = compile_scorer(spec, row.get("index", 0)).run(row.get("target", ""))
    found = _fields(result, "name", "passed", "score")
    return {"error": wrong.code if wrong else None, **found, "detail": result.detail is not None}


def _schema(row: Row) -> Found:
    wrong = check_schema(row["schema"])
    if wrong is not None:
        return {"error": wrong.code}
    valid = "value" in row and jsonschema_rs.Draft202012Validator(row["schema"]).is_valid(row["value"])
    return {"error": None, "valid": valid}


def _spec(given: Mapping[str, Any]) -> ScorerSpec:
    return ScorerSpec(
        kind=given["kind"],
        negated=given.get("not", False),
        name=given.get("name"),
        value=given.get("value"),
        pattern=given.get("pattern"),
        schema=given.get("schema"),
        minimum=given.get("min"),
        maximum=given.get("max"),
        language=given.get("language"),
    )


def combined(row: Row) -> Found:
    mode, results, weights = row.get("mode", "all"), row["results"], row.get("weights")
    threshold, judge_weight = row.get("threshold"), row.get("judge_weight")
    wrong = check_combine(
        mode, len(results), weights, threshold, judge_weight, has_judge=judge_weight is not None
    )
    if wrong is not None:
        return {"error": wrong}
    whole = combine(mode, results, weights, threshold, judge_weight, row.get("judge_score"))
    names = ("passed", "combined", "lower", "upper", "decided", "readable")
    return {"error": None, **_fields(whole, *names)}


READERS: Mapping[str, Callable[[Row], Found]] = {
    "lenient_json": lenient_json,
    "verdict": verdict,
    "gate_judge": gate_judge,
    "rate": rate,
    "winner": winner,
    "scorers": scorers,
    "combine": combined,
}


def differing(name: str, rows: list[Row]) -> Iterator[tuple[Row, Found | Exception]]:
    """The rows that are not as expected, with what was found; an exception is never as expected."""
    for row in rows:
        try:
            found: Found | Exception = READERS[name](row)
        except Exception as error:  # nothing may raise, so whatever it is it differs
            found = error
        if isinstance(found, Exception) or not matches(row["expect"], found):
            yield row, found


def matches(expected: Mapping[str, Any], found: Found) -> bool:
    """Whether everything that is expected was found; what is not mentioned does not matter."""
    return all(name in found and _alike(name, value, found[name]) for name, value in expected.items())


def _alike(name: str, expected: Any, found: Any) -> bool:
    if name in REPORTED and expected is not None and found is not None:
        return abs(Fraction(expected) - Fraction(found)) <= TOLERANCE
    return _same(expected, found)


def _same(left: Any, right: Any) -> bool:
    """Equality of JSON values: 1 is 1.0, true is not 1."""
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(_same(left[key], right[key]) for key in left)
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(_same, left, right))
    return isinstance(left, bool) is isinstance(right, bool) and bool(left == right)


def _fields(source: Any, *names: str) -> dict[str, Any]:
    return {name: getattr(source, name) for name in names}


def main(arguments: list[str]) -> int:
    if len(arguments) != 1:
        print("usage: python -m tests.acceptance.vectors DIR", file=sys.stderr)
        return 2
    folder = Path(arguments[0])
    files = [file for name in READERS if (file := folder / f"{name}.json").is_file()]
    if not files:
        print(f"{folder} holds none of {', '.join(f'{name}.json' for name in READERS)}", file=sys.stderr)
        return 2
    total = 0
    for file in files:
        rows: list[Row] = json.loads(file.read_text(encoding="utf-8"))
        wrong = list(differing(file.stem, rows))
        for row, found in wrong:
            print(f"{row['id']}: {_shown(row)}\n  expected {row['expect']}\n  found    {found!r}")
        print(f"{file.stem}: {len(rows)} rows, {len(wrong)} differ")
        total += len(wrong)
    return 1 if total else 0


def _shown(row: Row) -> str:
    given = {name: value for name, value in row.items() if name not in ("id", "expect", "note")}
    text = json.dumps(given, ensure_ascii=True)
    return text if len(text) <= 400 else f"{text[:400]}…"


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
