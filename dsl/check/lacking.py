"""A declaration with an unknown clause: what can be said of it all the same.

The clause was left out, so whatever is found missing may be what it was meant to say.
"""

from __future__ import annotations

from collections.abc import Iterable

from .. import ast
from .base import Finding

_MISSING = frozenset(
    {
        "clause.missing",
        "decision.cache",
        "decision.options",
        "gate.always-passes",
        "gate.cannot-pass",
        "gate.fails-open",
        "gate.weights",
        "judge.no-model",
        "judge.no-rule",
        "suite.no-cases",
        "test.unscripted-model",
    }
)
"""Findings about something that is not there."""
_SAID = frozenset({"name.unknown", "shape.mismatch", "shape.no-field", "flow.wrong-arguments"})
"""Findings about what the clauses of a judge bring in: an answer, a score, its questions."""


def still_so(node: ast.Declaration, findings: Iterable[Finding]) -> list[Finding]:
    """The findings that hold whatever the unknown clauses were meant to say."""
    kept = [finding for finding in findings if finding.diagnostic.code not in _MISSING]
    if not isinstance(node, ast.Judge):
        return kept
    models = [
        clause for clause in node.clauses if isinstance(clause, ast.Clause) and clause.keyword == "model"
    ]
    return [
        finding
        for finding in kept
        if finding.diagnostic.code not in _SAID
        or any(clause.start <= finding.diagnostic.start < clause.end for clause in models)
    ]
