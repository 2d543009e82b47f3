"""What the names that a file declares stand for."""

from __future__ import annotations

from collections.abc import Iterator, KeysView, Mapping

from ..check.base import Surface

_MOST_RENEWED = 64
"""Names from which on it is quicker to make the table anew than to look twice."""


class Table:
    """Surfaces by name, in the order of the text. It never changes. Of a file with thousands of declarations an edit
    renews one, so what is renewed stands beside a table that is shared (`renewed`)."""

    __slots__ = ("_first", "_renewed")

    def __init__(self, surfaces: dict[str, Surface], renewed: Mapping[str, Surface] | None = None) -> None:
        self._first = surfaces
        self._renewed = renewed or {}

    @property
    def names(self) -> KeysView[str]:
        return self._first.keys()

    def __iter__(self) -> Iterator[str]:
        return iter(self._first)

    def __contains__(self, name: str) -> bool:
        return name in self._first

    def __getitem__(self, name: str) -> Surface:
        return self._renewed.get(name) or self._first[name]

    def get(self, name: str) -> Surface | None:
        return self._renewed.get(name) or self._first.get(name)

    def renewed(self, surfaces: Mapping[str, Surface]) -> Table:
        """The same names, some of which stand for something else."""
        renewed = {**self._renewed, **surfaces}
        if len(renewed) < _MOST_RENEWED:
            return Table(self._first, renewed)
        return Table({**self._first, **renewed})
