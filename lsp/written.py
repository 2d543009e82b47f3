"""Names in values that are written out: the fields of an object that stands for a declared type, and what a test lets
others answer. What a key or a text means there follows from the shape that is wanted."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from typing import NamedTuple

from ..dsl import ast
from ..dsl.check.base import CallableSurface, Scope
from ..dsl.check.fit import lineage, options_of, record_fields, resolve, without_null
from ..dsl.check.scripted_values import misfit, tagged
from ..dsl.check.scripts import one_by_one, tool_call_of
from ..dsl.shapes import ListOf, Record, Shape
from .occurrences import Occurrence, Target, declared
from .tree import walk


class Filled(NamedTuple):
    """An object that stands for a value of a declared type."""

    value: ast.Object
    record: str


def names_written(node: ast.Declaration, scope: Scope) -> Iterator[Occurrence]:
    """The names in the values that a test or a flow writes out, in a declaration's offsets."""
    for one in _written(node, scope):
        if isinstance(one, Occurrence):
            yield one
            continue
        for pair in one.value.pairs:
            owner = owner_of(one.record, pair.key.text, scope)
            if owner is not None:
                yield key_of(pair, Target("field", owner, pair.key.text))


def filled_at(node: ast.Declaration, scope: Scope, key: ast.Node) -> Filled | None:
    """The object that a key belongs to, where it stands for a value of a declared type."""
    filled = (one for one in _written(node, scope) if isinstance(one, Filled))
    return next((one for one in filled if any(pair.key is key for pair in one.value.pairs)), None)


def _written(node: ast.Declaration, scope: Scope) -> Iterator[Occurrence | Filled]:
    if isinstance(node, ast.Test):
        yield from _tested(node, scope)
    elif isinstance(node, ast.Flow):
        yield from _done(node, scope)


def _done(node: ast.Flow, scope: Scope) -> Iterator[Occurrence | Filled]:
    answer = scope.find(node.name.text)
    for part in walk(node):
        if isinstance(part, ast.Call):
            yield from _arguments(part, scope)
        elif isinstance(part, ast.Return) and isinstance(answer, CallableSurface):
            yield from _value(part.value, answer.result, scope)


def _tested(node: ast.Test, scope: Scope) -> Iterator[Occurrence | Filled]:
    if node.given is not None:
        yield from _named(node.given, _params(node.flow.text, scope), scope)
    for script in node.scripts:
        found = scope.find(script.name.text)
        if isinstance(found, CallableSurface):
            for answer in one_by_one(script.value) if script.verb != "returns" else (script.value,):
                yield from _scripted(answer, script.verb, found, scope)


def _scripted(
    answer: ast.Expr, verb: str, found: CallableSurface, scope: Scope
) -> Iterator[Occurrence | Filled]:
    call = tool_call_of(answer) if found.kind == "agent" else None
    if call is not None:
        yield from _tool_call(call, scope)
    elif verb == "decides":
        yield from _decided(answer, found)
    else:
        yield from _value(answer, found.result, scope)


def _arguments(call: ast.Call, scope: Scope) -> Iterator[Occurrence | Filled]:
    params = _params(call.callee.text, scope)
    for place, arg in zip(params.values(), call.args, strict=False):
        wanted = place if arg.name is None else params.get(arg.name.text)
        if wanted is not None:
            yield from _value(arg.value, wanted, scope)


def _params(name: str, scope: Scope) -> dict[str, Shape]:
    found = scope.find(name)
    return {param.name: param.shape for param in found.params} if isinstance(found, CallableSurface) else {}


def _named(given: ast.Object, shapes: Mapping[str, Shape], scope: Scope) -> Iterator[Occurrence | Filled]:
    for pair in given.pairs:
        wanted = shapes.get(pair.key.text)
        if wanted is not None:
            yield from _value(pair.value, wanted, scope)


def _tool_call(call: dict[str, ast.Expr], scope: Scope) -> Iterator[Occurrence | Filled]:
    """`{ call: "get_order", input: { … } }`."""
    name, given = call["call"], call.get("input")
    tool = name.plain.partition(".")[0] if isinstance(name, ast.Text) and name.plain else ""
    if isinstance(name, ast.Text) and isinstance(scope.find(tool), CallableSurface):
        yield _quoted(name, declared(tool))
        if isinstance(given, ast.Object):
            for pair in given.pairs:
                yield key_of(pair, Target("param", tool, pair.key.text))
            yield from _named(given, _params(tool, scope), scope)


def _decided(answer: ast.Expr, found: CallableSurface) -> Iterator[Occurrence]:
    if found.kind == "choice":
        yield from _chosen(answer, found.name)
    elif found.kind == "judge" and isinstance(answer, ast.Object):
        for pair in answer.pairs:
            yield key_of(pair, Target("question", found.name, pair.key.text))


def _chosen(answer: ast.Expr, owner: str) -> Iterator[Occurrence]:
    """An option in quotes, or a share for each."""
    if isinstance(answer, ast.Text) and answer.plain:
        yield _quoted(answer, Target("option", owner, answer.plain))
    elif isinstance(answer, ast.Object):
        for pair in answer.pairs:
            yield key_of(pair, Target("option", owner, pair.key.text))


def _value(value: ast.Expr, wanted: Shape, scope: Scope) -> Iterator[Occurrence | Filled]:
    """The fields in a value that has to be of a shape; of several types that which it fits best."""
    if not isinstance(value, ast.Object | ast.ListExpr):
        return
    shape = without_null(resolve(wanted, scope))
    if isinstance(value, ast.ListExpr):
        if isinstance(shape, ListOf):
            for item in value.items:
                yield from _value(item, shape.item, scope)
        return
    options = [option for each in options_of(shape) if isinstance(option := resolve(each, scope), Record)]
    name, inner = (len(options) > 1 and tagged(value)) or (None, None)
    if name is not None and name.plain and inner is not None:
        yield _quoted(name, declared(name.plain))
        yield from _value(inner, Record(name.plain), scope)
    elif options:
        record = min(options, key=lambda option: misfit(value, option, scope))
        yield Filled(value, record.name)
        yield from _named(value, record_fields(record.name, scope), scope)


def owner_of(record: str, field: str, scope: Scope) -> str | None:
    """The type that declares a field of a record: itself, or one that it extends."""
    for info in lineage(record, scope):
        if any(one.name == field for one in info.fields):
            return info.name
    return None


def key_of(pair: ast.Pair, target: Target) -> Occurrence:
    """The key of an object, which may stand in quotes."""
    start = pair.key.start + (pair.key.end - pair.key.start - len(target.name)) // 2
    return Occurrence(start, start + len(target.name), target)


def _quoted(text: ast.Text, target: Target) -> Occurrence:
    start = text.start + (2 if text.raw else 1)
    return Occurrence(start, start + len(target.name), target)
