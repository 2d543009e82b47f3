"""Scorers: checks of a text that cost no tokens."""

from __future__ import annotations

import json
from decimal import Decimal
from functools import lru_cache

from .. import ast
from ..scorer_check import check_schema
from ..scorer_spec import LANGUAGES
from ..suggest import closest
from .base import Report, Scope
from .env import Env
from .expressions import check_template
from .names import listed, replace_fix
from .operators import check_pattern
from .shapes import check_type_name
from .texts import check_plain

_NOWHERE = Env(where="in a scorer")


def check_scorer(node: ast.Scorer, scope: Scope, report: Report) -> None:
    check_check(node.check, _NOWHERE, scope, report)


def check_check(check: ast.Check, env: Env, scope: Scope, report: Report) -> None:
    """One check, declared or in a gate. `env` is what its text may mention."""
    value = check.value
    match value:
        case ast.Bounds():
            _check_length(value, report)
        case ast.TypeRef(name=name):
            check_type_name(value, name, scope, report)
        case ast.Text() if check.kind == "schema":
            _check_schema(value, report)
        case ast.Text() if check.kind == "compiles":
            _check_language(value, report)
        case ast.Text():
            check_template(value, env, scope, report)
            if check.kind == "regex":
                check_pattern(value, report)


def _check_length(bounds: ast.Bounds, report: Report) -> None:
    low, high = bounds.low, bounds.high
    if low is None and high is None:
        _empty(bounds, "A length has at least one end", "open on both sides", "length 1..", report)
        return
    for end in (low, high):
        if end is not None and Decimal(end) < 0:
            _empty(bounds, f"A text never has {end} characters", "below 0", f"length 0..{high or ''}", report)
            return
        if end is not None and Decimal(end) != Decimal(end).to_integral_value():
            _empty(bounds, f"Characters are counted in whole numbers, not {end}", "whole numbers", "", report)
            return
    if low is not None and high is not None and Decimal(low) > Decimal(high):
        message = f"No text has at least {low} and at most {high} characters"
        _empty(bounds, message, "empty", f"length {high}..{low}", report)


def _empty(bounds: ast.Bounds, message: str, label: str, example: str, report: Report) -> None:
    report.add(
        "scorer.empty-range", bounds, message, label=label, help=f"Write `{example}`." if example else ""
    )


def _check_language(text: ast.Text, report: Report) -> None:
    plain = check_plain(text, "a language", report)
    if plain is None or plain in LANGUAGES:
        return
    short = {"js": "javascript", "ts": "typescript", "py": "python", "node": "javascript"}
    guess = short.get(plain.lower()) or closest(plain, LANGUAGES)
    report.add(
        "scorer.bad-language",
        text,
        f'There is no compiler for "{plain}" here',
        label=f"one of {listed(LANGUAGES, 'or')}",
        help=f'Did you mean "{guess}"?' if guess else "",
        fixes=(replace_fix(text, f'"{guess}"'),) if guess else (),
    )


def _check_schema(text: ast.Text, report: Report) -> None:
    plain = check_plain(text, "a JSON Schema", report)
    fault = _schema_fault(plain) if plain is not None else None
    if fault is not None:
        help = 'Name a declared type, or write a raw text: schema r\'{"type": "object"}\''
        report.add("scorer.bad-schema", text, fault, label="not a schema", help=help)


@lru_cache(maxsize=1024)
def _schema_fault(text: str) -> str | None:
    """Why a text is no JSON Schema (2020-12), or None."""
    try:
        schema = json.loads(text)
    except ValueError as error:
        return f"This schema is not JSON: {error}"
    except RecursionError:
        return "This schema is nested too deeply"
    fault = check_schema(schema)
    return fault.message.rstrip(".") if fault is not None else None
