"""Weights and bars of a gate, compared exactly as they were written."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

from .. import ast
from ..diagnostics import Label
from .base import Report
from .clauses import Clauses, Range, check_number, decimal, keyword_span, report_misplaced
from .names import listed, ticked

_BAR = Range(Decimal(0), Decimal(1), above=True)


def combine_of(found: Clauses) -> ast.Combine | None:
    combine = found.get("combine")
    return combine.value if combine is not None and isinstance(combine.value, ast.Combine) else None


def judge_of(found: Clauses) -> ast.GateJudge | None:
    judge = found.get("judge")
    return judge.value if judge is not None and isinstance(judge.value, ast.GateJudge) else None


def entry_name(entry: ast.ScorerEntry) -> str:
    """What a user calls a scorer of a gate."""
    if entry.alias is not None:
        return entry.alias.text
    word = entry.scorer.kind if isinstance(entry.scorer, ast.Check) else entry.scorer.text
    return f"not {word}" if entry.negated else word


def check_weights(node: ast.Gate, found: Clauses, entries: Sequence[ast.ScorerEntry], report: Report) -> bool:
    """Whether the weights and the bar make sense together; what does not is reported."""
    combine, judge = combine_of(found), judge_of(found)
    if combine is not None and not entries:
        message = f"`{node.name.text}` has no scorers to combine"
        report_misplaced(found["combine"], message, "Remove it, or add scorers.", report)
        return False
    weighed: list[tuple[ast.Node, str, ast.Number | None]] = [
        (entry, entry_name(entry), entry.weight) for entry in entries
    ]
    if judge is not None:
        weighed.append((judge.use.name, judge.use.name.text, judge.weight))
    if combine is None or combine.mode != "weighted":
        return _check_none(node, combine, weighed, report)
    bar = combine.at_least
    sound = bar is None or check_number(
        bar,
        _BAR,
        report,
        code="gate.threshold",
        message=f"A weighted gate passes from a bar above 0 up to 1, and {bar.text} is not one",
        help="combine weighted at least 0.7",
    )
    return _check_each(node, found, weighed, report) and sound


def _check_none(
    node: ast.Gate,
    combine: ast.Combine | None,
    weighed: Sequence[tuple[ast.Node, str, ast.Number | None]],
    report: Report,
) -> bool:
    weights = [weight for _, _, weight in weighed if weight is not None]
    if not weights:
        return True
    mode = combine.mode if combine is not None else "all"
    first, *rest = weights
    report.add(
        "gate.weights",
        first,
        f"`{node.name.text}` combines with `{mode}`, which counts no weights",
        label="has no effect",
        labels=tuple(Label(weight.start, weight.end, "nor has this") for weight in rest[:5]),
        help="Add `combine weighted at least 0.7`, or remove the weights.",
    )
    return False


def _check_each(
    node: ast.Gate,
    found: Clauses,
    weighed: Sequence[tuple[ast.Node, str, ast.Number | None]],
    report: Report,
) -> bool:
    missing = [(at, name) for at, name, weight in weighed if weight is None]
    if missing:
        names = listed(ticked(name for _, name in missing))
        has = "has none" if len(missing) == 1 else "have none"
        start, end = keyword_span(found["combine"])
        report.add(
            "gate.weights",
            missing[0][0],
            f"`{node.name.text}` is weighted, so each scorer and the judge carry a weight, and {names} {has}",
            label="no weight",
            labels=(
                *(Label(at.start, at.end, "no weight either") for at, _ in missing[1:6]),
                Label(start, end, "weighted here"),
            ),
            help=f"Add `weight 0.2` to {'it' if len(missing) == 1 else 'each'}.",
        )
        return False
    sound = _check_amounts(node, weighed, report)
    judge = judge_of(found)
    if sound and judge is not None and judge.weight is not None and decimal(judge.weight) == 0:
        report.add(
            "gate.weights",
            judge.weight,
            f"The weight of `{judge.use.name.text}` is 0, so asking it changes nothing",
            label="counts for nothing",
            help="Give it a weight above 0, or remove it.",
        )
        return False
    return sound


def _check_amounts(
    node: ast.Gate, weighed: Sequence[tuple[ast.Node, str, ast.Number | None]], report: Report
) -> bool:
    """No weight is below 0, and not all are 0."""
    weights = [(name, weight) for _, name, weight in weighed if weight is not None]
    below = [(name, weight) for name, weight in weights if decimal(weight) < 0]
    for name, weight in below:
        report.add(
            "gate.weights",
            weight,
            f"The weight of `{name}` is {weight.text}, and a weight is 0 or more",
            label="below 0",
            help="Give it a weight above 0, or 0 to see its result without counting it.",
        )
    if below or any(decimal(weight) > 0 for _, weight in weights):
        return not below
    first, *rest = (weight for _, weight in weights)
    report.add(
        "gate.weights",
        first,
        f"Every weight of `{node.name.text}` is 0, so there is nothing to weigh",
        label="counts for nothing",
        labels=tuple(Label(weight.start, weight.end, "nor does this") for weight in rest[:5]),
        help="Give one of them a weight above 0, such as `weight 0.5`.",
    )
    return False
