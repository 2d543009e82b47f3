"""What an expression may mention at one place."""

from __future__ import annotations

from collections.abc import Mapping

import msgspec

from ..shapes import Shape, Unknown
from .builtins import Function

_UNKNOWN = Unknown()


class Absent(msgspec.Struct, frozen=True):
    """A name that one might expect here, and why it is not there."""

    code: str
    message: str
    help: str = ""


class Env(msgspec.Struct, frozen=True):
    """`names` are the local names; constants come from the scope. `paths` are fields that are known better
    than their types tell (`ticket.customer`, once it is known not to be null)."""

    names: Mapping[str, Shape] = {}
    paths: Mapping[str, Shape] = {}
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

    def bind(self, name: str, shape: Shape) -> Env:
        """The same place with one more name, or with another value for it."""
        return msgspec.structs.replace(
            self, names={**self.names, name: shape}, paths=_outside(self.paths, name)
        )

    def bind_all(self, names: Mapping[str, Shape]) -> Env:
        env = self
        for name, shape in names.items():
            env = env.bind(name, shape)
        return env

    def narrow(self, path: str, shape: Shape) -> Env:
        """The same place where a name, or a field reached from one (`a.b`), is known better."""
        if "." not in path:
            return self.bind(path, shape)
        return msgspec.structs.replace(self, paths={**_outside(self.paths, path), path: shape})


def _outside(paths: Mapping[str, Shape], path: str) -> Mapping[str, Shape]:
    """What is known of other paths than this one and those that lead on from it."""
    if not paths:
        return paths
    inner = f"{path}."
    return {other: shape for other, shape in paths.items() if other != path and not other.startswith(inner)}
