"""What a condition tells about names where it holds, and where it does not."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from .. import ast
from ..shapes import Null, Nullable, Object, Record, Shape, Union, Unknown, Variant
from .base import Scope
from .builtins import ATTEMPT
from .env import Env
from .fit import extends, options_of, resolve, union, without_null
from .surface import dotted

ShapeOf = Callable[[ast.Expr, Env], Shape]


def narrow(condition: ast.Expr, env: Env, scope: Scope, shape_of: ShapeOf) -> tuple[Env, Env]:
    """The environments in which a condition holds and does not hold. `shape_of` gives an expression's
    shape."""
    rule = _RULES.get(type(condition))
    return (env, env) if rule is None else rule(condition, env, scope, shape_of)


def _not(condition: ast.Unary, env: Env, scope: Scope, shape_of: ShapeOf) -> tuple[Env, Env]:
    if condition.op != "not":
        return env, env
    holds, fails = narrow(condition.operand, env, scope, shape_of)
    return fails, holds


def _binary(condition: ast.Binary, env: Env, scope: Scope, shape_of: ShapeOf) -> tuple[Env, Env]:
    op, left, right = condition.op, condition.left, condition.right
    if op == "and":
        holds, _ = narrow(left, env, scope, shape_of)
        return narrow(right, holds, scope, shape_of)[0], env
    if op == "or":
        _, fails = narrow(left, env, scope, shape_of)
        return env, narrow(right, fails, scope, shape_of)[1]
    if op in ("==", "!=") and (type(left) is ast.Null or type(right) is ast.Null):
        absent, present = _of_null(right if type(left) is ast.Null else left, env, scope, shape_of)
        return (absent, present) if op == "==" else (present, absent)
    return env, env


def _is(condition: ast.Is, env: Env, scope: Scope, shape_of: ShapeOf) -> tuple[Env, Env]:
    holds, fails = _of_type(condition.operand, condition.type.text, env, scope, shape_of)
    return (fails, holds) if condition.negated else (holds, fails)


def _field(condition: ast.Field, env: Env, scope: Scope, shape_of: ShapeOf) -> tuple[Env, Env]:
    if condition.name.text != "ok":
        return env, env
    return _of_attempt(condition.target, env, scope, shape_of)


def _of_attempt(operand: ast.Expr, env: Env, scope: Scope, shape_of: ShapeOf) -> tuple[Env, Env]:
    """The outcome of a `try`: a success has its value, a failure its code and reason."""
    path = dotted(operand)
    known = resolve(shape_of(operand, env), scope) if path is not None else None
    if path is None or not isinstance(known, Object) or known.what != ATTEMPT:
        return env, env
    shapes = {name: without_null(shape) for name, shape in known.fields}
    fails = env.narrow(f"{path}.code", shapes["code"]).narrow(f"{path}.reason", shapes["reason"])
    return env.narrow(f"{path}.value", shapes["value"]), fails


def _of_null(operand: ast.Expr, env: Env, scope: Scope, shape_of: ShapeOf) -> tuple[Env, Env]:
    path = dotted(operand)
    if path is None:
        return env, env
    known = resolve(shape_of(operand, env), scope)
    if not isinstance(known, Nullable):
        return env, env
    return env.narrow(path, Null()), env.narrow(path, known.item)


def _of_type(operand: ast.Expr, wanted: str, env: Env, scope: Scope, shape_of: ShapeOf) -> tuple[Env, Env]:
    path = dotted(operand)
    if path is None:
        return env, env
    paths = env.judged if path == "variant" and env.judged else (path,)
    holds = fails = env
    for each in paths:
        shape = env.shape(each) if len(paths) > 1 or path == "variant" else shape_of(operand, env)
        known = resolve(shape, scope)
        holds = holds.narrow(each, only(known, wanted, scope))
        fails = fails.narrow(each, without(known, wanted, scope))
    return holds, fails


def only(shape: Shape, wanted: str, scope: Scope) -> Shape:
    """What is left of a shape where it is of a type."""
    known = without_null(shape)
    names = tuple(
        option.name
        for option in options_of(known)
        if isinstance(option, Record) and extends(option.name, wanted, scope)
    )
    if not names or wanted in names:
        names = names or (wanted,)
    if isinstance(known, Variant):
        return Variant(names)
    return union(iter([Record(name) for name in names]))


def without(shape: Shape, wanted: str, scope: Scope) -> Shape:
    """What is left of a shape where it is not of a type."""
    if isinstance(shape, Nullable):
        rest = without(shape.item, wanted, scope)
        return rest if isinstance(rest, Unknown) else Nullable(rest)
    if not isinstance(shape, Union | Variant):
        return shape
    left = [
        option
        for option in options_of(shape)
        if not (isinstance(option, Record) and extends(option.name, wanted, scope))
    ]
    if not left:
        return Unknown()
    if isinstance(shape, Variant):
        return Variant(tuple(option.name for option in left if isinstance(option, Record)))
    return union(iter(left))


_RULES: dict[type, Callable[[Any, Env, Scope, ShapeOf], tuple[Env, Env]]] = {
    ast.Unary: _not,
    ast.Binary: _binary,
    ast.Is: _is,
    ast.Field: _field,
}
