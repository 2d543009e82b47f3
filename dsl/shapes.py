"""Shapes: what a value may be. Plain data, shared by the checker, the Plan, answer tools and scorers.

`Record` names a declared type; its fields stand in a `TypeInfo`. `Object` is a structure of the language itself
(a decision, a gate's value, a tool call). `Unknown` is the shape of what the text does not tell: it fits everything.
"""

from __future__ import annotations

from typing import Literal as Lit

import msgspec


class ShapeBase(msgspec.Struct, frozen=True, tag_field="shape", gc=False):
    pass


class Text(ShapeBase, tag="text"):
    """Bounds count Unicode code points, both ends included."""

    low: int | None = None
    high: int | None = None


class Int(ShapeBase, tag="int"):
    low: int | None = None
    high: int | None = None


class Float(ShapeBase, tag="float"):
    """Also takes whole numbers. Bounds are decimal texts, compared exactly."""

    low: str | None = None
    high: str | None = None


class Bool(ShapeBase, tag="bool"):
    pass


class Json(ShapeBase, tag="json"):
    """Any JSON value; fields of it are not checked."""


class Literal(ShapeBase, tag="literal"):
    value: str


class Record(ShapeBase, tag="record"):
    name: str


class ListOf(ShapeBase, tag="list"):
    item: Shape
    low: int | None = None
    high: int | None = None


class Union(ShapeBase, tag="union"):
    options: tuple[Shape, ...]


class Nullable(ShapeBase, tag="nullable"):
    """The item, or null: an optional field or parameter."""

    item: Shape


class Null(ShapeBase, tag="null"):
    pass


class Variant(ShapeBase, tag="variant"):
    """One item `{ variant, value }` of a list of unions; `item is Offer` narrows it."""

    options: tuple[str, ...]


class Object(ShapeBase, tag="object"):
    """`what` says what it is in words ("a gate's value")."""

    what: str
    fields: tuple[tuple[str, Shape], ...]


class Money(ShapeBase, tag="money"):
    pass


class Duration(ShapeBase, tag="duration"):
    pass


class Unknown(ShapeBase, tag="unknown"):
    pass


Shape = (
    Text | Int | Float | Bool | Json | Literal | Record | ListOf | Union | Nullable | Null | Variant | Object | Money
    | Duration | Unknown
)  # fmt: skip


class FieldInfo(msgspec.Struct, frozen=True):
    name: str
    shape: Shape
    """Without the `?`: `optional` says it."""
    optional: bool = False
    description: str | None = None


class TypeInfo(msgspec.Struct, frozen=True):
    """A declared record type. `fields` are its own; inherited ones come from `extends`."""

    name: str
    fields: tuple[FieldInfo, ...]
    extends: str | None = None
    description: str | None = None


class ParamInfo(msgspec.Struct, frozen=True):
    name: str
    shape: Shape
    optional: bool = False
    """May be null or left out."""
    has_default: bool = False
    hidden: bool = False


CallableKind = Lit["agent", "judge", "gate", "tool", "flow", "condition", "choice", "scale"]
