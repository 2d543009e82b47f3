"""What an editor writes above a declaration: run this flow, run this test, who uses this."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from ...dsl import ast
from ...dsl.check.base import CallableSurface
from ...dsl.parse import Item
from ...dsl.workspace.analysis import Analysis
from ..occurrences import name_of

RUN, TEST, USES = "judgeflow.run", "judgeflow.test", "judgeflow.showReferences"
"""The commands behind the lenses; an editor's extension carries them out (`docs/editors.md`)."""


class Lens(NamedTuple):
    """`start .. end` is the name that it is about. `name` is the flow or test to run, `inputs` are the names
    and shapes of the parameters that the flow needs."""

    start: int
    end: int
    title: str
    command: str
    name: str | None = None
    inputs: tuple[tuple[str, str], ...] = ()


def lenses(analysis: Analysis, others: Iterable[Analysis]) -> Iterator[Lens]:
    """The lenses of a file. `others` are the files that see it, whose agents may use its judges."""
    users = _users((analysis, *others))
    for item in analysis.module.items:
        if item.node is not None:
            yield from _of_declaration(item.node, item, analysis.path, users)


def _of_declaration(
    node: ast.Declaration, item: Item, path: str, users: dict[tuple[str, str], set[str]]
) -> Iterator[Lens]:
    name = getattr(node, "name", None)
    if not isinstance(name, ast.Node):
        return
    start, end = item.offset + name.start, item.offset + name.end
    match node:
        case ast.Flow():
            needed = tuple(_needed(node, item.text))
            yield Lens(start, end, "▶ Run", RUN, node.name.text, needed)
        case ast.Test():
            yield Lens(start, end, "▶ Test", TEST, node.name.plain or "")
        case ast.Judge():
            yield Lens(start, end, _count(users.get((path, name_of(node)), set()), "agent", "judge"), USES)
        case ast.Agent():
            yield Lens(
                start, end, _count(users.get((path, name_of(node)), set()), "flow or gate", "agent"), USES
            )


def _needed(flow: ast.Flow, text: str) -> Iterator[tuple[str, str]]:
    for param in flow.params:
        if param.default is None and not param.optional and not param.hidden:
            shape = param.shape
            yield param.name.text, text[shape.start : shape.end] if shape is not None else "text"


def _count(users: set[str], noun: str, used: str) -> str:
    many = "flows and gates" if noun.startswith("flow") else f"{noun}s"
    if not users:
        return f"No {noun} uses this {used}"
    return f"1 {noun} uses this {used}" if len(users) == 1 else f"{len(users)} {many} use this {used}"


def _users(analyses: Iterable[Analysis]) -> dict[tuple[str, str], set[str]]:
    """By file and name of a judge or agent, the agents, flows and gates that use it, each once."""
    found: dict[tuple[str, str], set[str]] = {}
    homes: dict[tuple[str, str], str | None] = {}
    for analysis in analyses:
        for item in analysis.module.items:
            user = name_of(item.node) if item.node is not None else ""
            surface = analysis.surface(user) if user else None
            if not isinstance(surface, CallableSurface):
                continue
            for used in (*surface.judges, *surface.calls):
                key = (analysis.path, used)
                if key not in homes:
                    homes[key] = analysis.home(used)
                home = homes[key]
                if home is not None:
                    found.setdefault((home, used), set()).add(f"{analysis.path}:{user}")
    return found
