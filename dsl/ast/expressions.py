"""Expressions, and the texts with templates in them."""

from __future__ import annotations

from typing import Literal

from .nodes import Ident, Node


class Null(Node, tag="null", frozen=True):
    pass


class Bool(Node, tag="bool", frozen=True):
    value: bool


class Number(Node, tag="number", frozen=True):
    """`text` is the literal without underscores: bars and weights are compared exactly, never through a float."""

    text: str

    @property
    def value(self) -> int | float:
        return float(self.text) if any(mark in self.text for mark in ".eE") else int(self.text)


class Money(Node, tag="money", frozen=True):
    """`text` is the decimal amount in US dollars, without the sign."""

    text: str


class Duration(Node, tag="duration", frozen=True):
    seconds: float


class Text(Node, tag="text", frozen=True):
    """A text literal. `parts` alternates literal stretches and `{{ … }}` expressions; escapes are decoded and text
    blocks dedented. `raw` texts have one literal part at the most."""

    parts: tuple[str | Expr, ...]
    raw: bool = False
    block: bool = False

    @property
    def plain(self) -> str | None:
        """The whole text where it holds no template, else None."""
        text = ""
        for part in self.parts:
            if not isinstance(part, str):
                return None
            text += part
        return text


class Name(Node, tag="name", frozen=True):
    id: str


class Field(Node, tag="field", frozen=True):
    target: Expr
    name: Ident


class Index(Node, tag="index", frozen=True):
    target: Expr
    index: Expr


class Arg(Node, tag="arg", frozen=True):
    name: Ident | None
    value: Expr


class Call(Node, tag="call", frozen=True):
    callee: Ident
    args: tuple[Arg, ...]


class Unary(Node, tag="unary", frozen=True):
    op: Literal["-", "not"]
    operand: Expr


class Binary(Node, tag="binary", frozen=True):
    """`op` is spelled as in the language: `and or == != < <= > >= in`, `not in`, `contains`, `starts with`,
    `ends with`, `matches`, `+ - * / %`."""

    op: str
    left: Expr
    right: Expr


class Is(Node, tag="is", frozen=True):
    operand: Expr
    type: Ident
    negated: bool


class IfExpr(Node, tag="if_expr", frozen=True):
    condition: Expr
    then: Expr
    otherwise: Expr


class Quantified(Node, tag="quantified", frozen=True):
    kind: Literal["every", "some"]
    name: Ident
    source: Expr
    body: Expr


class ListExpr(Node, tag="list", frozen=True):
    items: tuple[Expr, ...]


class Comprehension(Node, tag="comprehension", frozen=True):
    body: Expr
    name: Ident
    source: Expr
    condition: Expr | None


class Pair(Node, tag="pair", frozen=True):
    key: Ident
    value: Expr


class Object(Node, tag="object", frozen=True):
    pairs: tuple[Pair, ...]


Expr = (
    Null | Bool | Number | Money | Duration | Text | Name | Field | Index | Call | Unary | Binary | Is | IfExpr
    | Quantified | ListExpr | Comprehension | Object
)  # fmt: skip
