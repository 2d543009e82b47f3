"""What holds for the clauses of every declaration: each stands once, those that are needed are there, and
literal numbers lie within their range."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from decimal import Decimal
from functools import cache

import msgspec

from .. import ast
from ..clauses import CLAUSES, ONE_OF
from ..diagnostics import Label
from .base import Report
from .names import listed, ticked

Clauses = Mapping[str, ast.Clause]


class Range(msgspec.Struct, frozen=True):
    """From `low` to `high`, both included unless `above` says that `low` is not."""

    low: Decimal
    high: Decimal | None = None
    whole: bool = False
    above: bool = False

    def holds(self, value: Decimal) -> bool:
        if value < self.low or (self.above and value == self.low):
            return False
        if self.high is not None and value > self.high:
            return False
        return not self.whole or value == value.to_integral_value()

    @property
    def words(self) -> str:
        noun = "a whole number" if self.whole else "a number"
        if self.high is not None:
            return f"{noun} from {self.low} to {int(self.high):_}"
        return f"{noun} above {self.low}" if self.above else f"{noun} from {self.low} on"


_UNIT = Range(Decimal(0), Decimal(1))
_SOME = Range(Decimal(1), Decimal(1000000000), whole=True)
_ROUNDING = Range(Decimal(0), Decimal(15), whole=True)
_RETRIES = Range(Decimal(0), Decimal(100), whole=True)
_RANGES: dict[tuple[str, str], Range] = {
    ("provider", "rounding"): _ROUNDING,
    ("model", "temperature"): Range(Decimal(0), Decimal(2)),
    ("model", "max_tokens"): _SOME,
    ("model", "retries"): _RETRIES,
    ("model", "concurrency"): _SOME,
    ("model", "rounding"): _ROUNDING,
    ("agent", "retries"): _RETRIES,
    ("judge", "threshold"): _UNIT,
}
"""Literal numbers by block and clause. What a gate or a decision compares has codes of its own."""


def decimal(number: ast.Number) -> Decimal:
    """The literal's exact value: bars and weights are never compared through a float."""
    return Decimal(number.text)


def check_clauses(
    block: str, name: ast.Ident, clauses: Iterable[object], report: Report, *, partial: bool = False
) -> dict[str, ast.Clause]:
    """The first clause of each keyword. Reports those that stand again, are missing, or lie outside their
    range; with `partial` (a profile's differences) nothing is missing."""
    found: dict[str, ast.Clause] = {}
    for clause in clauses:
        if type(clause) is not ast.Clause:
            continue
        first = found.setdefault(clause.keyword, clause)
        if first is not clause:
            _report_duplicate(clause, first, report)
        elif type(clause.value) is ast.Number:
            _check_range(block, clause.keyword, clause.value, report)
        elif type(clause.value) is ast.Duration and clause.value.seconds <= 0:
            _report_duration(clause.keyword, clause.value, report)
    if not partial and not _needed(block) <= found.keys():
        _report_required(block, name, found, report)
    _check_one_of(block, name, found, report, partial)
    return found


def keyword_span(clause: ast.Clause) -> tuple[int, int]:
    return clause.start, clause.start + len(clause.keyword.split()[0])


def _report_duplicate(clause: ast.Clause, first: ast.Clause, report: Report) -> None:
    start, end = keyword_span(first)
    report.add(
        "clause.duplicate",
        keyword_span(clause),
        f"`{clause.keyword}` stands twice",
        label="again",
        labels=(Label(start, end, "the first one"),),
        help="Keep one of the two.",
    )


def _check_range(block: str, keyword: str, number: ast.Number, report: Report) -> None:
    legal = _RANGES.get((block, keyword))
    if legal is None or legal.holds(decimal(number)):
        return
    report.add(
        "value.range",
        number,
        f"`{keyword}` takes {legal.words}, not {number.text}",
        label=legal.words,
        help=f"Write {_inside(legal, decimal(number))}.",
    )


def _inside(legal: Range, value: Decimal) -> str:
    """A value that the range takes, near the one that it does not."""
    if value <= legal.low:
        return f"{legal.low} or more"
    if legal.high is not None and value > legal.high:
        return f"{legal.high} or less"
    return legal.words


def _report_duration(keyword: str, value: ast.Duration, report: Report) -> None:
    report.add(
        "value.range",
        value,
        f"`{keyword}` takes a time that is more than nothing",
        label="no time at all",
        help=f"Write `{keyword} 30s`, or remove it.",
    )


@cache
def _needed(block: str) -> frozenset[str]:
    return frozenset(entry.keyword for entry in CLAUSES.get(block, ()) if entry.required)


@cache
def example(block: str, keyword: str) -> str:
    """A clause as the table shows it."""
    return next((entry.example for entry in CLAUSES.get(block, ()) if entry.keyword == keyword), keyword)


def _report_required(block: str, name: ast.Ident, found: Clauses, report: Report) -> None:
    missing = [entry for entry in CLAUSES[block] if entry.required and entry.keyword not in found]
    report_missing(
        name,
        f"`{name.text}` has no {listed(ticked(entry.keyword for entry in missing), 'and no')}",
        "\n".join(entry.example for entry in missing),
        report,
    )


def report_missing(name: ast.Ident, message: str, lines: str, report: Report) -> None:
    report.add("clause.missing", name, message, label="something is missing", help=f"Add:\n{lines}")


def _check_one_of(block: str, name: ast.Ident, found: Clauses, report: Report, partial: bool) -> None:
    for group in ONE_OF.get(block, ()):
        there = sorted((found[word] for word in group if word in found), key=lambda clause: clause.start)
        choice = listed(ticked(group), "or")
        if len(there) > 1:
            report_exclusive(there[1], there[0], f"`{name.text}` takes {choice}, not both", report)
        elif not there and not partial:
            lines = "\n".join(example(block, keyword) for keyword in group)
            report.add(
                "clause.missing",
                name,
                f"`{name.text}` has neither {listed(ticked(group), 'nor')}",
                label="something is missing",
                help=f"Add one of:\n{lines}",
            )


def report_exclusive(
    clause: ast.Clause, first: ast.Clause, message: str, report: Report, help: str = "Keep one of them."
) -> None:
    """Two clauses of which a declaration takes one."""
    start, end = keyword_span(first)
    report.add(
        "clause.misplaced",
        keyword_span(clause),
        message,
        label="one too many",
        labels=(Label(start, end, "beside this one"),),
        help=help,
    )


def report_misplaced(clause: ast.Clause, message: str, help: str, report: Report) -> None:
    report.add("clause.misplaced", keyword_span(clause), message, label="has no effect here", help=help)


def check_number(
    number: ast.Number, legal: Range, report: Report, *, code: str, message: str, help: str
) -> bool:
    """Whether a literal lies in its range; if not, it is reported under a code of its own."""
    if legal.holds(decimal(number)):
        return True
    report.add(code, number, message, label=legal.words, help=help)
    return False


UNIT = _UNIT
