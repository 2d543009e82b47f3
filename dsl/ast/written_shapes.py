"""Shapes as they were written, and parameters."""

from __future__ import annotations

from typing import Literal

from .expressions import Expr, Text
from .nodes import Ident, Node


class Bounds(Node, tag="bounds", frozen=True):
    """`low..high`, each a signed decimal literal or open."""

    low: str | None
    high: str | None


class TypeRef(Node, tag="type_ref", frozen=True):
    name: str


class Primitive(Node, tag="primitive", frozen=True):
    name: Literal["text", "int", "float", "bool", "json"]
    bounds: Bounds | None


class LiteralShape(Node, tag="literal_shape", frozen=True):
    value: Text


class ListShape(Node, tag="list_shape", frozen=True):
    item: ShapeNode
    bounds: Bounds | None


class UnionShape(Node, tag="union_shape", frozen=True):
    options: tuple[ShapeNode, ...]


ShapeNode = TypeRef | Primitive | LiteralShape | ListShape | UnionShape


class Param(Node, tag="param", frozen=True):
    name: Ident
    shape: ShapeNode | None
    optional: bool
    default: Expr | None
    hidden: bool = False
