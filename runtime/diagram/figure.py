"""What a picture of a flow shows, before anybody says where it stands.

    flow ─ figure_of ─▸ Figure ─ connections ─▸ edges ─ mermaid ─▸ text
                              └─ arrange ─▸ places ─ svg ─▸ text

A figure is a tree, because flows are: steps one after the other, and forks whose branches hold steps again.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import Literal, TypeAlias

import msgspec

Kind = Literal[
    "start", "agent", "judge", "gate", "tool", "decision", "flow", "person", "branch", "loop", "fork", "join",
    "end", "stop",
]  # fmt: skip


class Node(msgspec.Struct, frozen=True):
    """`title` is what a reader looks for, `details` are short lines below it; `line` is its place in the file, from
    1."""

    id: str
    kind: Kind
    title: str
    details: tuple[str, ...] = ()
    line: int = 0


class Branch(msgspec.Struct, frozen=True):
    """`back` says that its end leads back to the head of its fork, as the turn of a loop does."""

    label: str
    steps: tuple[Step, ...]
    back: bool = False


class Fork(msgspec.Struct, frozen=True):
    """Ways to go on, of which one is taken or, where there is a `join`, all or the first that succeeds."""

    head: Node
    branches: tuple[Branch, ...]
    join: Node | None = None


Step: TypeAlias = Node | Fork


class Figure(msgspec.Struct, frozen=True):
    name: str
    description: str | None
    steps: tuple[Step, ...]


class Edge(msgspec.Struct, frozen=True):
    """`branch` is the place of the branch by which it leaves a fork's head, `back` that it closes a loop."""

    source: str
    target: str
    label: str = ""
    branch: int | None = None
    back: bool = False


def nodes(steps: Iterable[Step]) -> Iterator[Node]:
    """Every node, in the order of the file."""
    for step in steps:
        if isinstance(step, Node):
            yield step
            continue
        yield step.head
        for branch in step.branches:
            yield from nodes(branch.steps)
        if step.join is not None:
            yield step.join


def connections(figure: Figure) -> tuple[Edge, ...]:
    found: list[Edge] = []
    _connect(figure.steps, (), found)
    return tuple(found)


_Open: TypeAlias = tuple[Edge, ...]
"""Edges that have left a node and wait for what comes next; their `target` is empty."""


def _connect(steps: Iterable[Step], entering: _Open, found: list[Edge]) -> _Open:
    for step in steps:
        head = step if isinstance(step, Node) else step.head
        _lead(entering, head.id, found)
        entering = _leaving(head) if isinstance(step, Node) else _through(step, found)
    return entering


def _through(fork: Fork, found: list[Edge]) -> _Open:
    leaving: list[Edge] = []
    for at, branch in enumerate(fork.branches):
        ends = _connect(branch.steps, (Edge(fork.head.id, "", branch.label, at),), found)
        if branch.back:
            _lead(ends, fork.head.id, found, back=True)
        else:
            leaving += ends
    if fork.join is None:
        return tuple(leaving)
    _lead(leaving, fork.join.id, found)
    return _leaving(fork.join)


def _leaving(node: Node) -> _Open:
    return () if node.kind in ("end", "stop") else (Edge(node.id, ""),)


def _lead(entering: Iterable[Edge], target: str, found: list[Edge], *, back: bool = False) -> None:
    found += (msgspec.structs.replace(edge, target=target, back=back) for edge in entering)
