"""No flow may call itself, not even through others: a run always ends."""

from __future__ import annotations

from collections.abc import Iterator, Mapping

from .. import ast
from .base import CallableSurface, Related, Report, Scope


def check_recursion(node: ast.Flow, scope: Scope, report: Report) -> None:
    """A circle is reported once, in the flow of it whose name comes first."""
    circle = _circle(node.name.text, scope)
    if not circle or min(circle) != node.name.text:
        return
    call = next((call for call in calls_of(node) if call.callee.text == circle[1 % len(circle)]), None)
    way = " → ".join(f"`{name}`" for name in (*circle, circle[0]))
    report.add(
        "flow.recursive",
        call.callee if call is not None else node.name,
        f"`{circle[0]}` calls itself"
        if len(circle) == 1
        else f"These flows call each other in a circle: {way}",
        label="the circle starts here",
        related=tuple(Related(name, "and comes through here") for name in circle[1:]),
        help="Repeat with `loop at most N times`, which always ends.",
    )


def _circle(start: str, scope: Scope) -> tuple[str, ...]:
    """The shortest way from a callable back to itself, without its end; empty where there is none."""
    callers: dict[str, str] = {start: ""}
    waiting = [start]
    for name in waiting:
        found = scope.find(name)
        for called in found.calls if isinstance(found, CallableSurface) else ():
            if called == start:
                return _way_to(name, callers)
            if called not in callers:
                callers[called] = name
                waiting.append(called)
    return ()


def _way_to(name: str, callers: Mapping[str, str]) -> tuple[str, ...]:
    way = [name]
    while caller := callers[way[-1]]:
        way.append(caller)
    return tuple(reversed(way))


def calls_of(node: object) -> Iterator[ast.Call]:
    """Every call inside a tree, in no particular order."""
    waiting: list[object] = [node]
    while waiting:
        value = waiting.pop()
        if isinstance(value, tuple):
            waiting.extend(reversed(value))
        elif isinstance(value, ast.Node):
            if isinstance(value, ast.Call):
                yield value
            waiting.extend(getattr(value, name) for name in reversed(value.__struct_fields__))
