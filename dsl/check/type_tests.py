"""`x is Offer`: whether it can be asked, and whether it can ever be so."""

from __future__ import annotations

from .. import ast
from ..shapes import Json, Record, Shape, Unknown
from .base import Report, Scope, TypeSurface
from .fit import describe, extends, options_of, without_null
from .names import listed, report_not_a


def check_type_test(node: ast.Is, shape: Shape, scope: Scope, report: Report) -> None:
    """`shape` is that of what is tested."""
    found = scope.find(node.type.text)
    if not isinstance(found, TypeSurface):
        report_not_a(node.type, "type", found, scope, report)
    elif found.alias is not None and not isinstance(found.alias, Unknown):
        report.add(
            "shape.mismatch",
            node.type,
            f"`{found.name}` is a name for {describe(found.alias)}, and `is` asks for one type",
            label="not one type",
            help="Ask for one of its types.",
        )
    elif not _may_be(shape, found.name, scope):
        always = "always" if node.negated else "never"
        options = [describe(option) for option in options_of(without_null(shape))]
        report.add(
            "shape.mismatch",
            node.type,
            f"This is never {found.name}, so the test is {always} true",
            label=f"it is {listed(options, 'or')}",
        )


def _may_be(shape: Shape, wanted: str, scope: Scope) -> bool:
    known = without_null(shape)
    if isinstance(known, Unknown | Json):
        return True
    return any(
        isinstance(option, Record)
        and (extends(option.name, wanted, scope) or extends(wanted, option.name, scope))
        for option in options_of(known)
    )
