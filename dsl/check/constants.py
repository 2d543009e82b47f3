"""Constants: a value that stands in the file, made of literals and other constants."""

from __future__ import annotations

from .. import ast
from ..mentions import mentions
from .base import ConstantSurface, Report, Scope
from .env import Absent, Env
from .expressions import infer
from .names import listed, ticked


def check_constant(node: ast.Constant, scope: Scope, report: Report) -> None:
    name = node.name.text
    absent = {}
    for other in sorted(mentions(node)):
        way = _way_back(other, name, scope)
        # Of the constants in one circle, only the first by name is told.
        if way and name == min(way):
            absent[other] = Absent("name.unknown", _message(name, way), "Write the value of one of them out.")
    infer(node.value, Env(where="in a constant", absent=absent), scope, report)


def _message(name: str, way: tuple[str, ...]) -> str:
    by_way = f", by way of {listed(ticked(way[:-1]))}" if len(way) > 1 else ""
    return f"`{name}` is made of itself{by_way}"


def _way_back(start: str, name: str, scope: Scope) -> tuple[str, ...]:
    """The shortest way over which a constant leads to `name`, which is the last of it; empty where there is none."""
    ways: dict[str, tuple[str, ...]] = {start: (start,)}
    waiting = [start]
    for at in waiting:
        if at == name:
            return ways[at]
        found = scope.find(at)
        for other in found.mentions if isinstance(found, ConstantSurface) else ():
            if other not in ways:
                ways[other] = (*ways[at], other)
                waiting.append(other)
    return ()
