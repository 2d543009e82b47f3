"""Where everything of a figure stands.

Steps stand below each other on one axis, the branches of a fork beside each other below its head. So nothing ever
crosses: a branch has its column to itself, and what several branches lead to is entered from a line below all of them.
"""

from __future__ import annotations

import itertools
import unicodedata
from collections.abc import Sequence

import msgspec

from .figure import Branch, Edge, Figure, Fork, Kind, Node, Step, connections, nodes
from .words import shortened

GAP = 40.0
"""Pixels between a step and the next."""
FORK_GAP = 52.0
"""Pixels between the head of a fork and its branches: room for a label."""
COLUMN_GAP = 36.0
BACK = 30.0
"""Pixels that the way back of a loop takes beside it."""
MARGIN = 24.0

TITLE, SMALL = 7.4, 6.3
"""Mean width of a character of a title and of a detail, in pixels; measured generously, since fonts differ."""
_SLANTED: frozenset[Kind] = frozenset({"decision", "branch", "loop"})
_PLAIN: frozenset[Kind] = frozenset({"start", "end", "stop", "fork", "join"})


class Place(msgspec.Struct, frozen=True):
    """A node's middle and size in pixels."""

    node: Node
    x: float
    y: float
    width: float
    height: float

    @property
    def top(self) -> float:
        return self.y - self.height / 2

    @property
    def bottom(self) -> float:
        return self.y + self.height / 2


class Line(msgspec.Struct, frozen=True):
    """An edge as it is drawn, corner by corner. `label` stands at `at`."""

    points: tuple[tuple[float, float], ...]
    label: str
    at: tuple[float, float]


class Picture(msgspec.Struct, frozen=True):
    width: float
    height: float
    places: tuple[Place, ...]
    lines: tuple[Line, ...]


class _Box(msgspec.Struct, frozen=True):
    """How far something reaches to both sides of its axis, and down."""

    left: float
    right: float
    height: float


class _Span(msgspec.Struct, frozen=True):
    """The columns of a fork: their boxes and the distances of their axes from the fork's own."""

    boxes: tuple[_Box, ...]
    offsets: tuple[float, ...]
    box: _Box


def arrange(figure: Figure) -> Picture:
    layout = _Layout()
    box = layout.measured(figure.steps)
    layout.put(figure.steps, MARGIN + box.left, MARGIN)
    lines = tuple(layout.line(edge) for edge in connections(figure))
    places = tuple(layout.places[node.id] for node in nodes(figure.steps))
    return Picture(box.left + box.right + 2 * MARGIN, box.height + 2 * MARGIN, places, lines)


def size(node: Node) -> tuple[float, float]:
    """Width and height that a node's words need."""
    if node.kind == "join" and not node.details and " = " not in node.title:
        return (max(64.0, 24 + _width(node.title, SMALL)), 26.0)
    texts = [_width(node.title, TITLE), *(_width(line, SMALL) for line in node.details)]
    slant = 24.0 if node.kind in _SLANTED else 0.0
    captioned = 0 if node.kind in _PLAIN else 14
    return (max(96.0, max(texts) + 32 + 2 * slant), 34.0 + captioned + 15 * len(node.details))


def _width(text: str, mean: float) -> float:
    wide = sum(unicodedata.east_asian_width(char) in "WF" for char in shortened(text))
    return (len(shortened(text)) + wide * 0.8) * mean


