"""Which value fits where, what several values have in common, and what a value's fields are."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from ..shapes import (
    Bool,
    Float,
    Int,
    Json,
    ListOf,
    Literal,
    Null,
    Nullable,
    Object,
    Record,
    Shape,
    Text,
    TypeInfo,
    Union,
    Unknown,
    Variant,
)
from .base import Scope, TypeSurface

_DEEPEST = 32
_UNKNOWN = Unknown()
# No shape's class has a subclass: on the paths of every key, classes are looked up instead of asked for instances.
_WITH_NAMES = frozenset((Record, ListOf, Nullable, Union))
"""Shapes that may have the names of types in them."""
_ANYTHING = frozenset((Unknown, Json))
"""What a value of these shapes is, no text tells."""
_MAYBE_NULL = frozenset((Nullable, Null, Unknown, Json))
_SEVERAL = frozenset((Union, Variant))
_PLAIN: dict[type, frozenset[type]] = {
    Text: frozenset((Text, Literal)),
    Float: frozenset((Int, Float)),
    Literal: frozenset(),
    Null: frozenset(),
}
"""The shapes that fit where one of these is wanted, beside the very same shape."""
_WORDS: dict[type, str] = {
    Text: "text",
    Int: "int",
    Float: "float",
    Bool: "bool",
    Json: "json",
    Null: "null",
    Unknown: "anything",
}


def resolve(shape: Shape, scope: Scope) -> Shape:
    """The shape with every alias replaced. A name that is no type, or that only leads back to itself, is
    `Unknown`: it is reported where it stands."""
    return _resolve(shape, scope, 0) if type(shape) in _WITH_NAMES else shape


def _resolve(shape: Shape, scope: Scope, depth: int) -> Shape:
    kind = type(shape)
    if kind is Record:
        found = scope.find(shape.name)  # type: ignore[union-attr]
        if type(found) is not TypeSurface or depth > _DEEPEST:
            return _UNKNOWN
        return shape if found.alias is None else _resolve(found.alias, scope, depth + 1)
    if kind is ListOf:
        assert isinstance(shape, ListOf)
        item = _resolve(shape.item, scope, depth)
        return shape if item is shape.item else ListOf(item, shape.low, shape.high)
    if kind is Nullable:
        assert isinstance(shape, Nullable)
        return nullable(_resolve(shape.item, scope, depth))
    if kind is Union:
        assert isinstance(shape, Union)
        return union(_resolve(option, scope, depth) for option in shape.options)
    return shape


def nullable(shape: Shape) -> Shape:
    """The shape, or null."""
    return shape if type(shape) in _MAYBE_NULL else Nullable(shape)


def without_null(shape: Shape) -> Shape:
    return shape.item if type(shape) is Nullable else shape


def union(options: Iterator[Shape]) -> Shape:
    """One of several shapes, flat and without repetitions."""
    found: dict[Shape, None] = {}
    for option in options:
        if isinstance(option, Unknown):
            return option
        for inner in option.options if isinstance(option, Union) else (option,):
            found[inner] = None
    return next(iter(found)) if len(found) == 1 else Union(tuple(found))


def options_of(shape: Shape) -> tuple[Shape, ...]:
    """What a resolved shape may be, one by one."""
    if isinstance(shape, Union):
        return shape.options
    if isinstance(shape, Variant):
        return tuple(Record(option) for option in shape.options)
    return (shape,)


def answered(shape: Shape, scope: Scope) -> Shape:
    """A shape as what answers, or is judged, carries it: the items of a list of unions are tagged."""
    known = resolve(shape, scope)
    if type(known) is ListOf and type(known.item) is Union:
        names = tuple(option.name for option in known.item.options if isinstance(option, Record))
        if len(names) == len(known.item.options):
            return ListOf(Variant(names), known.low, known.high)
    return known


def element(shape: Shape) -> Shape | None:
    """The shape of a list's items, None for what is no list. Null counts as an empty list."""
    known = without_null(shape)
    if type(known) is ListOf:
        return known.item
    return known if type(known) in _ANYTHING else None


