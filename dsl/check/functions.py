"""Calls of the built-in functions: how many arguments, of which shapes, and what comes out."""

from __future__ import annotations

from collections.abc import Sequence

from .. import ast
from ..shapes import Float, Int, Json, ListOf, Literal, Null, Nullable, Shape, Text, Unknown
from .base import CallableSurface, Report, Scope
from .builtins import NAMES, Function, Parameter, tool_call
from .fit import answered, describe, element, join, nullable, resolve, without_null
from .names import JUDGES, a, kind_of, nearest, report_unknown
from .operators import kinds_of, may_be_number
from .surface import dotted

_FLOAT, _INT, _TEXT, _UNKNOWN = Float(), Int(), Text(), Unknown()
_TAKES: dict[str, tuple[frozenset[str], str]] = {
    "text": (frozenset(("text",)), "a text"),
    "number": (frozenset(("number",)), "a number"),
    "extremes": (frozenset(("number",)), "numbers"),
    "list": (frozenset(("list",)), "a list"),
    "object": (frozenset(("object",)), "an object"),
    "text or list": (frozenset(("text", "list")), "a text or a list"),
    "sized": (frozenset(("text", "list", "object")), "a text, a list or an object"),
}


def function_shape(
    function: Function, call: ast.Call, given: Sequence[Shape], scope: Scope, report: Report
) -> Shape:
    """The shape of a call. `given` are the arguments' shapes, `Unknown` for names of declarations."""
    if not _count_fits(function, call, report):
        return _UNKNOWN
    shapes = [resolve(shape, scope) for shape in given]
    params = function.params
    for index, arg in enumerate(call.args):
        shape, param = shapes[index], params[index] if index < len(params) else params[-1]
        if param.takes in NAMES:
            sound = _check_named(function, param, arg.value, scope, report)
        elif param.takes == "numbers" or (param.takes == "extremes" and len(shapes) == 1):
            sound = _check_numbers(function, arg, shape, scope, report)
        else:
            sound = _check_argument(function, param, arg, shape, report)
        if not sound:
            return _known(function)
    return _result(function, call, shapes, scope)


def _known(function: Function) -> Shape:
    return _UNKNOWN if function.rule else function.gives


def _count_fits(function: Function, call: ast.Call, report: Report) -> bool:
    for arg in call.args:
        if arg.name is not None:
            report.add(
                "flow.wrong-arguments",
                arg.name,
                f"`{function.name}` takes its arguments by position, not by name",
                label="remove the name",
                help=f"It is called as `{function.signature}`.",
            )
            return False
    needed = function.needed
    most = None if function.variadic else len(function.params)
    count = len(call.args)
    if count >= needed and (most is None or count <= most):
        return True
    if needed == most:
        takes = f"{needed} argument{'' if needed == 1 else 's'}" if needed else "no arguments"
    else:
        takes = f"at least {needed}" if most is None else f"{needed} to {most} arguments"
    at = call.args[most] if most is not None and count > most else call.callee
    report.add(
        "flow.wrong-arguments",
        at,
        f"`{function.name}` takes {takes}, and is given {count}",
        label="one too many" if count > needed else "something is missing",
        help=f"It is called as `{function.signature}`.",
    )
    return False


def _check_numbers(function: Function, arg: ast.Arg, shape: Shape, scope: Scope, report: Report) -> bool:
    item = element(shape)
    if item is not None and may_be_number(resolve(item, scope)):
        return True
    return _mismatch(report, arg, function, "a list of numbers", shape)


def _check_argument(function: Function, param: Parameter, arg: ast.Arg, shape: Shape, report: Report) -> bool:
    if param.takes not in _TAKES:
        return True
    kinds = kinds_of(shape)
    if kinds is None:
        return True
    allowed, words = _TAKES[param.takes]
    if not kinds <= allowed:
        return _mismatch(report, arg, function, words, shape)
    if type(shape) is Nullable:
        report.add(
            "shape.mismatch",
            arg.value,
            f"`{function.name}` takes {words}, but this may be null",
            label=f"this is {describe(shape)}",
            help=f"Say what stands for null, `default(…, {_stand_in(shape.item)})`, or ask `!= null` first.",
        )
        return False
    return True


