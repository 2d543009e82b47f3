"""Shapes as written: their types are declared, their bounds make sense."""

from __future__ import annotations

from decimal import Decimal, InvalidOperation

from .. import ast
from .base import Report, Scope, TypeSurface
from .fit import describe
from .names import replace_fix, report_not_a
from .surface import shape_of
from .texts import check_plain

_SLIPS = {
    "Any": "json",
    "Bool": "bool",
    "Boolean": "bool",
    "Dict": "json",
    "Double": "float",
    "Float": "float",
    "Int": "int",
    "Integer": "int",
    "Json": "json",
    "Number": "float",
    "Object": "json",
    "Str": "text",
    "String": "text",
    "Text": "text",
}
"""Names that other languages give to what is built in here."""
_MOST = Decimal(2**53)


def check_shape(node: ast.ShapeNode, scope: Scope, report: Report) -> None:
    """Everything that may be wrong with a shape as written."""
    match node:
        case ast.TypeRef():
            check_type_name(node, node.name, scope, report)
        case ast.Primitive(name=name, bounds=bounds):
            if bounds is not None:
                _check_bounds(name, bounds, report)
        case ast.LiteralShape(value=value):
            check_plain(value, "a fixed text", report)
        case ast.ListShape(item=item, bounds=bounds):
            check_shape(item, scope, report)
            if bounds is not None:
                _check_bounds("list", bounds, report)
        case ast.UnionShape(options=options):
            _check_union(options, scope, report)


def check_type_name(at: ast.Node, name: str, scope: Scope, report: Report) -> TypeSurface | None:
    """The type of that name; None, and a finding, where there is none."""
    found = scope.find(name)
    if isinstance(found, TypeSurface):
        return found
    slip = _SLIPS.get(name) if found is None else None
    if slip is not None:
        report.add(
            "name.unknown",
            at,
            f"There is no type `{name}`",
            label="not declared",
            help=f"What is built in is written small: `{slip}`.",
            fixes=(replace_fix(at, slip),),
        )
        return None
    ident = ast.Ident(at.start, at.end, name)
    report_not_a(ident, "type", found, scope, report, help=f"Declare it: `type {name} {{ … }}`.")
    return None


def _check_union(options: tuple[ast.ShapeNode, ...], scope: Scope, report: Report) -> None:
    seen: set[object] = set()
    for option in options:
        check_shape(option, scope, report)
        shape = shape_of(option)
        if shape in seen:
            report.add(
                "name.duplicate",
                option,
                f"{describe(shape)} stands twice in one union",
                label="again",
                help="Remove one of the two.",
            )
        seen.add(shape)


def _check_bounds(of: str, bounds: ast.Bounds, report: Report) -> None:
    """A range holds something, and counts in whole numbers where there is something to count."""
    if of in ("bool", "json"):
        report.add("value.range", bounds, f"{of} has no range", label="remove it", help=f"Write `{of}`.")
        return
    ends = [_decimal(bounds.low), _decimal(bounds.high)]
    for text, end in zip((bounds.low, bounds.high), ends, strict=True):
        if text is not None and not _check_end(of, bounds, text, end, report):
            return
    low, high = ends
    if low is None and high is None:
        message = "A range has at least one end"
        report.add(
            "value.range", bounds, message, label="open on both sides", help="Write `(1..)`, or nothing."
        )
    elif low is not None and high is not None and low > high:
        report.add(
            "value.range",
            bounds,
            f"Nothing lies between {bounds.low} and {bounds.high}",
            label="empty",
            help=f"Write `({bounds.high}..{bounds.low})`.",
        )


def _check_end(of: str, bounds: ast.Bounds, text: str, end: Decimal | None, report: Report) -> bool:
    counted = {"text": "characters", "list": "items"}.get(of)
    if end is None or abs(end) > _MOST:
        report.add("value.range", bounds, f"{text} is too large for a range", label="too large")
        return False
    if of != "float" and end != end.to_integral_value():
        what = f"{counted} are counted in" if counted else "int holds"
        report.add(
            "value.range", bounds, f"{text} is no whole number, and {what} whole ones", label="whole numbers"
        )
        return False
    if counted and end < 0:
        help = f"Write `(0..{bounds.high or ''})`." if text == bounds.low else ""
        report.add("value.range", bounds, f"There are never {text} {counted}", label="below 0", help=help)
        return False
    return True


def _decimal(text: str | None) -> Decimal | None:
    try:
        return None if text is None else Decimal(text)
    except InvalidOperation:
        return None