# --- types ------------------------------------------------------------------------------------------------


def record_of(name: str, scope: Scope) -> TypeInfo | None:
    found = scope.find(name)
    return found.info if type(found) is TypeSurface else None


def extends(name: str, base: str, scope: Scope) -> bool:
    """Whether a type is the other, or extends it at some distance."""
    for _ in range(_DEEPEST):
        if name == base:
            return True
        info = record_of(name, scope)
        if info is None or info.extends is None:
            return False
        name = info.extends
    return False


def lineage(name: str, scope: Scope) -> Iterator[TypeInfo]:
    """A type and what it extends, as far as they are declared, each once."""
    seen: set[str] = set()
    current: str | None = name
    while current is not None and current not in seen:
        seen.add(current)
        info = record_of(current, scope)
        if info is None:
            return
        yield info
        current = info.extends


def record_fields(name: str, scope: Scope) -> Mapping[str, Shape]:
    """A type's fields by name, inherited ones included; optional ones may be null."""
    fields: dict[str, Shape] = {}
    for info in lineage(name, scope):
        for field in info.fields:
            if field.name not in fields:
                fields[field.name] = nullable(field.shape) if field.optional else field.shape
    return fields


def field_of(shape: Shape, name: str, scope: Scope) -> Shape | None:
    """One of a resolved shape's fields, as `fields_of` gives it; None where it has no such field, or where the
    text does not tell."""
    if type(shape) is Nullable:
        found = field_of(shape.item, name, scope)
        return None if found is None else nullable(found)
    if type(shape) is Record:
        return record_field(shape, name, scope)
    if type(shape) is Object:
        return next((inner for field, inner in shape.fields if field == name), None)
    fields = fields_of(shape, scope)
    return None if fields is None else fields.get(name)


def record_field(shape: Shape, name: str, scope: Scope) -> Shape | None:
    """A field of a type that is no alias, its own or an inherited one; None where there is none."""
    for info in lineage(shape.name, scope) if type(shape) is Record else ():
        for field in info.fields:
            if field.name == name:
                return nullable(field.shape) if field.optional else field.shape
    return None


def fields_of(shape: Shape, scope: Scope) -> Mapping[str, Shape] | None:
    """The fields that a value of this resolved shape certainly has; None where the text does not tell."""
    if isinstance(shape, Nullable):
        inner = fields_of(shape.item, scope)
        return None if inner is None else {name: nullable(field) for name, field in inner.items()}
    if type(shape) in _ANYTHING or isinstance(shape, Null):
        return None
    if isinstance(shape, Object):
        return dict(shape.fields)
    if isinstance(shape, Record):
        return record_fields(shape.name, scope)
    if isinstance(shape, Variant):
        names = union(iter([Literal(option) for option in shape.options]))
        return {"variant": names, "value": union(iter([Record(option) for option in shape.options]))}
    if isinstance(shape, Union):
        return _common_fields(shape, scope)
    return {}


def _common_fields(shape: Union, scope: Scope) -> Mapping[str, Shape] | None:
    found = [fields_of(option, scope) for option in shape.options]
    known = [fields for fields in found if fields is not None]
    if len(known) < len(found):
        return None
    common = dict(known[0])
    for fields in known[1:]:
        common = {name: join(one, fields[name], scope) for name, one in common.items() if name in fields}
    return common


# --- fitting ----------------------------------------------------------------------------------------------


def fits(value: Shape, wanted: Shape, scope: Scope) -> bool:
    """Whether a value of one shape may stand where the other is wanted. Bounds are looked at when there is
    a value; what the text does not tell fits everywhere."""
    if value == wanted:
        return True
    return _fits(resolve(value, scope), resolve(wanted, scope), scope)


