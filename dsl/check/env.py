"""What an expression may mention at one place."""

from __future__ import annotations

from collections.abc import Mapping
from typing import TypeVar

import msgspec

from ..shapes import Shape, Unknown
from .builtins import Function
from .shared_map import SharedMap, shared_map

_UNKNOWN = Unknown()
V = TypeVar("V")


class Absent(msgspec.Struct, frozen=True):
    """A name that one might expect here, and why it is not there."""

    code: str
    message: str
    help: str = ""


class Env(msgspec.Struct, frozen=True):
    """`names` are the local names; constants come from the scope. `paths` are fields that are known better
    than their types tell (`ticket.customer`, once it is known not to be null), by the name that they are
    reached from. Where many names follow on one another, as in a flow, both are `SharedMap`s."""

    names: Mapping[str, Shape] = {}
    paths: Mapping[str, Mapping[str, Shape]] = {}
    functions: Mapping[str, Function] = {}
    """What may be called here beside the functions that stand everywhere."""
    calls_allowed: bool = False
    """Whether agents, tools, gates and the like may be called here."""
    where: str = "here"
    """The place in words, for what may not stand in it: "in a judge"."""
    absent: Mapping[str, Absent] = {}
    judged: tuple[str, ...] = ()
    """The names of what a judge judges: a test of `variant` narrows them."""

    def shape(self, name: str) -> Shape:
        """The shape of a local name; `Unknown` for one that is not there."""
        return self.names.get(name, _UNKNOWN)

    def field(self, path: str) -> Shape | None:
        """The shape of a field (`a.b`) that is known better than its type tells."""
        known = self.paths.get(path.partition(".")[0])
        return None if known is None else known.get(path)

    def bind(self, name: str, shape: Shape) -> Env:
        """The same place with one more name, or with another value for it."""
        return self.knowing(_having(self.names, name, shape), _without(self.paths, name))

    def narrow(self, path: str, shape: Shape) -> Env:
        """The same place where a name, or a field reached from one (`a.b`), is known better."""
        name, is_field, _ = path.partition(".")
        if not is_field:
            return self.bind(path, shape)
        others = self.paths.get(name, {})
        inner = f"{path}."
        known = {other: each for other, each in others.items() if not f"{other}.".startswith(inner)}
        return self.with_fields(name, {**known, path: shape})

    def with_fields(self, name: str, fields: Mapping[str, Shape]) -> Env:
        """The same place where just these fields of a name are known better."""
        if not fields:
            return self.knowing(self.names, _without(self.paths, name))
        is_first = isinstance(self.names, SharedMap) and not isinstance(self.paths, SharedMap)
        paths = shared_map(self.paths) if is_first else self.paths
        return self.knowing(self.names, _having(paths, name, fields))

    def knowing(self, names: Mapping[str, Shape], paths: Mapping[str, Mapping[str, Shape]]) -> Env:
        """The same place with other names and other fields that are known."""
        return Env(names, paths, self.functions, self.calls_allowed, self.where, self.absent, self.judged)


def _having(table: Mapping[str, V], name: str, value: V) -> Mapping[str, V]:
    return table.having(name, value) if isinstance(table, SharedMap) else {**table, name: value}


def _without(table: Mapping[str, V], name: str) -> Mapping[str, V]:
    if table.get(name) is None:
        return table
    if isinstance(table, SharedMap):
        return table.without(name)
    return {other: value for other, value in table.items() if other != name}
