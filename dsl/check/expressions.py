"""The shape of every expression, and everything that is wrong in it.

`infer` answers `Unknown` after it has reported something, and `Unknown` fits everywhere: one mistake is
reported once.
"""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .. import ast
from ..diagnostics import Label
from ..shapes import (
    Bool,
    Duration,
    Float,
    Int,
    Json,
    ListOf,
    Literal,
    Money,
    Null,
    Object,
    Shape,
    Text,
    Union,
    Unknown,
)
from .access import MOST_LISTED, index_shape, item_shape, report_no_field, report_shape
from .arguments import Matching
from .base import CallableSurface, ConstantSurface, Report, Scope
from .braces import check_braces
from .builtins import CONDITION, FUNCTIONS, NAMES, Function
from .callees import ELSEWHERE, check_member, report_hidden_call, report_no_value, report_not_callable
from .env import Absent, Env
from .fit import (
    answered,
    describe,
    field_of,
    fields_of,
    fits,
    join,
    nullable,
    record_field,
    resolve,
    without_null,
)
from .foreign import WORDS
from .functions import function_shape
from .names import listed, nearest, report_unknown, ticked
from .narrowing import narrow
from .operators import binary_shape, may_be_number, number_help
from .surface import dotted
from .type_tests import check_type_test

_BOOL, _FLOAT, _INT, _TEXT, _UNKNOWN = Bool(), Float(), Int(), Text(), Unknown()
_LONGEST_LITERAL = 60


def infer(expr: ast.Expr, env: Env, scope: Scope, report: Report) -> Shape:
    """The shape of an expression; what is wrong in it is reported."""
    shape = _INFER[type(expr)](expr, env, scope, report)
    if report.witness is not None:
        report.witness(expr, env, shape)
    return shape


def narrowed(condition: ast.Expr, env: Env, scope: Scope) -> tuple[Env, Env]:
    """The environments where a condition holds, and where it does not."""
    return narrow(condition, env, scope, lambda expr, place: infer(expr, place, scope, Report()))


def check_condition(expr: ast.Expr, env: Env, scope: Scope, report: Report) -> None:
    """An expression that must be true or false. Null counts as false."""
    shape = resolve(infer(expr, env, scope, report), scope)
    if type(shape) is Bool or is_condition(shape, scope) or (type(expr) is ast.Call and _is_answer(shape)):
        return
    if _is_answer(shape):
        help = "Ask for its `.value`."
    elif isinstance(shape, ListOf):
        help = "Ask for its size, as in `len(x) > 0`."
    else:
        help = 'Compare it with something, as in `x != null` or `x == "yes"`.'
    report.add(
        "shape.mismatch",
        expr,
        f"A condition is true or false, but this is {describe(shape)}",
        label=f"this is {describe(shape)}",
        help=help,
    )


def is_condition(shape: Shape, scope: Scope) -> bool:
    """Whether a value of this shape may be a condition: true, false or null."""
    return isinstance(shape, Null) or fits(without_null(resolve(shape, scope)), _BOOL, scope)


def _is_answer(shape: Shape) -> bool:
    return isinstance(shape, Object) and shape.what == CONDITION


def check_template(text: ast.Text, env: Env, scope: Scope, report: Report) -> None:
    """The expressions of a text that is sent."""
    check_braces(text, env, report)
    for part in text.parts:
        if not isinstance(part, str):
            infer(part, env, scope, report)


def check_arguments(
    call: ast.Call | ast.Use,
    callee: CallableSurface,
    env: Env,
    scope: Scope,
    report: Report,
    *,
    code: str,
    skip: int = 0,
) -> None:
    """Holds the arguments of a call, or of a judge's use, against the parameters. `skip` parameters are
    filled in by the language: 1 for what a judge judges."""
    if skip and not call.args and len(callee.params) <= skip:
        return
    at = call.callee if isinstance(call, ast.Call) else call.name
    shapes = [infer(arg.value, env, scope, report) for arg in call.args]
    Matching(at, callee, scope, report, code=code, skip=skip).check(call.args, shapes)


# --- literals and names -----------------------------------------------------------------------------------


def _text(node: ast.Text, env: Env, scope: Scope, report: Report) -> Shape:
    plain = node.plain
    if plain is not None:
        check_braces(node, env, report)
        return _TEXT if node.block or len(plain) > _LONGEST_LITERAL else Literal(plain)
    check_template(node, env, scope, report)
    return _TEXT


