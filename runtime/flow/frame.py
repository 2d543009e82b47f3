"""Where a flow is: its names, its place in the run, and what surrounds it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

import attrs

from ..agents.messages import ALONE, Draw
from ..expr import Scope
from ..run import Run

Approver = Callable[[str, Any], Awaitable[bool | None]]
"""Asks a person: the question and what is shown. None where nobody can be asked now."""


@attrs.define(eq=False)
class Frame:
    """One flow under way. `path` starts the ids of its steps; `layers` are its `with context` objects; `draw` tells
    draws of one request apart; `depth` counts the flows around it."""

    run: Run
    scope: Scope
    path: str
    approver: Approver
    parent: str | None = None
    layers: tuple[Mapping[str, Any], ...] = ()
    draw: Draw = ALONE
    depth: int = 0

    def inside(
        self, path: str, *, draw: Draw | None = None, parent: str | None = None, deeper: int = 0
    ) -> Frame:
        """The same flow one level deeper, with its own copy of the names: for members that run at once."""
        return Frame(
            self.run,
            Scope(dict(self.scope.values), self.scope.functions),
            path,
            self.approver,
            self.parent if parent is None else parent,
            self.layers,
            self.draw if draw is None else draw,
            self.depth + deeper,
        )

    def with_names(self, names: dict[str, Any]) -> Frame:
        """The same place with other names: for a flow that begins there."""
        scope = Scope(names, self.scope.functions)
        return Frame(
            self.run, scope, self.path, self.approver, self.parent, self.layers, self.draw, self.depth
        )

    def at(self, path: str) -> Frame:
        """The same names under another path: for the turns of a loop."""
        return attrs.evolve(self, path=path)
