"""Juries: a judge with several models, and how many of them must agree."""

from __future__ import annotations

from collections.abc import Sequence

from .. import ast
from .base import Report
from .clauses import Clauses, keyword_span


def members(clause: ast.Clause | None) -> Sequence[ast.ModelRef]:
    """The models that a `model` clause names, one or several."""
    value = clause.value if clause is not None else None
    if isinstance(value, ast.Models):
        return value.items
    return (value,) if isinstance(value, ast.ModelRef) else ()


def check_jury(
    name: str, found: Clauses, report: Report, *, python: bool = False, jury: bool = False
) -> None:
    """A list of models has several, all different, and `agree` stands with one. `jury` says that the judge has a list
    where it is declared, and this is a profile that changes it."""
    model, agree = found.get("model"), found.get("agree")
    listed = model.value if model is not None and isinstance(model.value, ast.Models) else None
    if listed is None:
        if agree is not None and (model is not None or not jury):
            report.add(
                "judge.jury",
                keyword_span(agree),
                f"`{name}` has one model, and nobody to agree with",
                label="has no effect here",
                help="Name several models: `model [small, kimi, jev]`.",
            )
        return
    if python:
        report.add(
            "judge.jury",
            listed,
            f"`{name}` is decided by its Python function, which is given one model",
            label="a list of models",
            help="Name one model, or let a jury `ask`, `rate` or `decide`.",
        )
        return
    _check_members(name, listed, report)
    how = agree.value.text if agree is not None and isinstance(agree.value, ast.Ident) else "majority"
    # A profile may change the list of a jury whose `agree` stands elsewhere.
    if not jury and len(listed.items) > 1 and len(listed.items) % 2 == 0 and how == "majority":
        report.add(
            "judge.jury",
            listed,
            f"{len(listed.items)} members may be divided evenly, and then `{name}` does not pass",
            label="an even number",
            help="Name one model more or less, or write `agree all`.",
            severity="warning",
        )


def _check_members(name: str, listed: ast.Models, report: Report) -> None:
    if len(listed.items) < 2:
        report.add(
            "judge.jury",
            listed,
            f"A jury has at least two members, and `{name}` has {len(listed.items) or 'none'}",
            label="a list of one" if listed.items else "an empty list",
            help="Name one model without brackets, or several.",
        )
    seen: set[str] = set()
    for ref in listed.items:
        if ref.text in seen:
            report.add(
                "judge.jury",
                ref,
                f"`{ref.text}` is a member of this jury twice, and would outvote others with itself",
                label="again",
                help="Name each model once.",
            )
        seen.add(ref.text)