def _number(node: ast.Number, env: Env, scope: Scope, report: Report) -> Shape:
    return _INT if node.text.isdigit() else _FLOAT


def _name(node: ast.Name, env: Env, scope: Scope, report: Report) -> Shape:
    name = node.id
    shape = env.names.get(name)
    if shape is not None:
        return shape
    absent = env.absent.get(name)
    if absent is not None:
        report.add(absent.code, node, absent.message, label="not here", help=absent.help)
        return _UNKNOWN
    found = scope.find(name)
    if isinstance(found, ConstantSurface):
        return found.shape
    if found is None:
        guess = nearest(name, scope, frozenset({"constant"}), env.names)
        report_unknown(report, node, name, guess, help=WORDS.get(name) or _known_names(env))
    else:
        report_no_value(node, name, found, report)
    return _UNKNOWN


def _known_names(env: Env) -> str:
    names = list(env.names)
    if not names:
        return "Declare it with `let`, or put a text in quotes."
    return f"Known here: {listed(ticked(names[:MOST_LISTED]))}."


# --- access -----------------------------------------------------------------------------------------------


def _field(node: ast.Field, env: Env, scope: Scope, report: Report) -> Shape:
    if env.paths:
        path = dotted(node)
        known = None if path is None else env.field(path)
        if known is not None:
            return known
    target, name = infer(node.target, env, scope, report), node.name.text
    shape = record_field(target, name, scope)
    if shape is None:
        target = resolve(target, scope)
        shape = field_of(target, name, scope)
    if shape is not None:
        return shape
    fields = fields_of(target, scope)
    if fields is None:
        return target if isinstance(target, Json | Null) else _UNKNOWN
    report_no_field(node, target, tuple(fields), scope, report)
    return _UNKNOWN


def _index(node: ast.Index, env: Env, scope: Scope, report: Report) -> Shape:
    target = resolve(infer(node.target, env, scope, report), scope)
    index = resolve(infer(node.index, env, scope, report), scope)
    return index_shape(node, target, index, scope, report)


# --- calls ------------------------------------------------------------------------------------------------


def _call(node: ast.Call, env: Env, scope: Scope, report: Report) -> Shape:
    name = node.callee.text
    function = env.functions.get(name) or FUNCTIONS.get(name)
    if function is not None and env.calls_allowed and isinstance(scope.find(name), CallableSurface):
        # What a file declares counts before a built-in function of the same name.
        function = None
    if function is not None and (name not in env.names):
        given = [
            _UNKNOWN
            if function.by_name and _takes_name(function, index)
            else infer(arg.value, env, scope, report)
            for index, arg in enumerate(node.args)
        ]
        return function_shape(function, node, given, scope, report)
    head, _, member = name.partition(".")
    callee = scope.find(head) if head not in env.names else None
    if not isinstance(callee, CallableSurface):
        report_not_callable(node, callee, env, scope, report)
        return _UNKNOWN if name in ELSEWHERE else _infer_arguments(node, env, scope, report)
    if not env.calls_allowed:
        report_hidden_call(node, callee, env, report)
        return _infer_arguments(node, env, scope, report)
    if member or callee.functions:
        _infer_arguments(node, env, scope, report)
        check_member(node, callee, member, report)
        return Json()
    check_arguments(node, callee, env, scope, report, code="flow.wrong-arguments")
    return answered(callee.result, scope) if callee.kind in ("agent", "flow", "tool") else callee.result


def _takes_name(function: Function, index: int) -> bool:
    return index < len(function.params) and function.params[index].takes in NAMES


def _infer_arguments(node: ast.Call, env: Env, scope: Scope, report: Report) -> Shape:
    for arg in node.args:
        infer(arg.value, env, scope, report)
    return _UNKNOWN


# --- operators --------------------------------------------------------------------------------------------


def _unary(node: ast.Unary, env: Env, scope: Scope, report: Report) -> Shape:
    if node.op == "not":
        check_condition(node.operand, env, scope, report)
        return _BOOL
    shape = resolve(infer(node.operand, env, scope, report), scope)
    if not may_be_number(shape):
        report_shape(report, node.operand, "`-` takes a number", shape, number_help(shape))
        return _UNKNOWN
    return shape


def _binary(node: ast.Binary, env: Env, scope: Scope, report: Report) -> Shape:
    if node.op in ("and", "or"):
        return _logic(node, env, scope, report)
    left = infer(node.left, env, scope, report)
    right = infer(node.right, env, scope, report)
    return binary_shape(node, left, right, scope, report)


