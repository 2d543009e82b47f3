"""The values of a flow's names along its paths.

A `State` is what is known at one point of a flow. Where paths meet, a name that has a value on each of them
has one after; a name that has a value on some of them only is remembered in `partial`, so that its use is
`flow.unbound` and not an unknown name."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

from msgspec.structs import replace

from .. import ast
from ..shapes import Shape, Unknown
from .base import Scope
from .env import Env
from .fit import join

_UNKNOWN = Unknown()


class State:
    """`env` knows the names' shapes. `bound` are those that the flow certainly gave a value, parameters
    included; `partial` are those that have one on some paths only, each with the identifier that binds it."""

    __slots__ = ("bound", "env", "partial")

    def __init__(self, env: Env, bound: frozenset[str], partial: Mapping[str, ast.Ident]) -> None:
        self.env = env
        self.bound = bound
        self.partial = partial

    def bind(self, name: str, shape: Shape) -> State:
        partial = {other: at for other, at in self.partial.items() if other != name}
        return State(self.env.bind(name, shape), self.bound | {name}, partial)

    def narrowed_to(self, env: Env) -> State:
        """The same names, known better."""
        return State(env, self.bound, self.partial)


def meet(states: Sequence[State], base: Env, bound_at: Mapping[str, ast.Ident], scope: Scope) -> State:
    """What is known where several paths meet; there is at least one. `base` holds what does not change along
    them, and `bound_at` says where each name gets its value. Names that only a branch knows (`decision`) are
    gone."""
    bound = frozenset.intersection(*(state.bound for state in states))
    partial = {name: at for state in states for name, at in state.partial.items() if name not in bound}
    for name in frozenset.union(*(state.bound for state in states)) - bound:
        partial.setdefault(name, bound_at[name])
    names = {**base.names, **dict.fromkeys(partial, _UNKNOWN)}
    for name in bound:
        first, *others = (state.env.shape(name) for state in states)
        for other in others:
            first = first if first == other else join(first, other, scope)
        names[name] = first
    first_paths, *other_paths = (state.env.paths for state in states)
    paths = {
        path: shape
        for path, shape in first_paths.items()
        if all(found.get(path) == shape for found in other_paths)
    }
    return State(replace(base, names=names, paths=paths), bound, partial)


def bindings(body: Sequence[ast.Statement]) -> Iterator[ast.Ident]:
    """Every name that a block binds, in order, nested blocks included."""
    for statement in body:
        match statement:
            case ast.Bind(name=name):
                yield name
            case ast.Parallel(tasks=tasks):
                yield from (task.name for task in tasks if isinstance(task, ast.Bind))
            case _:
                for block in blocks(statement):
                    yield from bindings(block.body)


def blocks(statement: ast.Statement) -> Iterator[ast.Block]:
    match statement:
        case ast.If(then=then, uncertain=uncertain, otherwise=otherwise):
            yield then
            if uncertain is not None:
                yield uncertain.block
            if isinstance(otherwise, ast.If):
                yield from blocks(otherwise)
            elif otherwise is not None:
                yield otherwise
        case ast.Switch(cases=cases, uncertain=uncertain):
            yield from (case.block for case in cases)
            if uncertain is not None:
                yield uncertain.block
        case ast.Loop(body=body, otherwise=otherwise):
            yield body
            if otherwise is not None:
                yield otherwise
        case ast.WithContext(body=body):
            yield body


def mentioned(expr: ast.Expr, hidden: frozenset[str] = frozenset()) -> Iterator[ast.Name]:
    """The names that an expression reads from around it, those that it binds itself left out."""
    match expr:
        case ast.Name(id=name):
            if name not in hidden:
                yield expr
        case ast.Quantified(name=name, source=source, body=body):
            yield from mentioned(source, hidden)
            yield from mentioned(body, hidden | {name.text})
        case ast.Comprehension(name=name, source=source, body=body, condition=condition):
            yield from mentioned(source, hidden)
            yield from mentioned(body, hidden | {name.text})
            if condition is not None:
                yield from mentioned(condition, hidden | {name.text})
        case _:
            for part in parts_of(expr):
                yield from mentioned(part, hidden)


def parts_of(expr: ast.Expr) -> Iterator[ast.Expr]:
    """The expressions right inside an expression that binds no name."""
    match expr:
        case ast.Name():
            return
        case ast.Text(parts=parts):
            yield from (part for part in parts if not isinstance(part, str))
        case ast.Field(target=target):
            yield target
        case ast.Index(target=target, index=index):
            yield from (target, index)
        case ast.Call(args=args):
            yield from (arg.value for arg in args)
        case ast.Unary(operand=operand) | ast.Is(operand=operand):
            yield operand
        case ast.Binary(left=left, right=right):
            yield from (left, right)
        case ast.IfExpr(condition=condition, then=then, otherwise=otherwise):
            yield from (condition, then, otherwise)
        case ast.ListExpr(items=items):
            yield from items
        case ast.Object(pairs=pairs):
            yield from (pair.value for pair in pairs)