def _fits(value: Shape, wanted: Shape, scope: Scope) -> bool:
    if value == wanted or type(value) in _ANYTHING or type(wanted) in _ANYTHING:
        return True
    if type(wanted) is Nullable:
        return type(value) is Null or _fits(without_null(value), wanted.item, scope)
    if type(value) in _SEVERAL:
        return all(_fits(option, wanted, scope) for option in options_of(value))
    if type(wanted) in _SEVERAL:
        return any(_fits(value, option, scope) for option in options_of(wanted))
    return _fits_one(value, wanted, scope)


def _fits_one(value: Shape, wanted: Shape, scope: Scope) -> bool:
    plain = _PLAIN.get(type(wanted))
    if plain is not None:
        return type(value) in plain
    if type(wanted) is Record:
        if type(value) is Record:
            return extends(value.name, wanted.name, scope)
        return type(value) is Object and _is_record(value, wanted.name, scope)
    if type(wanted) is ListOf:
        return type(value) is ListOf and fits(value.item, wanted.item, scope)
    if type(wanted) is Object:
        return type(value) is Object and value.what == wanted.what
    return type(value) is type(wanted)


def _is_record(value: Object, name: str, scope: Scope) -> bool:
    """Whether an object as written has a type's fields and no others."""
    wanted = record_fields(name, scope)
    given = dict(value.fields)
    if not given.keys() <= wanted.keys():
        return False
    return all(
        fits(given[field], shape, scope)
        if field in given
        else isinstance(shape, Nullable) or type(shape) in _ANYTHING
        for field, shape in wanted.items()
    )


def join(a: Shape, b: Shape, scope: Scope) -> Shape:
    """The shape of what is one or the other: `if … then a else b`, or a name bound on two paths."""
    if a == b:
        return a
    a, b = resolve(a, scope), resolve(b, scope)
    if type(a) is Null or type(b) is Null:
        return nullable(b if type(a) is Null else a)
    if type(a) is Nullable or type(b) is Nullable:
        return nullable(join(without_null(a), without_null(b), scope))
    if type(a) in _ANYTHING or type(b) in _ANYTHING:
        return _UNKNOWN if type(a) is Unknown or type(b) is Unknown else Json()
    if type(a) is ListOf and type(b) is ListOf:
        return ListOf(_join_items(a.item, b.item, scope))
    if type(a) is Variant and type(b) is Variant:
        return Variant(tuple(dict.fromkeys((*a.options, *b.options))))
    if _fits(a, b, scope):
        return b
    if _fits(b, a, scope):
        return a
    if type(a) is Object and type(b) is Object:
        return _join_objects(a, b, scope)
    return union(iter((a, b)))


def _join_items(a: Shape, b: Shape, scope: Scope) -> Shape:
    """An empty list's items say nothing about the other's."""
    if isinstance(a, Unknown):
        return b
    return a if isinstance(b, Unknown) else join(a, b, scope)


def _join_objects(a: Object, b: Object, scope: Scope) -> Shape:
    if a.what != b.what:
        return _UNKNOWN
    other = dict(b.fields)
    return Object(
        a.what,
        tuple((name, join(shape, other[name], scope)) for name, shape in a.fields if name in other),
    )


# --- words ------------------------------------------------------------------------------------------------


def describe(shape: Shape) -> str:
    """A shape as a user writes it (`JobReport[]`, `Offer | Refusal`, `text?`), or in words where nobody
    writes it."""
    word = _WORDS.get(type(shape))
    if word is not None:
        return word
    if isinstance(shape, Record):
        return shape.name
    if isinstance(shape, Literal):
        return f'"{shape.value}"'
    if isinstance(shape, ListOf):
        item = describe(shape.item)
        plural = isinstance(shape.item, Union | Nullable | Object) or " " in item
        return f"({item})[]" if plural else f"{item}[]"
    if isinstance(shape, Nullable):
        item = describe(shape.item)
        return f"({item})?" if " " in item else f"{item}?"
    if isinstance(shape, Union):
        return " | ".join(describe(option) for option in shape.options)
    if isinstance(shape, Variant):
        return " | ".join(shape.options)
    if isinstance(shape, Object):
        return shape.what
    return "money" if type(shape).__name__ == "Money" else "a duration"
