"""A decided gate as others see it: the report in prompts, the value in a flow."""

from __future__ import annotations

from fractions import Fraction
from functools import lru_cache
from typing import Any

from ..store.records import GateRecord


def report_of(record: GateRecord) -> str:
    """The scorer report that ends judge and ask prompts, and that a flow reads as `.report`."""
    lines = []
    for result in record.results:
        mark = "passed" if result.passed else "failed"
        lines.append(f"- {result.name}: {mark}" + (f" ({result.detail})" if result.detail else ""))
    if record.judge is not None:
        said = record.judge.verdict if record.judge.readable else "could not be read"
        reason = f" ({record.judge.reason})" if record.judge.reason else ""
        lines.append(f"- {record.judge.party}: {said}{reason}")
    return "\n".join(["Checks:", *lines]) if lines else "Checks: none"


def value_of(record: GateRecord) -> dict[str, Any]:
    """`.passed .verdict .combined .results .report .judge`."""
    judge = record.judge
    return {
        "passed": record.verdict == "pass",
        "verdict": record.verdict,
        "combined": _number(record.combined),
        "results": [
            {"name": r.name, "passed": r.passed, "score": r.score, "detail": r.detail} for r in record.results
        ],
        "report": record.report,
        "judge": None
        if judge is None
        else {
            "party": judge.party,
            "verdict": judge.verdict,
            "score": _number(judge.score),
            "readable": judge.readable,
            "reason": judge.reason,
        },
    }


def exact(value: Fraction | None) -> str | None:
    """A fraction as a record keeps it: nothing is rounded."""
    return None if value is None else str(value)


@lru_cache(maxsize=256)
def _number(text: str | None) -> float | None:
    return None if text is None else float(Fraction(text))
