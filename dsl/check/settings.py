"""`workflow`, `limits` and `memory`."""

from __future__ import annotations

from collections.abc import Sequence

from .. import ast
from ..diagnostics import Label
from .base import Report, Scope
from .clauses import check_clauses
from .model_refs import check_kind, check_model_ref
from .texts import check_not_blank, check_plain


def check_workflow(node: ast.Workflow, scope: Scope, report: Report) -> None:
    check_plain(node.description, "a description", report)
    if node.version is not None and check_plain(node.version, "a version", report) is not None:
        check_not_blank(node.version, "a version", report, 'version "1"')


def check_import(node: ast.Import, scope: Scope, report: Report) -> None:
    """That the file is there, and what it declares, is the whole program's matter."""
    if check_plain(node.path, "a path", report) is not None:
        check_not_blank(node.path, "the path of an import", report, 'import "shared/models.judge"')


def check_limits(node: ast.LimitsDecl, scope: Scope, report: Report) -> None:
    check_limit_items(node.limits.items, report)


def check_limit_items(limits: Sequence[ast.Limit], report: Report) -> None:
    """Each limit is more than nothing and stands once."""
    seen: dict[tuple[str, str], ast.Limit] = {}
    for limit in limits:
        first = seen.setdefault((limit.what, limit.per), limit)
        if first is not limit:
            report.add(
                "clause.duplicate",
                limit,
                f"`{limit.what} … per {limit.per}` is limited twice",
                label="which of the two counts?",
                labels=(Label(first.start, first.end, "limited here first"),),
                help="Remove one of them.",
            )
        _check_amount(limit, report)


def _check_amount(limit: ast.Limit, report: Report) -> None:
    amount = limit.amount
    value = amount.seconds if isinstance(amount, ast.Duration) else float(amount.text)
    whole = limit.what not in ("tokens", "calls") or value.is_integer()
    if value <= 0 or not whole:
        report.add(
            "value.range",
            amount,
            f"A limit of {limit.what} is {'a whole number' if not whole else 'more than nothing'}",
            label="no call could be made" if value <= 0 else "not a whole number",
            help="Remove the limit if there is to be none." if value <= 0 else "",
        )


def check_memory(node: ast.Memory, scope: Scope, report: Report) -> None:
    name = ast.Ident(node.start, node.start + len("memory"), "memory")
    for clause in check_clauses("memory", name, node.clauses, report).values():
        match clause.value:
            case ast.Number() as history:
                _check_count(history, 0, "history", report)
            case ast.Compact(every=every, keep=keep, model=ref):
                _check_count(every, 1, "every", report)
                _check_count(keep, 1, "keep", report)
                model = check_model_ref(ref, scope, report)
                if model is not None:
                    check_kind(ref, model, "chat", "`compact` sums up", report)


def _check_count(number: ast.Number, low: int, what: str, report: Report) -> None:
    value = number.value
    if not isinstance(value, int) or value < low:
        report.add(
            "value.range",
            number,
            f"`{what}` takes a whole number from {low} on, not {number.text}",
            label=f"from {low} on",
        )
