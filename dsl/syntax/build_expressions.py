"""What each rule of an expression, a shape or a parameter builds: one function per action of `grammar.lark`.

The arguments are the rule's symbols in order. Tokens are `(start, end, text)`; texts and numbers are nodes
already.
"""

from __future__ import annotations

from typing import TypeVar

from .. import ast
from .lexer import Token

T = TypeVar("T")


# --- lists and small change ---------------------------------------------------------------------------------


def none() -> None:
    return None


def empty() -> list[object]:
    return []


def first(item: T) -> list[T]:
    return [item]


def append(items: list[T], item: T) -> list[T]:
    items.append(item)
    return items


def append_after(items: list[T], _comma: Token, item: T) -> list[T]:
    items.append(item)
    return items


def second(_mark: Token, value: T, *_closing: Token) -> T:
    return value


def third(_first: Token, _second: Token, value: T, *_rest: Token) -> T:
    return value


def ident(word: Token) -> ast.Ident:
    return ast.Ident(*word)


def dotted_more(target: ast.Ident, _dot: Token, word: ast.Ident) -> ast.Ident:
    return ast.Ident(target.start, word.end, f"{target.text}.{word.text}")


def negative_number(sign: Token, number: ast.Number) -> ast.Number:
    return ast.Number(sign[0], number.end, f"-{number.text}")


# --- parameters and shapes ----------------------------------------------------------------------------------


def params_empty(_open: Token, _close: Token) -> tuple[ast.Param, ...]:
    return ()


def params_some(_open: Token, params: list[ast.Param], *_close: Token) -> tuple[ast.Param, ...]:
    return tuple(params)


def param_shape(
    _colon: Token, shape: ast.ShapeNode, question: Token | None
) -> tuple[ast.ShapeNode, Token | None]:
    return shape, question


def param(
    hidden: Token | None,
    name: Token,
    typed: tuple[ast.ShapeNode, Token | None] | None,
    default: ast.Expr | None,
) -> ast.Param:
    shape, question = typed or (None, None)
    end = default.end if default else question[1] if question else shape.end if shape else name[1]
    start = hidden[0] if hidden else name[0]
    return ast.Param(start, end, ast.Ident(*name), shape, question is not None, default, hidden is not None)


def bounds_range(low: ast.Number | None, dots: Token, high: ast.Number | None) -> ast.Bounds:
    return ast.Bounds(
        low.start if low else dots[0],
        high.end if high else dots[1],
        low.text if low else None,
        high.text if high else None,
    )


def bounds(_open: Token, bounds: ast.Bounds, close: Token) -> tuple[ast.Bounds, int]:
    return bounds, close[1]


def type_ref(name: Token) -> ast.TypeRef:
    return ast.TypeRef(*name)


def primitive(name: Token, bounded: tuple[ast.Bounds, int] | None) -> ast.Primitive:
    start, end, text = name
    if bounded is None:
        return ast.Primitive(start, end, text, None)  # type: ignore[arg-type]
    return ast.Primitive(start, bounded[1], text, bounded[0])  # type: ignore[arg-type]


def literal_shape(text: ast.Text) -> ast.LiteralShape:
    return ast.LiteralShape(text.start, text.end, text)


def list_shape(item: ast.ShapeNode, brackets: Token, bounded: tuple[ast.Bounds, int] | None) -> ast.ListShape:
    if bounded is None:
        return ast.ListShape(item.start, brackets[1], item, None)
    return ast.ListShape(item.start, bounded[1], item, bounded[0])


def union_first(left: ast.ShapeNode, _bar: Token, right: ast.ShapeNode) -> list[ast.ShapeNode]:
    return [left, right]


def union_shape(options: list[ast.ShapeNode]) -> ast.UnionShape:
    return ast.UnionShape(options[0].start, options[-1].end, tuple(options))


# --- expressions --------------------------------------------------------------------------------------------


def binary(left: ast.Expr, operator: Token, right: ast.Expr) -> ast.Binary:
    return ast.Binary(left.start, right.end, operator[2], left, right)


def binary_words(left: ast.Expr, word: Token, more: Token, right: ast.Expr) -> ast.Binary:
    return ast.Binary(left.start, right.end, f"{word[2]} {more[2]}", left, right)