def _logic(node: ast.Binary, env: Env, scope: Scope, report: Report) -> Shape:
    """A chain of `and` or `or`, walked in a loop: it may be thousands long. Each test may rely on those
    before."""
    chain: list[ast.Expr] = [node.right]
    first: ast.Expr = node.left
    while isinstance(first, ast.Binary) and first.op == node.op:
        chain.append(first.right)
        first = first.left
    chain.append(first)
    known = env
    for part in reversed(chain):
        check_condition(part, known, scope, report)
        holds, fails = narrowed(part, known, scope)
        known = holds if node.op == "and" else fails
    return _BOOL


def _is(node: ast.Is, env: Env, scope: Scope, report: Report) -> Shape:
    shape = resolve(infer(node.operand, env, scope, report), scope)
    if isinstance(node.operand, ast.Name) and node.operand.id == "variant" and env.judged:
        shape = resolve(env.shape(env.judged[0]), scope)
    check_type_test(node, shape, scope, report)
    return _BOOL


def _if(node: ast.IfExpr, env: Env, scope: Scope, report: Report) -> Shape:
    check_condition(node.condition, env, scope, report)
    holds, fails = narrowed(node.condition, env, scope)
    then = infer(node.then, holds, scope, report)
    return join(then, infer(node.otherwise, fails, scope, report), scope)


# --- lists and objects ------------------------------------------------------------------------------------


def _item_of(source: ast.Expr, what: str, env: Env, scope: Scope, report: Report) -> Shape:
    """The shape of the items of what is gone through."""
    shape = resolve(infer(source, env, scope, report), scope)
    return item_shape(source, what, shape, scope, report)


def _quantified(node: ast.Quantified, env: Env, scope: Scope, report: Report) -> Shape:
    item = _item_of(node.source, f"`{node.kind}`", env, scope, report)
    check_condition(node.body, env.bind(node.name.text, item), scope, report)
    return _BOOL


def _comprehension(node: ast.Comprehension, env: Env, scope: Scope, report: Report) -> Shape:
    inner = env.bind(node.name.text, _item_of(node.source, "`for`", env, scope, report))
    if node.condition is not None:
        check_condition(node.condition, inner, scope, report)
        inner = narrowed(node.condition, inner, scope)[0]
    return ListOf(infer(node.body, inner, scope, report))


def _list(node: ast.ListExpr, env: Env, scope: Scope, report: Report) -> Shape:
    item: Shape | None = None
    for part in node.items:
        shape = infer(part, env, scope, report)
        item = shape if item is None else join(item, shape, scope)
        if isinstance(item, Union) and len(item.options) > MOST_LISTED:
            item = _TEXT if all(isinstance(option, Literal) for option in item.options) else item
    return ListOf(_UNKNOWN if item is None else item)


def _object(node: ast.Object, env: Env, scope: Scope, report: Report) -> Shape:
    fields: dict[str, Shape] = {}
    keys: dict[str, ast.Ident] = {}
    for pair in node.pairs:
        shape = infer(pair.value, env, scope, report)
        first = keys.setdefault(pair.key.text, pair.key)
        if first is not pair.key:
            report.add(
                "name.duplicate",
                pair.key,
                f"The key `{pair.key.text}` stands twice in one object",
                label="again",
                labels=(Label(first.start, first.end, "the first one"),),
                help="Remove one of the two.",
            )
        fields[pair.key.text] = shape
    return Object("an object", tuple(fields.items()))


def _fixed(shape: Shape) -> Callable[..., Shape]:
    return lambda node, env, scope, report: shape


_INFER: dict[type, Callable[[Any, Env, Scope, Report], Shape]] = {
    ast.Null: _fixed(Null()),
    ast.Bool: _fixed(_BOOL),
    ast.Number: _number,
    ast.Money: _fixed(Money()),
    ast.Duration: _fixed(Duration()),
    ast.Text: _text,
    ast.Name: _name,
    ast.Field: _field,
    ast.Index: _index,
    ast.Call: _call,
    ast.Unary: _unary,
    ast.Binary: _binary,
    ast.Is: _is,
    ast.IfExpr: _if,
    ast.Quantified: _quantified,
    ast.ListExpr: _list,
    ast.Comprehension: _comprehension,
    ast.Object: _object,
}

__all__ = [
    "Absent",
    "Env",
    "check_arguments",
    "check_condition",
    "check_template",
    "infer",
    "is_condition",
    "narrowed",
    "nullable",
]
