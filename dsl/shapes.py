"""Shapes: what a value may be. Plain data, shared by the checker, the Plan, answer tools and scorers.

`Record` names a declared type; its fields stand in a `TypeInfo`. `Object` is a structure of the language itself
(a decision, a gate's value, a tool call). `Unknown` is the shape of what the text does not tell: it fits everything.
"""

from __future__ import annotations

from typing import Literal as Lit

import msgspec


class ShapeBase(msgspec.Struct, frozen=True, tag_field="shape", gc=False):
    pass


class Text(ShapeBase, tag="text", frozen=True):
    """Bounds count Unicode code points, both ends included."""

    low: int | None = None
    high: int | None = None


class Int(ShapeBase, tag="int", frozen=True):
    low: int | None = None
    high: int | None = None


class Float(ShapeBase, tag="float", frozen=True):
    """Also takes whole numbers. Bounds are decimal texts, compared exactly."""

    low: str | None = None
    high: str | None = None


class Bool(ShapeBase, tag="bool", frozen=True):
    pass


class Json(ShapeBase, tag="json", frozen=True):
    """Any JSON value; fields of it are not checked."""


class Literal(ShapeBase, tag="literal", frozen=True):
    value: str


class Record(ShapeBase, tag="record", frozen=True):
    name: str


class ListOf(ShapeBase, tag="list", frozen=True):
    item: Shape
    low: int | None = None
    high: int | None = None


class Union(ShapeBase, tag="union", frozen=True):
    options: tuple[Shape, ...]


class Nullable(ShapeBase, tag="nullable", frozen=True):
    """The item, or null: an optional field or parameter."""

    item: Shape


class Null(ShapeBase, tag="null", frozen=True):
    pass


class Variant(ShapeBase, tag="variant", frozen=True):
    """One item `{ variant, value }` of a list of unions; `item is Offer` narrows it."""

    options: tuple[str, ...]


class Object(ShapeBase, tag="object", frozen=True):
    """`what` says what it is in words ("a gate's value")."""

    what: str
    fields: tuple[tuple[str, Shape], ...]


class Money(ShapeBase, tag="money", frozen=True):
    pass


class Duration(ShapeBase, tag="duration", frozen=True):
    pass


class Unknown(ShapeBase, tag="unknown", frozen=True):
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
