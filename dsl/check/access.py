"""Places and items of lists, texts and objects, fields that are not there, and what was meant instead."""

from __future__ import annotations

from .. import ast
from ..shapes import (
    Int,
    Json,
    ListOf,
    Literal,
    Null,
    Object,
    Record,
    Shape,
    Text,
    Union,
    Unknown,
    Variant,
)
from ..suggest import closest
from .base import Report, Scope
from .fit import describe, element, fields_of, options_of, resolve, without_null
from .names import a, listed, replace_fix, ticked
from .surface import dotted

_TEXT, _UNKNOWN = Text(), Unknown()

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


def index_shape(node: ast.Index, target: Shape, index: Shape, scope: Scope, report: Report) -> Shape:
    """`xs[0]`, `x["field"]`: what stands there."""
    known = without_null(target)
    if isinstance(known, Unknown | Json | Null) or isinstance(index, Unknown | Json):
        return known if isinstance(known, Json) else _UNKNOWN
    by_number = isinstance(index, Int)
    if isinstance(known, ListOf | Text | Literal):
        if not by_number:
            report_shape(report, node.index, "A place in a list or a text is a whole number", index)
            return _UNKNOWN
        return known.item if isinstance(known, ListOf) else _TEXT
    if isinstance(known, Object | Record | Union | Variant):
        if by_number:
            help = "Ask for a field: `x.name`."
            report_shape(report, node.index, f"{describe(known)} has fields, not places", index, help)
            return _UNKNOWN
        fields = fields_of(known, scope) or {}
        return fields.get(index.value, _UNKNOWN) if isinstance(index, Literal) else _UNKNOWN
    report_shape(report, node.target, "Only lists, texts and objects have places", target)
    return _UNKNOWN


def item_shape(source: ast.Expr, what: str, shape: Shape, scope: Scope, report: Report) -> Shape:
    """The shape of the items of what is gone through."""
    item = _UNKNOWN if isinstance(shape, Null) else element(shape)
    if item is not None:
        return item
    if isinstance(without_null(shape), Text | Literal):
        help = 'Split it first: `words(x)`, `lines(x)`, `sentences(x)` or `split(x, ",")`.'
    else:
        help = (
            "Go through one of its lists, or through `keys(x)` or `values(x)`."
            if fields_of(shape, scope)
            else ""
        )
    report_shape(report, source, f"{what} goes through a list, but this is {describe(shape)}", shape, help)
    return _UNKNOWN


def report_shape(report: Report, at: ast.Node, message: str, shape: Shape, help: str = "") -> None:
    """A value of a shape that cannot stand where it does."""
    report.add("shape.mismatch", at, message, label=f"this is {describe(shape)}", help=help)
