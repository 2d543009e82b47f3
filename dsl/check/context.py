"""Context: what decisions are told beside their arguments."""

from __future__ import annotations

from .. import ast
from .base import Report, Scope
from .builtins import REFUSED_KEYS
from .env import Env
from .expressions import infer


def check_context(node: ast.Context, scope: Scope, report: Report) -> None:
    """The global layer: constants and literals."""
    infer(node.value, Env(where="in the global context"), scope, report)
    check_keys(node.value, report)


def check_keys(value: ast.Expr, report: Report) -> None:
    """Keys that would reach into the objects of a program that reads the context are refused."""
    if isinstance(value, ast.ListExpr):
        for item in value.items:
            check_keys(item, report)
    if not isinstance(value, ast.Object):
        return
    for pair in value.pairs:
        if pair.key.text in REFUSED_KEYS:
            report.add(
                "name.reserved",
                pair.key,
                f"`{pair.key.text}` cannot be a key of a context",
                label="refused before every call",
                help="Give it another name.",
            )
        check_keys(pair.value, report)