class _Layout:
    def __init__(self) -> None:
        self.places: dict[str, Place] = {}
        self._columns: dict[tuple[str, int], float] = {}
        self._returns: dict[str, tuple[float, float]] = {}
        """Of each loop: where its way back runs, as the height below its body and the distance to the left."""
        self._spans: dict[str, _Span] = {}

    # how much room things need

    def measured(self, steps: Sequence[Step]) -> _Box:
        boxes = [self._measured(step) for step in steps]
        if not boxes:
            return _Box(12, 12, 0)
        height = sum(box.height for box in boxes) + GAP * (len(boxes) - 1)
        return _Box(max(box.left for box in boxes), max(box.right for box in boxes), height)

    def _measured(self, step: Step) -> _Box:
        if isinstance(step, Node):
            width, height = size(step)
            return _Box(width / 2, width / 2, height)
        return self._span(step).box

    def _span(self, fork: Fork) -> _Span:
        if fork.head.id not in self._spans:
            self._spans[fork.head.id] = self._spanned(fork)
        return self._spans[fork.head.id]

    def _spanned(self, fork: Fork) -> _Span:
        boxes = tuple(self._column(branch) for branch in fork.branches)
        axes = [boxes[0].left]
        for before, box in itertools.pairwise(boxes):
            axes.append(axes[-1] + before.right + COLUMN_GAP + box.left)
        loops = any(branch.back for branch in fork.branches)
        middle = axes[0] if loops else (axes[0] + axes[-1]) / 2
        head, head_height = size(fork.head)
        join, join_height = size(fork.join) if fork.join is not None else (0.0, -GAP)
        half = max(head, join) / 2
        left = max(half, middle) + (BACK if loops else 0)
        right = max(half, axes[-1] + boxes[-1].right - middle)
        height = head_height + FORK_GAP + max(box.height for box in boxes) + GAP + join_height
        return _Span(boxes, tuple(axis - middle for axis in axes), _Box(left, right, height))

    def _column(self, branch: Branch) -> _Box:
        box = self.measured(branch.steps)
        label = 10 + _width(branch.label, SMALL) if branch.label else 0.0
        return _Box(box.left, max(box.right, label), box.height + (16 if branch.back else 0))

    # where they stand

    def put(self, steps: Sequence[Step], axis: float, top: float) -> None:
        for step in steps:
            if isinstance(step, Node):
                self._put(step, axis, top)
            else:
                self._put_fork(step, axis, top)
            top += self._measured(step).height + GAP

    def _put(self, node: Node, axis: float, top: float) -> float:
        width, height = size(node)
        self.places[node.id] = Place(node, axis, top + height / 2, width, height)
        return top + height

    def _put_fork(self, fork: Fork, axis: float, top: float) -> None:
        span = self._span(fork)
        below = self._put(fork.head, axis, top) + FORK_GAP
        for at, (branch, offset) in enumerate(zip(fork.branches, span.offsets, strict=True)):
            self._columns[fork.head.id, at] = axis + offset
            self.put(branch.steps, axis + offset, below)
            if branch.back:
                self._returns[fork.head.id] = (below + span.boxes[at].height, axis - span.box.left + BACK / 3)
        if fork.join is not None:
            self._put(fork.join, axis, below + max(box.height for box in span.boxes) + GAP)

    # how they are connected

    def line(self, edge: Edge) -> Line:
        source, target = self.places[edge.source], self.places[edge.target]
        x, y = source.x, source.bottom
        points = [(x, y)]
        if edge.branch is not None:
            x, y = self._columns[edge.source, edge.branch], y + 18
            points += [(source.x, y), (x, y)]
        label_at = (x + 6, y + 16)
        if edge.back:
            low, side = self._returns[edge.target]
            points += [(x, low), (side, low), (side, target.y), (target.x - target.width / 2, target.y)]
        else:
            low = target.top - GAP / 2
            points += [(x, low), (target.x, low), (target.x, target.top)]
        return Line(_corners(points), shortened(edge.label), label_at)


def _corners(points: Sequence[tuple[float, float]]) -> tuple[tuple[float, float], ...]:
    """Without the points at which a line does not turn."""
    kept: list[tuple[float, float]] = []
    for point in points:
        if kept and point == kept[-1]:
            continue
        if len(kept) > 1 and (
            kept[-2][0] == kept[-1][0] == point[0] or kept[-2][1] == kept[-1][1] == point[1]
        ):
            kept.pop()
        kept.append(point)
    return tuple(kept)