def _stand_in(shape: Shape) -> str:
    kinds = kinds_of(shape) or frozenset()
    return {"text": '""', "number": "0", "list": "[]", "object": "{}"}.get(min(kinds, default=""), "…")


def _mismatch(report: Report, arg: ast.Arg, function: Function, words: str, shape: Shape) -> bool:
    help = ""
    if words == "a text" and not isinstance(shape, Null):
        help = "Write `text(…)` around it, or name the field that holds the text."
    report.add(
        "shape.mismatch",
        arg.value,
        f"`{function.name}` takes {words}, but this is {describe(shape)}",
        label=f"this is {describe(shape)}",
        help=help,
    )
    return False


def _check_named(function: Function, param: Parameter, value: ast.Expr, scope: Scope, report: Report) -> bool:
    """`calls(get_order)`: the argument is a name, not a value."""
    name = dotted(value)
    wanted = "tool" if param.takes == "tool" else "agent or gate"
    kinds = ("tool",) if param.takes == "tool" else ("agent", "gate")
    if name is None:
        report.add(
            "shape.mismatch",
            value,
            f"`{function.name}` takes the name of {a(wanted)}",
            label="not a name",
            help=f"Write `{function.name}(name)`, without quotes.",
        )
        return False
    found = scope.find(name.partition(".")[0])
    if found is None:
        guess = nearest(name, scope, JUDGES.union(kinds) if "judge" in kinds else frozenset(kinds))
        report_unknown(report, value, name, guess, what=wanted)
        return False
    if not isinstance(found, CallableSurface) or found.kind not in kinds:
        report.add(
            "shape.mismatch",
            value,
            f"`{function.name}` takes the name of {a(wanted)}, and `{name}` is {a(kind_of(found))}",
            label=f"not {a(wanted)}",
        )
        return False
    return True


# --- results ----------------------------------------------------------------------------------------------


def _result(function: Function, call: ast.Call, shapes: Sequence[Shape], scope: Scope) -> Shape:
    if not function.rule:
        return function.gives
    if function.rule == "calls":
        return ListOf(tool_call(_output(call, scope)))
    return _RULES[function.rule](shapes, scope)


def _output(call: ast.Call, scope: Scope) -> Shape:
    """What the named tool gives; null where the call failed, which `status` tells."""
    found = scope.find(dotted(call.args[0].value) or "") if call.args else None
    return answered(found.result, scope) if isinstance(found, CallableSurface) else _UNKNOWN


def _item(shapes: Sequence[Shape], scope: Scope) -> Shape:
    item = element(shapes[0])
    return nullable(_TEXT if item is None else item)


def _number(shapes: Sequence[Shape], scope: Scope) -> Shape:
    items = [element(shape) if isinstance(shape, ListOf) else shape for shape in shapes]
    found = [resolve(item, scope) for item in items if item is not None]
    return _INT if found and all(isinstance(item, Int) for item in found) else _FLOAT


def _rounded(shapes: Sequence[Shape], scope: Scope) -> Shape:
    return _INT if len(shapes) == 1 else _FLOAT


def _same(shapes: Sequence[Shape], scope: Scope) -> Shape:
    return without_null(shapes[0])


def _default(shapes: Sequence[Shape], scope: Scope) -> Shape:
    value, other = shapes
    if isinstance(value, Null):
        return other
    if isinstance(value, Unknown | Json):
        return value
    return join(without_null(value), _widened(other), scope)


def _widened(shape: Shape) -> Shape:
    return _TEXT if isinstance(shape, Literal) else shape


def _flat(shapes: Sequence[Shape], scope: Scope) -> Shape:
    item = element(shapes[0])
    if item is None:
        return _UNKNOWN
    known = resolve(item, scope)
    if isinstance(known, Nullable):
        known = known.item
    return known if isinstance(known, ListOf) else shapes[0]


_RULES = {
    "item": _item,
    "number": _number,
    "rounded": _rounded,
    "same": _same,
    "default": _default,
    "flat": _flat,
}
