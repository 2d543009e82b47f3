"""Parameters: their names, shapes and defaults."""

from __future__ import annotations

from collections.abc import Iterable

from .. import ast
from ..diagnostics import Label
from ..shapes import Null, Shape, Text
from .base import Report, Scope
from .env import Env
from .expressions import infer
from .fit import answered, describe, fits
from .shapes import check_shape
from .surface import shape_of, with_defaults


def check_params(
    params: Iterable[ast.Param], scope: Scope, report: Report, *, hidden: bool = False
) -> dict[str, Shape]:
    """The parameters' shapes by name, as what stands inside sees them. `hidden` parameters are for
    decisions."""
    shapes: dict[str, Shape] = {}
    seen: dict[str, ast.Ident] = {}
    for param in params:
        name = param.name
        first = seen.setdefault(name.text, name)
        if first is not name:
            report_duplicate(name, first, "parameter", report)
        if param.shape is not None:
            check_shape(param.shape, scope, report)
        if param.default is not None:
            _check_default(param, param.default, scope, report)
        if param.hidden and not hidden:
            report.add(
                "clause.misplaced",
                (param.start, param.start + len("hidden")),
                f"`{name.text}` cannot be hidden here: only decisions have parameters that are never sent",
                label="for conditions, choices and scales",
                help="Remove `hidden`.",
            )
        shapes[name.text] = answered(param_shape(param), scope)
    return shapes


def param_shape(param: ast.Param) -> Shape:
    """The shape of a parameter as what stands inside sees it; without one it is a text."""
    shape = Text() if param.shape is None else shape_of(param.shape)
    return with_defaults(shape, param.optional and param.default is None)


def _check_default(param: ast.Param, default: ast.Expr, scope: Scope, report: Report) -> None:
    shape = infer(default, Env(where="in a default"), scope, report)
    wanted = Text() if param.shape is None else shape_of(param.shape)
    if fits(shape, wanted, scope) or (param.optional and isinstance(shape, Null)):
        return
    report.add(
        "shape.mismatch",
        default,
        f"`{param.name.text}` is {describe(wanted)}, but its default is {describe(shape)}",
        label=f"this is {describe(shape)}",
        help=f"Write a default that is {describe(wanted)}, or give the parameter another shape.",
    )


def report_duplicate(name: ast.Ident, first: ast.Ident, what: str, report: Report) -> None:
    report.add(
        "name.duplicate",
        name,
        f"There are two {what}s `{name.text}`",
        label="again",
        labels=(Label(first.start, first.end, "the first one"),),
        help="Give one of them another name.",
    )
