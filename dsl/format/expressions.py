"""Expressions, texts and shapes in their canonical layout."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from .. import ast
from .writer import INDENT, WIDTH

_OR, _AND, _NOT, _COMPARE, _SUM, _PRODUCT, _UNARY, _POSTFIX = range(1, 9)
_LEVELS = {"or": _OR, "and": _AND, "+": _SUM, "-": _SUM, "*": _PRODUCT, "/": _PRODUCT, "%": _PRODUCT}


class Printer:
    """Prints nodes of one declaration's text. Literals keep the spelling that they were typed in."""

    def __init__(self, text: str) -> None:
        self.text = text

    def slice(self, node: ast.Node) -> str:
        return self.text[node.start : node.end]

    # texts

    def literal(self, node: ast.Text, indent: str) -> str:
        """A text as it was typed; a block's lines move with its indentation."""
        source = self.slice(node)
        if not node.block or "\n" not in source.replace("\r", "\n"):
            return source
        lines = source.replace("\r\n", "\n").replace("\r", "\n").split("\n")
        margin = lines[-1][: len(lines[-1]) - len(lines[-1].lstrip(" \t"))]
        inner = indent + INDENT
        moved = [self._moved(line, margin, inner) for line in lines[1:]]
        return "\n".join(
            [lines[0].rstrip() if lines[0].strip() == lines[0].strip()[:4] else lines[0], *moved]
        )

    @staticmethod
    def _moved(line: str, margin: str, inner: str) -> str:
        if not line.strip():
            return ""
        shared = 0
        while shared < len(margin) and shared < len(line) and line[shared] == margin[shared]:
            shared += 1
        return inner + line[shared:]

    # expressions

    def expr(self, node: ast.Expr, indent: str, level: int = 0, *, tail: bool = True) -> str:
        """`level` is how tightly the place binds; `tail` says that nothing follows that an open expression (`if`,
        `every`, `some`) could swallow."""
        own = _level(node)
        if (own == 0 and level > 0 and not tail) or 0 < own < level:
            return f"({self.expr(node, indent)})"
        method: Callable[..., str] = getattr(self, f"_{type(node).__name__.lower()}")
        return method(node, indent, tail)

    def _plain(self, node: ast.Node, indent: str, tail: bool) -> str:
        return self.slice(node)

    _null = _bool = _number = _money = _duration = _plain

    def _text(self, node: ast.Text, indent: str, tail: bool) -> str:
        return self.literal(node, indent)

    def _name(self, node: ast.Name, indent: str, tail: bool) -> str:
        return node.id

    def _field(self, node: ast.Field, indent: str, tail: bool) -> str:
        return f"{self._target(node.target, indent)}.{node.name.text}"

    def _index(self, node: ast.Index, indent: str, tail: bool) -> str:
        target = self._target(node.target, indent)
        if not (target[-1].isalnum() or target[-1] in "_)]"):
            target = f"({target})"
        return f"{target}[{self.expr(node.index, indent)}]"

    def _target(self, node: ast.Expr, indent: str) -> str:
        written = self.expr(node, indent, _POSTFIX, tail=False)
        return f"({written})" if isinstance(node, ast.Number) else written

    def _call(self, node: ast.Call, indent: str, tail: bool) -> str:
        return node.callee.text + self.arguments(node.args, indent)

    def arguments(self, args: Sequence[ast.Arg], indent: str) -> str:
        return self._enclosed("(", [(a, self._arg) for a in args], ")", indent)

    def _arg(self, node: ast.Arg, indent: str) -> str:
        name = f"{node.name.text}: " if node.name is not None else ""
        return name + self.expr(node.value, indent)

    def _unary(self, node: ast.Unary, indent: str, tail: bool) -> str:
        if node.op == "not":
            return f"not {self.expr(node.operand, indent, _NOT, tail=tail)}"
        return f"-{self.expr(node.operand, indent, _UNARY, tail=False)}"

    def _binary(self, node: ast.Binary, indent: str, tail: bool) -> str:
        level = _LEVELS.get(node.op, _COMPARE)
        if level == _COMPARE:
            left = self.expr(node.left, indent, _SUM, tail=False)
            return f"{left} {node.op} {self.expr(node.right, indent, _SUM, tail=False)}"
        left = self.expr(node.left, indent, level, tail=False)
        right = self.expr(node.right, indent, level + 1, tail=tail and level <= _AND)
        if level <= _AND and "\n" not in left and len(indent) + len(left) + len(right) > WIDTH - 20:
            return f"{left} {node.op}\n{indent}{INDENT}{right}"
        return f"{left} {node.op} {right}"

    def _is(self, node: ast.Is, indent: str, tail: bool) -> str:
        word = "is not" if node.negated else "is"
        return f"{self.expr(node.operand, indent, _SUM, tail=False)} {word} {node.type.text}"

    def _ifexpr(self, node: ast.IfExpr, indent: str, tail: bool) -> str:
        condition = self.expr(node.condition, indent, _OR, tail=False)
        then = self.expr(node.then, indent, _OR, tail=False)
        return f"if {condition} then {then} else {self.expr(node.otherwise, indent, tail=tail)}"

    def _quantified(self, node: ast.Quantified, indent: str, tail: bool) -> str:
        source = self.expr(node.source, indent, _OR, tail=False)
        return f"{node.kind} {node.name.text} in {source}: {self.expr(node.body, indent, tail=tail)}"

    def _listexpr(self, node: ast.ListExpr, indent: str, tail: bool) -> str:
        return self._enclosed("[", [(item, self._item) for item in node.items], "]", indent)

    def _item(self, node: Any, indent: str) -> str:
        return self.expr(node, indent)

    def _comprehension(self, node: ast.Comprehension, indent: str, tail: bool) -> str:
        body = self.expr(node.body, indent, _OR, tail=False)
        source = self.expr(node.source, indent, _OR, tail=False)
        kept = (
            f" if {self.expr(node.condition, indent, _OR, tail=False)}" if node.condition is not None else ""
        )
        return f"[{body} for {node.name.text} in {source}{kept}]"

    def _object(self, node: ast.Object, indent: str, tail: bool) -> str:
        return self._enclosed("{ ", [(pair, self._pair) for pair in node.pairs], " }", indent)

    def _pair(self, node: ast.Pair, indent: str) -> str:
        key = self.text[node.key.start : node.key.end]
        return f"{key}: {self.expr(node.value, indent)}"

    def _enclosed(
        self, opener: str, items: Sequence[tuple[Any, Callable[[Any, str], str]]], closer: str, indent: str
    ) -> str:
        """Items on one line where they fit, else one a line with a comma behind each."""
        if not items:
            return opener.strip() + closer.strip()
        flat = ", ".join(write(item, indent) for item, write in items)
        if "\n" not in flat and len(indent) + len(flat) <= WIDTH - 10:
            return f"{opener}{flat}{closer}"
        inner = indent + INDENT
        lines = "".join(f"{inner}{write(item, inner)},\n" for item, write in items)
        return f"{opener.strip()}\n{lines}{indent}{closer.strip()}"

    # shapes and signatures

    def shape(self, node: ast.ShapeNode) -> str:
        match node:
            case ast.TypeRef():
                return node.name
            case ast.Primitive():
                return node.name + self.bounds(node.bounds)
            case ast.LiteralShape():
                return self.slice(node.value)
            case ast.ListShape():
                item = self.shape(node.item)
                inner = f"({item})" if isinstance(node.item, ast.UnionShape) else item
                return f"{inner}[]{self.bounds(node.bounds)}"
            case ast.UnionShape():
                return " | ".join(self.shape(option) for option in node.options)

    def bounds(self, node: ast.Bounds | None) -> str:
        return f"({self.slice_bounds(node)})" if node is not None else ""

    def slice_bounds(self, node: ast.Bounds) -> str:
        return self.slice(node).strip("()").replace(" ", "")

    def params(self, params: Sequence[ast.Param]) -> str:
        return ", ".join(self.param(param) for param in params)

    def param(self, node: ast.Param) -> str:
        shape = f": {self.shape(node.shape)}" if node.shape is not None else ""
        default = f" = {self.expr(node.default, '')}" if node.default is not None else ""
        return f"{'hidden ' if node.hidden else ''}{node.name.text}{shape}{'?' if node.optional else ''}{default}"


def _level(node: ast.Expr) -> int:
    """How tightly a node binds; 0 for those that run to the right as far as they can."""
    match node:
        case ast.IfExpr() | ast.Quantified():
            return 0
        case ast.Binary():
            return _LEVELS.get(node.op, _COMPARE)
        case ast.Is():
            return _COMPARE
        case ast.Unary():
            return _NOT if node.op == "not" else _UNARY
        case _:
            return _POSTFIX
