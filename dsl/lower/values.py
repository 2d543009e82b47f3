"""Small readings of clause values that every lowering shares."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .. import ast
from .. import plan as p


def clause_table(clauses: Sequence[ast.Clause]) -> dict[str, Any]:
    return {clause.keyword: clause.value for clause in clauses}


def plain_text(text: ast.Text | None) -> str | None:
    return None if text is None else text.plain


def word_of(value: Any) -> str:
    return value.text if isinstance(value, ast.Ident) else str(getattr(value, "id", ""))


def whole_of(value: Any) -> int | None:
    return int(value.value) if isinstance(value, ast.Number) else None


def number_of(value: Any) -> float | None:
    return float(value.value) if isinstance(value, ast.Number) else None


def seconds_of(value: Any) -> float | None:
    return value.seconds if isinstance(value, ast.Duration) else None


def setting_of(value: Any) -> str | p.EnvPlan | None:
    if isinstance(value, ast.Env):
        return p.EnvPlan(value.name)
    return value.plain if isinstance(value, ast.Text) else None


def choices_of(options: ast.Options | ast.Texts | None) -> tuple[tuple[str, ...], tuple[str | None, ...]]:
    match options:
        case ast.Options(items=items):
            return tuple(item.name.text for item in items), tuple(
                plain_text(item.description) for item in items
            )
        case ast.Texts(items=texts):
            return tuple(text.plain or "" for text in texts), (None,) * len(texts)
    return (), ()
