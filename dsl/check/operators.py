"""The infix operators: which shapes they take, and what comes out."""

from __future__ import annotations

from .. import ast
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
    Record,
    Shape,
    Text,
    Unknown,
    Variant,
)
from ..suggest import closest
from .base import Report, Scope
from .fit import describe, element, join, options_of, resolve, without_null
from .names import replace_fix
from .patterns import pattern_fault

_BOOL, _FLOAT, _INT, _TEXT, _UNKNOWN = Bool(), Float(), Int(), Text(), Unknown()
_KINDS: dict[type, str] = {
    Text: "text",
    Literal: "text",
    Int: "number",
    Float: "number",
    Money: "number",
    Duration: "number",
    Bool: "bool",
    ListOf: "list",
    Record: "object",
    Object: "object",
    Variant: "object",
    Null: "null",
}
_ONE_KIND = {shape: frozenset((kind,)) for shape, kind in _KINDS.items()}
_ORDERED = frozenset(("number", "text"))


def kinds_of(shape: Shape) -> frozenset[str] | None:
    """What a resolved shape is, coarsely: text, number, bool, list, object, null; None where the text does
    not tell."""
    known = without_null(shape)
    one = _ONE_KIND.get(type(known))
    if one is not None:
        return one
    found = [_KINDS.get(type(without_null(option))) for option in options_of(known)]
    return None if None in found else frozenset(kind for kind in found if kind is not None)


def binary_shape(node: ast.Binary, left: Shape, right: Shape, scope: Scope, report: Report) -> Shape:
    """The shape of `left op right`; `and` and `or` are no matter of shapes alone and are not handled here."""
    left, right = resolve(left, scope), resolve(right, scope)
    return _OPERATORS[node.op](node, left, right, scope, report)


def _mismatch(report: Report, at: ast.Node, message: str, shape: Shape, help: str = "") -> Shape:
    report.add("shape.mismatch", at, message, label=f"this is {describe(shape)}", help=help)
    return _UNKNOWN


# --- comparing --------------------------------------------------------------------------------------------


def _equality(node: ast.Binary, left: Shape, right: Shape, scope: Scope, report: Report) -> Shape:
    one, other = kinds_of(left), kinds_of(right)
    if one is None or other is None or one & other or "null" in one | other:
        _check_literal(node.left, left, right, report)
        _check_literal(node.right, right, left, report)
        return _BOOL
    always = "never" if node.op == "==" else "always"
    report.add(
        "shape.mismatch",
        node,
        f"{_word(left)} is never equal to {_word(right)}, so this is {always} true",
        label=f"{describe(left)} against {describe(right)}",
        help=_number_help(one, other),
    )
    return _BOOL


def _word(shape: Shape) -> str:
    word = describe(shape)
    return word[:1].upper() + word[1:] if " " in word and not word.startswith('"') else word


def _number_help(one: frozenset[str], other: frozenset[str]) -> str:
    if one | other == {"text", "number"}:
        return 'Compare numbers with numbers (`3`) and texts with texts (`"3"`); `json(x)` reads a text.'
    return ""


def _texts_of(shape: Shape) -> tuple[str, ...]:
    """The fixed texts that a value may be; none where it may be others too."""
    options = options_of(without_null(shape))
    texts = tuple(option.value for option in options if isinstance(option, Literal))
    return texts if len(texts) == len(options) else ()


def _check_literal(node: ast.Expr, shape: Shape, against: Shape, report: Report) -> None:
    """A text that the other side can never be is a slip of the pen."""
    options = _texts_of(against)
    if not isinstance(node, ast.Text) or not isinstance(shape, Literal) or len(options) < 2:
        return
    if shape.value in options:
        return
    guess = closest(shape.value, options)
    report.add(
        "shape.mismatch",
        node,
        f'"{shape.value}" is none of {describe(without_null(against))}',
        label="never this",
        help=f'Did you mean "{guess}"?' if guess else "",
        fixes=(replace_fix(node, f'"{guess}"'),) if guess else (),
    )


def _order(node: ast.Binary, left: Shape, right: Shape, scope: Scope, report: Report) -> Shape:
    one, other = kinds_of(left), kinds_of(right)
    for at, kinds, shape in ((node.left, one, left), (node.right, other, right)):
        if kinds is not None and not kinds & _ORDERED:
            if "null" in kinds:
                message = f"`{node.op}` with null is never true"
                _mismatch(report, at, message, shape, "Ask for `== null` or `!= null`.")
            else:
                _mismatch(report, at, f"`{node.op}` compares numbers or texts", shape, _size_help(kinds))
            return _BOOL
    if one is not None and other is not None and not one & other:
        report.add(
            "shape.mismatch",
            node,
            f"`{node.op}` compares two numbers or two texts, not {describe(left)} and {describe(right)}",
            label=f"{describe(left)} against {describe(right)}",
            help=_number_help(one, other),
        )
    return _BOOL


def _size_help(kinds: frozenset[str]) -> str:
    if kinds <= {"list", "object"} and "list" in kinds:
        return "Compare its size: `len(…)`."
    return "Compare one of its fields." if "object" in kinds else ""


# --- looking inside ---------------------------------------------------------------------------------------


def _contains(node: ast.Binary, left: Shape, right: Shape, scope: Scope, report: Report) -> Shape:
    _check_items(node.left, right, report)
    return _holds(node.op, (node.left, left), (node.right, right), report)


def _in(node: ast.Binary, left: Shape, right: Shape, scope: Scope, report: Report) -> Shape:
    _check_items(node.right, left, report)
    return _holds(node.op, (node.right, right), (node.left, left), report)


