"""Finding one's way in a syntax tree: children, everything below, and what stands at a place."""

from __future__ import annotations

from bisect import bisect_right
from collections.abc import Iterator
from functools import cache
from typing import NamedTuple

from ..dsl import ast
from ..dsl.parse import Item
from ..dsl.workspace.analysis import Analysis


class Spot(NamedTuple):
    """A place in a file: the declaration around it, the offset in that declaration, and the nodes that
    contain it, the outermost first. Where two nodes meet, the one that begins there is meant, unless only
    the other is a word."""

    item: Item
    at: int
    path: tuple[ast.Node, ...]

    @property
    def node(self) -> ast.Node | None:
        return self.path[-1] if self.path else None


@cache
def _fields(kind: type[ast.Node]) -> tuple[str, ...]:
    return tuple(name for name in kind.__struct_fields__ if name not in ("start", "end"))


def children(node: ast.Node) -> Iterator[ast.Node]:
    for name in _fields(type(node)):
        value = getattr(node, name)
        if isinstance(value, ast.Node):
            yield value
        elif isinstance(value, tuple):
            yield from (part for part in value if isinstance(part, ast.Node))


def walk(node: ast.Node) -> Iterator[ast.Node]:
    """The node and everything below it, parents first."""
    waiting = [node]
    while waiting:
        found = waiting.pop()
        yield found
        waiting.extend(reversed(list(children(found))))


def path_to(node: ast.Node, offset: int) -> tuple[ast.Node, ...]:
    """The nodes that contain an offset, from `node` inwards; one that ends there contains it too."""
    path: list[ast.Node] = []
    current: ast.Node | None = node
    while current is not None:
        path.append(current)
        touching = [child for child in children(current) if child.start <= offset <= child.end]
        inside = [child for child in touching if offset < child.end]
        nearest = _word(touching, offset) or inside or touching
        current = nearest[-1] if nearest else None
    return tuple(path)


def _word(nodes: list[ast.Node], offset: int) -> list[ast.Node]:
    """The identifier that ends at an offset at which something else begins."""
    starts_a_word = any(node.start == offset and isinstance(node, ast.Ident | ast.Name) for node in nodes)
    if starts_a_word:
        return []
    return [
        node for node in nodes if node.end == offset and isinstance(node, ast.Ident | ast.Name | ast.TypeRef)
    ]


def item_at(analysis: Analysis, offset: int) -> Item | None:
    """The declaration (or what stands in its place) that contains an offset; at its end it still does."""
    items = analysis.module.items
    index = bisect_right(items, offset, key=lambda item: item.offset) - 1
    if index < 0 or offset > items[index].offset + len(items[index].text):
        return None
    return items[index]


def spot_at(analysis: Analysis, offset: int) -> Spot | None:
    item = item_at(analysis, offset)
    if item is None:
        return None
    at = offset - item.offset
    if item.node is None or not item.node.start <= at <= item.node.end:
        return Spot(item, at, ())
    return Spot(item, at, path_to(item.node, at))
