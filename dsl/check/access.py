"""Fields that are not there, and what was meant instead."""

from __future__ import annotations

from .. import ast
from ..shapes import ListOf, Literal, Record, Shape, Text, Union, Variant
from ..suggest import closest
from .base import Report, Scope
from .fit import describe, fields_of, options_of, resolve, without_null
from .names import a, listed, replace_fix, ticked
from .surface import dotted

MOST_LISTED = 12
"""Names that a message lists; more would not be read."""


def report_no_field(
    node: ast.Field, target: Shape, fields: tuple[str, ...], scope: Scope, report: Report
) -> None:
    name = node.name.text
    guess = closest(name, fields)
    what = describe(without_null(target))
    owner = what if isinstance(without_null(target), Record | Variant | Union) else what.capitalize()
    if isinstance(without_null(target), ListOf):
        owner = f"A list ({what})"
    elif not fields and not isinstance(without_null(target), Record):
        owner = a(what).capitalize() if what.isalpha() else what
    report.add(
        "shape.no-field",
        node.name,
        f"{owner} has no field `{name}`",
        label="no such field",
        help=f"Did you mean `{guess}`?" if guess else _field_help(node, target, fields, scope),
        fixes=(replace_fix(node.name, guess),) if guess else (),
    )


_SIZES = frozenset(("length", "len", "size", "count"))


def _field_help(node: ast.Field, target: Shape, fields: tuple[str, ...], scope: Scope) -> str:
    name, known = node.name.text, without_null(target)
    written = dotted(node.target) or "x"
    if name in _SIZES:
        return f"Write `len({written})`."
    if isinstance(known, ListOf):
        item = resolve(known.item, scope)
        inner = fields_of(item, scope)
        if inner is not None and name in inner:
            return f"Its items have it: `[item.{name} for item in {written}]`, or `{written}[0].{name}`."
        return "Ask for an item (`x[0]`), or go through them: `[… for item in x]`."
    if isinstance(known, Variant):
        held = fields_of(union_of(known), scope) or {}
        if name in held:
            return f"An item is `{{ variant, value }}`: write `{written}.value.{name}`."
        owner = next(
            (option for option in known.options if name in (fields_of(Record(option), scope) or {})), None
        )
        if owner is not None:
            return (
                f"Only {owner} has it: ask `{written} is {owner}` first, then write `{written}.value.{name}`."
            )
    if isinstance(known, Union):
        owner = next((describe(o) for o in known.options if name in (fields_of(o, scope) or {})), None)
        if owner is not None:
            return f"Only {owner} has it: ask `{written} is {owner}` first."
    if fields:
        return f"It has {listed(ticked(fields[:MOST_LISTED]))}."
    return (
        "Only objects have fields; `json(x)` reads one from a text."
        if isinstance(known, Text | Literal)
        else ""
    )


def union_of(variant: Variant) -> Shape:
    found = options_of(variant)
    return found[0] if len(found) == 1 else Union(found)
