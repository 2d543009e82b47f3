"""A literal value becomes a `let` of the file."""

from __future__ import annotations

from collections.abc import Iterator

from ....dsl import ast
from ....dsl.diagnostics import Edit
from ....dsl.parse import Item, parse_chunk
from ....dsl.workspace.analysis import Analysis
from ...seen import scope_of
from ...tree import item_at, path_to, walk
from ...written import names_written
from .naming import Refactoring, declare_before, name_from, taken_names

_LITERALS = (ast.Text, ast.Number, ast.Bool, ast.Money, ast.Duration)
_CONSTANT = (*_LITERALS, ast.Null, ast.ListExpr, ast.Object, ast.Pair, ast.Ident, ast.Unary, ast.Binary)


def extract_constant(analysis: Analysis, start: int, end: int) -> Iterator[Refactoring]:
    """For the literal at a place, or the value made of literals that is selected."""
    item = item_at(analysis, start)
    if item is None or item.node is None or isinstance(item.node, ast.Constant):
        return
    value = _value(item, start - item.offset, end - item.offset)
    if value is None:
        return
    if any(value.start <= name.start < value.end for name in names_written(item.node, scope_of(analysis))):
        return  # A name in quotes is no value, and the keys of an object say which type it is.
    written = item.text[value.start : value.end]
    label = value.plain if isinstance(value, ast.Text) and value.plain else ""
    name = name_from(label, "value", taken_names(analysis, item))
    if not _stands(item, value, name):
        return
    replaced = Edit(item.offset + value.start, item.offset + value.end, name)
    title = f"Extract {_shown(written)} as a constant"
    yield title, (declare_before(analysis, item, f"let {name} = {written}"), replaced)


def _value(item: Item, start: int, end: int) -> ast.Node | None:
    """What is selected, else the literal around the cursor."""
    assert item.node is not None
    around = [node for node in path_to(item.node, start) if node.end >= end]
    if start < end:
        exact = (node for node in around if (node.start, node.end) == (start, end))
        return next((node for node in exact if _is_constant(node)), None)
    inner = around[-1] if around else None
    return inner if isinstance(inner, _LITERALS) and _is_constant(inner) else None


def _is_constant(node: ast.Node) -> bool:
    """Whether a value is made of literals alone."""
    return isinstance(node, (*_LITERALS, ast.ListExpr, ast.Object, ast.Unary, ast.Binary)) and all(
        isinstance(inner, _CONSTANT) and (not isinstance(inner, ast.Text) or inner.plain is not None)
        for inner in walk(node)
    )


def _stands(item: Item, value: ast.Node, name: str) -> bool:
    """Whether a name may stand in a value's place: a clause such as `retries` takes the number itself."""
    text = f"{item.text[: value.start]}{name}{item.text[value.end :]}"
    node, found = parse_chunk(text)
    if node is None or len(found) > len(item.diagnostics):
        return False
    inner = path_to(node, value.start)[-1]
    return isinstance(inner, ast.Name) and inner.id == name


def _shown(written: str) -> str:
    line = written.splitlines()[0]
    return f"`{line}`" if line == written and len(line) <= 30 else f"`{line[:27]}…`"
