"""What the text leaves unsaid: the shape of a step, the reply of a judge without a signature, the calls
of a gate."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Literal, NamedTuple

from ...dsl import ast
from ...dsl.check.base import CallableSurface
from ...dsl.check.fit import describe
from ...dsl.parse import Item
from ...dsl.shapes import Shape, Unknown
from ...dsl.workspace.analysis import Analysis
from ..seen import Seen, look
from ..tree import walk
from .calls import worst_calls


class Hint(NamedTuple):
    offset: int
    label: str
    kind: Literal["type", "note"]
    tooltip: str = ""


def hints(analysis: Analysis, start: int, end: int) -> list[Hint]:
    """The hints of the declarations that touch a stretch of the file, in order."""
    found: list[Hint] = []
    for item in analysis.module.items:
        if item.node is not None and item.offset <= end and item.offset + len(item.text) >= start:
            found += _of_declaration(item.node, item, analysis)
    return sorted(hint for hint in found if start <= hint.offset <= end)


def _of_declaration(node: ast.Declaration, item: Item, analysis: Analysis) -> Iterator[Hint]:
    match node:
        case ast.Flow():
            yield from _steps(node, item, analysis)
        case ast.Judge(params=None):
            reply = describe(_reply(node.name.text, analysis) or Unknown())
            yield Hint(item.offset + node.name.end, f"(reply: {reply})", "type", "What this judge judges")
        case ast.Gate():
            calls = worst_calls(node.name.text, analysis)
            if calls is not None:
                label = (
                    f" at most {calls} model call{'' if calls == 1 else 's'}" if calls else " no model calls"
                )
                at = item.offset + _head_end(node, item.text)
                yield Hint(at, label, "note", "When the scorers alone do not decide")


def _head_end(node: ast.Gate, text: str) -> int:
    """Behind everything that stands before the block."""
    start = max(part.end for part in (node.name, *node.params, node.description) if part is not None)
    brace = text.find("{", start)
    return start if brace < 0 else len(text[:brace].rstrip())


def _reply(name: str, analysis: Analysis) -> Shape | None:
    surface = analysis.surface(name)
    return surface.params[0].shape if isinstance(surface, CallableSurface) and surface.params else None


def _steps(node: ast.Flow, item: Item, analysis: Analysis) -> Iterator[Hint]:
    """The shape of every name at the place where it first gets its value."""
    seen = look(node, analysis)
    named: set[str] = set()
    for inner in walk(node):
        if isinstance(inner, ast.Bind) and inner.name.text not in named:
            named.add(inner.name.text)
            shape = _bound(inner, node, seen)
            if shape is not None and not isinstance(shape, Unknown):
                yield Hint(item.offset + inner.name.end, f": {describe(shape)}", "type")


def _bound(bind: ast.Bind, flow: ast.Flow, seen: Seen) -> Shape | None:
    """The shape of a step: of a plain expression as it was seen, of others as a later use of the name
    shows it."""
    shape = seen.shape(bind.step)
    if shape is not None:
        return shape
    name = bind.name.text
    for inner in walk(flow):
        if isinstance(inner, ast.Name) and inner.id == name and inner.start > bind.end:
            return seen.shape(inner)
    return None