def _check_items(written: ast.Expr, against: Shape, report: Report) -> None:
    """The texts of a list as written, each of which must be possible."""
    for item in written.items if isinstance(written, ast.ListExpr) else ():
        if isinstance(item, ast.Text) and item.plain is not None:
            _check_literal(item, Literal(item.plain), against, report)


def _holds(op: str, outer: tuple[ast.Expr, Shape], inner: tuple[ast.Expr, Shape], report: Report) -> Shape:
    container, item = outer[1], inner[1]
    kinds, wanted = kinds_of(container), kinds_of(item)
    if kinds is None:
        return _BOOL
    if not kinds & {"text", "list", "object"}:
        _mismatch(report, outer[0], f"`{op}` looks into a text, a list or an object", container)
    elif kinds == {"text"} and wanted is not None and not wanted & {"text", "null"}:
        message = f"A text holds texts only, so `{op}` needs one"
        _mismatch(report, inner[0], message, item, "Write `text(…)` around it.")
    elif kinds == {"list"}:
        _check_item(outer, inner, report)
    return _BOOL


def _check_item(outer: tuple[ast.Expr, Shape], inner: tuple[ast.Expr, Shape], report: Report) -> None:
    held, item = element(outer[1]), inner[1]
    kinds, wanted = None if held is None else kinds_of(held), kinds_of(item)
    if held is None or kinds is None or wanted is None:
        return
    if not kinds & wanted and "null" not in wanted:
        message = f"The list holds {describe(held)}, so {describe(item)} is never in it"
        _mismatch(report, inner[0], message, item)
    elif not isinstance(outer[0], ast.ListExpr):
        _check_literal(inner[0], item, held, report)


def _texts(node: ast.Binary, left: Shape, right: Shape, scope: Scope, report: Report) -> Shape:
    for at, shape in ((node.left, left), (node.right, right)):
        kinds = kinds_of(shape)
        if kinds is not None and not kinds & {"text", "null"}:
            _mismatch(report, at, f"`{node.op}` compares texts", shape, _text_help(kinds))
            break
    return _BOOL


def _text_help(kinds: frozenset[str]) -> str:
    return "Compare one of its fields." if "object" in kinds else "Write `text(…)` around it."


def _matches(node: ast.Binary, left: Shape, right: Shape, scope: Scope, report: Report) -> Shape:
    _texts(node, left, right, scope, report)
    if isinstance(node.right, ast.Text):
        check_pattern(node.right, report)
    return _BOOL


def check_pattern(text: ast.Text, report: Report) -> None:
    """`scorer.bad-pattern` for a fixed pattern that cannot be compiled."""
    pattern = text.plain
    fault = pattern_fault(pattern) if pattern is not None else None
    if fault is not None:
        report.add(fault.code, text, fault.message, label="not a pattern", help=fault.help)


# --- computing --------------------------------------------------------------------------------------------


def _arithmetic(node: ast.Binary, left: Shape, right: Shape, scope: Scope, report: Report) -> Shape:
    for at, shape in ((node.left, left), (node.right, right)):
        if not may_be_number(shape):
            return _mismatch(report, at, f"`{node.op}` works on numbers", shape, number_help(shape))
    if isinstance(left, Unknown) or isinstance(right, Unknown):
        return _UNKNOWN
    return number_shape(node.op, left, right)


def may_be_number(shape: Shape) -> bool:
    """Whether a resolved shape is a number, or not known to be none. One that may be null is none."""
    if _KINDS.get(type(shape)) == "number" or isinstance(shape, Unknown | Json):
        return True
    return all(_KINDS.get(type(option)) == "number" for option in options_of(shape))


def number_help(shape: Shape) -> str:
    """How a value that is no number becomes one."""
    inner = without_null(shape)
    if inner is not shape and may_be_number(inner):
        return "It may be null: write `default(…, 0)`."
    if isinstance(inner, ListOf):
        return "Count its items with `len(…)`, or add them up with `sum(…)`."
    if isinstance(inner, Text | Literal):
        return 'Put texts together in a template, as in `"{{ a }} {{ b }}"`.'
    return ""


def number_shape(op: str, left: Shape, right: Shape) -> Shape:
    for kind in (Money, Duration):
        if isinstance(left, kind) or isinstance(right, kind):
            return _FLOAT if op == "/" and type(left) is type(right) else kind()
    if isinstance(left, Int) and isinstance(right, Int) and op != "/":
        return _INT
    return _FLOAT


def _plus(node: ast.Binary, left: Shape, right: Shape, scope: Scope, report: Report) -> Shape:
    if isinstance(left, ListOf) and isinstance(right, ListOf):
        return join(left, right, scope)
    one, other = kinds_of(left), kinds_of(right)
    if one == other == frozenset(("text",)) and without_null(left) is left and without_null(right) is right:
        return _TEXT
    if isinstance(left, Unknown | Json) or isinstance(right, Unknown | Json):
        return _UNKNOWN if one is None or other is None else _FLOAT
    return _arithmetic(node, left, right, scope, report)


_OPERATORS = {
    "==": _equality,
    "!=": _equality,
    "<": _order,
    "<=": _order,
    ">": _order,
    ">=": _order,
    "in": _in,
    "not in": _in,
    "contains": _contains,
    "starts with": _texts,
    "ends with": _texts,
    "matches": _matches,
    "+": _plus,
    "-": _arithmetic,
    "*": _arithmetic,
    "/": _arithmetic,
    "%": _arithmetic,
}
