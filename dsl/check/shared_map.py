"""A mapping that never changes, and of which a slightly different one is cheap."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from itertools import chain, compress, count, repeat
from operator import is_not
from typing import TypeVar

V = TypeVar("V")
_ROW = 32
"""Entries that are copied to change one of them; the others are shared."""


class SharedMap(Mapping[str, V]):
    """Values by name, in the order in which the names first came. A value is never None.

    Each name has a place, the same in all maps that come from one another: what differs between two of them is found
    by looking at the rows that they do not share."""

    __slots__ = ("_places", "_rows")

    def __init__(self, places: dict[str, int], rows: list[dict[str, V]]) -> None:
        self._places = places
        self._rows = rows

    def get(self, name: str, default: V | None = None) -> V | None:  # type: ignore[override]
        place = self._places.get(name)
        if place is None or place // _ROW >= len(self._rows):
            return default
        return self._rows[place // _ROW].get(name, default)

    def __getitem__(self, name: str) -> V:
        found = self.get(name)
        if found is None:
            raise KeyError(name)
        return found

    def __contains__(self, name: object) -> bool:
        return isinstance(name, str) and self.get(name) is not None

    def __iter__(self) -> Iterator[str]:
        for row in self._rows:
            yield from row

    def __len__(self) -> int:
        return sum(map(len, self._rows))

    def __bool__(self) -> bool:
        return any(self._rows)

    def having(self, name: str, value: V) -> SharedMap[V]:
        """The same with a value for a name."""
        places, rows = self._places, self._rows.copy()
        at = places.setdefault(name, len(places)) // _ROW
        while at >= len(rows):
            rows.append({})
        rows[at] = {**rows[at], name: value}
        return SharedMap(places, rows)

    def without(self, name: str) -> SharedMap[V]:
        """The same without a name."""
        if name not in self:
            return self
        rows, at = self._rows.copy(), self._places[name] // _ROW
        rows[at] = {other: value for other, value in rows[at].items() if other != name}
        return SharedMap(self._places, rows)

    def differing(self, before: Mapping[str, V]) -> Iterator[str]:
        """The names that have not the very value that they had in a map from which this one comes, or in none."""
        if self is before:
            return
        rows, olds = self._rows, before._rows if isinstance(before, SharedMap) else []
        for at in compress(count(), map(is_not, rows, chain(olds, repeat(None)))):
            row, old = rows[at], olds[at] if at < len(olds) else {}
            for name, value in row.items():
                if old.get(name) is not value:
                    yield name
            yield from old.keys() - row.keys()


def shared_map(values: Mapping[str, V]) -> SharedMap[V]:
    """A map of its own, from which others may come."""
    places = dict(zip(values, range(len(values)), strict=True))
    if len(values) <= _ROW:
        return SharedMap(places, [dict(values)])
    items = list(values.items())
    return SharedMap(places, [dict(items[at : at + _ROW]) for at in range(0, len(items), _ROW)])