def unary(operator: Token, operand: ast.Expr) -> ast.Unary:
    return ast.Unary(operator[0], operand.end, operator[2], operand)  # type: ignore[arg-type]


def quantified(
    kind: Token, name: Token, _in: Token, source: ast.Expr, _colon: Token, body: ast.Expr
) -> ast.Quantified:
    return ast.Quantified(kind[0], body.end, kind[2], ast.Ident(*name), source, body)  # type: ignore[arg-type]


def if_expr(
    word: Token, condition: ast.Expr, _then: Token, then: ast.Expr, _else: Token, otherwise: ast.Expr
) -> ast.IfExpr:
    return ast.IfExpr(word[0], otherwise.end, condition, then, otherwise)


def is_(operand: ast.Expr, _is: Token, name: ast.Ident) -> ast.Is:
    return ast.Is(operand.start, name.end, operand, name, negated=False)


def is_not(operand: ast.Expr, _is: Token, _not: Token, name: ast.Ident) -> ast.Is:
    return ast.Is(operand.start, name.end, operand, name, negated=True)


def attribute(target: ast.Expr, _dot: Token, name: ast.Ident) -> ast.Field:
    return ast.Field(target.start, name.end, target, name)


def index(target: ast.Expr, _open: Token, value: ast.Expr, close: Token) -> ast.Index:
    return ast.Index(target.start, close[1], target, value)


def variable(name: Token) -> ast.Name:
    return ast.Name(*name)


def call_empty(path: ast.Expr, _open: Token, close: Token) -> ast.Call:
    return ast.Call(path.start, close[1], _callee(path), ())


def call_args(path: ast.Expr, _open: Token, args: list[ast.Arg], *closing: Token) -> ast.Call:
    return ast.Call(path.start, closing[-1][1], _callee(path), tuple(args))


def _callee(path: ast.Expr) -> ast.Ident:
    if isinstance(path, ast.Name):
        return ast.Ident(path.start, path.end, path.id)
    words: list[str] = []
    step: ast.Expr = path
    while isinstance(step, ast.Field):
        words.append(step.name.text)
        step = step.target
    assert isinstance(step, ast.Name)
    words.append(step.id)
    return ast.Ident(path.start, path.end, ".".join(reversed(words)))


def arg_plain(value: ast.Expr) -> ast.Arg:
    return ast.Arg(value.start, value.end, None, value)


def arg_named(name: Token, _colon: Token, value: ast.Expr) -> ast.Arg:
    return ast.Arg(name[0], value.end, ast.Ident(*name), value)


def true(word: Token) -> ast.Bool:
    return ast.Bool(word[0], word[1], value=True)


def false(word: Token) -> ast.Bool:
    return ast.Bool(word[0], word[1], value=False)


def null(word: Token) -> ast.Null:
    return ast.Null(word[0], word[1])


def list_empty(brackets: Token) -> ast.ListExpr:
    return ast.ListExpr(brackets[0], brackets[1], ())


def list_some(opening: Token, items: list[ast.Expr], *closing: Token) -> ast.ListExpr:
    return ast.ListExpr(opening[0], closing[-1][1], tuple(items))


def comprehension(
    opening: Token, body: ast.Expr, _for: Token, name: Token, _in: Token, source: ast.Expr, close: Token
) -> ast.Comprehension:
    return ast.Comprehension(opening[0], close[1], body, ast.Ident(*name), source, None)


def comprehension_if(
    opening: Token,
    body: ast.Expr,
    _for: Token,
    name: Token,
    _in: Token,
    source: ast.Expr,
    _if: Token,
    condition: ast.Expr,
    close: Token,
) -> ast.Comprehension:
    return ast.Comprehension(opening[0], close[1], body, ast.Ident(*name), source, condition)


def object_empty(opening: Token, close: Token) -> ast.Object:
    return ast.Object(opening[0], close[1], ())


def object_some(opening: Token, pairs: list[ast.Pair], *closing: Token) -> ast.Object:
    return ast.Object(opening[0], closing[-1][1], tuple(pairs))


def pair_word(key: ast.Ident, _colon: Token, value: ast.Expr) -> ast.Pair:
    return ast.Pair(key.start, value.end, key, value)


def pair_text(key: ast.Text, _colon: Token, value: ast.Expr) -> ast.Pair:
    return ast.Pair(key.start, value.end, ast.Ident(key.start, key.end, key.plain or ""), value)
