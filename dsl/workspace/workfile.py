"""One file of a workspace: its text, what that adds up to, and the findings that are kept of it."""

from __future__ import annotations

from collections.abc import Sequence
from typing import NamedTuple

from .. import ast
from ..check.document import Document, Edited
from ..check.entry import Entry
from ..check.facts import Facts
from ..check.names import kind_of
from ..suggest import Names, Sorts
from .kept import KeptFindings
from .table import Table
from .whole import Whole


class WorkFile:
    """`surfaces` is what it declares, of two declarations of one name the first; it is replaced, never changed, when
    that changes. `state` is replaced when anything changes that the rules about whole files read."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.facts = Facts()
        self.facts.add(document.entries)
        self.surfaces = Table(document.surfaces())
        self._replaced = self.surfaces
        """The table before `surfaces`."""
        self._renewal: Renewal | None = None
        self.imports = document.imports()
        self.kept = KeptFindings()
        self.kept.add(document.entries)
        self.state = object()
        self.whole = Whole()
        self.view: dict[str, Table] = {}
        """The tables that the kept findings were made with, by file."""
        self.names: Names | None = None
        """The names in these tables, once somebody has asked for them."""
        self.sorts = Sorts()
        """The same, by their kinds."""

    def take(self, edit: Edited) -> None:
        """Goes on with the text after an edit."""
        before, after = edit.before, edit.after
        self.document = edit.document
        self.kept.add(after)
        self.kept.remove(before)
        if [entry.offer for entry in before] != [entry.offer for entry in after]:
            self._count(before, after)
            self._replace_surfaces(before, after)
            if len(before) != len(after) or any(
                type(entry.node) is ast.Import for entry in (*before, *after)
            ):
                self.imports = self.document.imports()
        elif any(
            one.mentions != other.mentions or one.broken != other.broken
            for one, other in zip(before, after, strict=True)
        ):
            self._count(before, after)

    def _count(self, before: list[Entry], after: list[Entry]) -> None:
        self.facts.replace(before, after)
        self.state = object()

    def renewal(self, old: Table, new: Table) -> Renewal | None:
        """How the second table came from the first, if they are the last two of this file and that is known."""
        return self._renewal if old is self._replaced and new is self.surfaces else None

    def _replace_surfaces(self, before: list[Entry], after: list[Entry]) -> None:
        gone = [entry.surface.name for entry in before if entry.surface is not None]
        come = {entry.surface.name: entry.surface for entry in after if entry.surface is not None}
        declared = self.facts.declared
        once = all(declared[name] == 1 for name in come)
        self._replaced = self.surfaces
        if once and gone == list(come):
            self.surfaces, self._renewal = self.surfaces.renewed(come), Renewal(gone, named=False)
        elif once and len(before) == len(after) == len(gone) == len(come) == 1 and not declared[gone[0]]:
            [surface] = come.values()
            self.surfaces = self.surfaces.renamed(gone[0], surface)
            self._renewal = Renewal([gone[0], surface.name], named=True)
        else:
            # Of two declarations of one name the first counts, and names are listed in the order of the text.
            self.surfaces, self._renewal = Table(self.document.surfaces()), None


class Renewal(NamedTuple):
    """The names that may stand for something else in a table than in the one before; `named` where some of them were
    not there before, or are no longer."""

    names: Sequence[str]
    named: bool


def differences(old: Table, new: Table, renewal: Renewal | None) -> tuple[list[str], bool]:
    """The names that stand for something else, and whether there are other names, or of other kinds, or in another
    order."""
    if renewal is None:
        # Most surfaces are the very same objects, and there may be thousands.
        other = [name for name in new if old.get(name) is not new[name]]
        named = list(old) != list(new)
        renewal = Renewal([*other, *(old.names - new.names)] if named else other, named)
    changed = [name for name in renewal.names if old.get(name) != new.get(name)]
    return changed, renewal.named or any(kind_of(old[name]) != kind_of(new[name]) for name in changed)
