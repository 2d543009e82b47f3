"""Answers about a whole text, put together from what each of its declarations gives.

What a declaration gives by its text alone is kept, with the line on which it stood: an edit makes one declaration's
parts anew, and the others are as they were, or moved.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Generic, Protocol, TypeVar

from ..dsl.parse import Item
from ..dsl.recent import Recent
from .documents import Document
from .positions import Encoding


class Movable(Protocol):
    def moved(self, lines: int, /) -> Movable: ...


T = TypeVar("T", bound=Movable)
Make = Callable[[Item, Document], Sequence[T]]
"""The parts of a declaration that stands alone in a document."""


class Pieces(Generic[T]):
    """The parts of the last declarations seen, of `limit` characters, with the line on which each stood."""

    def __init__(self, make: Make[T], limit: int) -> None:
        self._make = make
        self._kept: Recent[str, tuple[int, Sequence[T]]] = Recent(limit, len)

    def of(self, item: Item, line: int, encoding: Encoding) -> Sequence[T]:
        """The parts of a declaration that begins on a line."""
        known = self._kept.get(item.text)
        before, parts = (0, self._made(item, encoding)) if known is None else known
        if before != line:
            parts = [part.moved(line - before) for part in parts]  # type: ignore[misc]
        if known is None or before != line:
            self._kept.put(item.text, (line, parts))
        return parts

    def _made(self, item: Item, encoding: Encoding) -> Sequence[T]:
        alone = Item(0, item.text, item.node, item.diagnostics)
        return self._make(alone, Document("", "", 0, item.text, encoding))
