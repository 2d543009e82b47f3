"""A finding with everything that a repair looks at."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from typing import NamedTuple, TypeVar

from ....dsl import ast
from ....dsl.check.base import Scope
from ....dsl.diagnostics import Diagnostic, Edit
from ....dsl.parse import Item
from ....dsl.workspace.analysis import Analysis
from ...seen import scope_of
from ...tree import item_at, path_to, walk

N = TypeVar("N", bound=ast.Node)
Declaring = Callable[[str], Iterable[str]]
"""The files of a workspace that declare a name."""


class Offer(NamedTuple):
    """Edits of the file itself in its offsets, and those of other files by path in theirs."""

    title: str
    edits: tuple[Edit, ...]
    elsewhere: tuple[tuple[str, tuple[Edit, ...]], ...] = ()


class Place:
    """A finding in its declaration. `start`, `end` and everything that a repair computes are offsets in the
    declaration's text. `declaring` gives the files of the workspace that declare a name."""

    def __init__(
        self,
        analysis: Analysis,
        found: Diagnostic,
        item: Item,
        node: ast.Declaration,
        declaring: Declaring,
    ) -> None:
        self.analysis = analysis
        self.found = found
        self.item = item
        self.node = node
        self.declaring = declaring
        self.text = item.text
        self.start = found.start - item.offset
        self.end = found.end - item.offset

    @property
    def path(self) -> tuple[ast.Node, ...]:
        """The nodes around the start of the finding, from the outside in."""
        return path_to(self.node, self.start)

    @property
    def scope(self) -> Scope:
        return scope_of(self.analysis)

    def inside(self, *kinds: type[N]) -> N | None:
        """The innermost node of a kind around the start of the finding."""
        return next((node for node in reversed(self.path) if isinstance(node, kinds)), None)

    def at(self, start: int, *kinds: type[N]) -> N | None:
        """The node of a kind that begins at an offset."""
        return next(
            (node for node in walk(self.node) if node.start == start and isinstance(node, kinds)), None
        )

    def written(self, node: ast.Node) -> str:
        return self.text[node.start : node.end]

    def offer(self, title: str, *edits: Edit) -> Offer:
        """Edits of this declaration."""
        return Offer(title, _moved(edits, self.item.offset))

    def offer_in(
        self, name: str, title: str, change: Callable[[Item, str], Iterable[Edit]], wanted: str = ""
    ) -> Iterator[Offer]:
        """Edits of the declaration of that name, wherever it stands; `wanted` is passed on to `change`."""
        place = self.analysis.declaration(name)
        if place is None:
            return
        path, item = place
        edits = _moved(tuple(change(item, wanted)), item.offset)
        if not edits:
            return
        if path == self.analysis.path:
            yield Offer(title, edits)
        else:
            yield Offer(title, (), ((path, edits),))

    @property
    def lines(self) -> list[str]:
        """What the help shows to write: its lines after the first."""
        return [line.strip() for line in self.found.help.splitlines()[1:]]


def place_of(analysis: Analysis, found: Diagnostic, declaring: Declaring) -> Place | None:
    item = item_at(analysis, found.start)
    return None if item is None or item.node is None else Place(analysis, found, item, item.node, declaring)


def _moved(edits: Iterable[Edit], offset: int) -> tuple[Edit, ...]:
    return tuple(Edit(edit.start + offset, edit.end + offset, edit.text) for edit in edits)
