"""What the names that a file declares stand for."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, KeysView, Mapping, Sequence
from functools import cached_property

from ..check.base import Surface

_MOST_CHANGES = 64
"""Changes from which on it is quicker to make the table anew than to look twice."""
_NONE: Mapping[str, str] = {}


class Table:
    """Surfaces by name, in the order of the text. It never changes. Of a file with thousands of declarations an edit
    renews or renames one, so what is new stands beside a table that is shared: `changed` are the surfaces of names that
    are new or stand for something else, `gone` the names of the shared table that have become others, each with the one
    in its place."""

    def __init__(
        self,
        surfaces: dict[str, Surface],
        changed: Mapping[str, Surface] | None = None,
        gone: Mapping[str, str] = _NONE,
    ) -> None:
        self._first = surfaces
        self._changed = changed or {}
        self._gone = gone

    @cached_property
    def names(self) -> KeysView[str]:
        return dict.fromkeys(self).keys() if self._gone else self._first.keys()

    def __iter__(self) -> Iterator[str]:
        return (self._gone.get(name, name) for name in self._first) if self._gone else iter(self._first)

    def __contains__(self, name: str) -> bool:
        return self.get(name) is not None

    def __getitem__(self, name: str) -> Surface:
        surface = self.get(name)
        if surface is None:
            raise KeyError(name)
        return surface

    def get(self, name: str) -> Surface | None:
        return self._changed.get(name) or (self._first.get(name) if name not in self._gone else None)

    def renewed(self, surfaces: Mapping[str, Surface]) -> Table:
        """The same names, some of which stand for something else."""
        return self._with({**self._changed, **surfaces}, self._gone)

    def renamed(self, old: str, surface: Surface) -> Table:
        """The same with another name, and what that stands for, in place of one."""
        place = next((first for first, name in self._gone.items() if name == old), old)
        gone = {first: name for first, name in self._gone.items() if first != place}
        if surface.name != place:
            gone[place] = surface.name
        changed = {name: each for name, each in self._changed.items() if name != old}
        return self._with({**changed, surface.name: surface}, gone)

    def _with(self, changed: Mapping[str, Surface], gone: Mapping[str, str]) -> Table:
        table = Table(self._first, changed, gone)
        return table if len(changed) < _MOST_CHANGES else Table({name: table[name] for name in table})


def find(tables: Iterable[Table], name: str) -> Surface | None:
    """What a name stands for in the first table that has it."""
    for table in tables:
        surface = table.get(name)
        if surface is not None:
            return surface
    return None


def finder(tables: Sequence[Table]) -> Callable[[str], Surface | None]:
    """`find` in these tables."""
    return tables[0].get if len(tables) == 1 else lambda name: find(tables, name)


def declared_again(tables: Sequence[Table]) -> set[str]:
    """The names that stand in more than one table. The first, of which a key may renew the names, is only looked into
    where there are others."""
    first, *others = tables
    seen: set[str] = set()
    again: set[str] = set()
    for table in others:
        again |= (first.names & table.names) | (seen & table.names)
        seen |= table.names
    return again
