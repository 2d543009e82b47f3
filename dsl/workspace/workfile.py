"""One file of a workspace: its text, what that adds up to, and the findings that are kept of it."""

from __future__ import annotations

from collections.abc import Collection

from .. import ast
from ..check.document import Document, Edited
from ..check.entry import Entry
from ..check.facts import Facts
from ..check.names import kind_of
from ..suggest import Names
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
        self._renewed: Collection[str] | None = None
        self.imports = document.imports()
        self.kept = KeptFindings()
        self.kept.add(document.entries)
        self.state = object()
        self.whole = Whole()
        self.view: dict[str, Table] = {}
        """The tables that the kept findings were made with, by file."""
        self.names: Names | None = None
        """The names in these tables, once somebody has asked for them."""

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

    def renewed_since(self, old: Table, new: Table) -> Collection[str] | None:
        """The names that may stand for something else in the second table, if they are the last two of this file."""
        return self._renewed if old is self._replaced and new is self.surfaces else None

    def _replace_surfaces(self, before: list[Entry], after: list[Entry]) -> None:
        gone = [entry.surface.name for entry in before if entry.surface is not None]
        come = {entry.surface.name: entry.surface for entry in after if entry.surface is not None}
        self._replaced, self._renewed = self.surfaces, come.keys()
        if gone == list(come) and all(self.facts.declared[name] == 1 for name in come):
            self.surfaces = self.surfaces.renewed(come)
        else:
            # Of two declarations of one name the first counts, and names are listed in the order of the text.
            self.surfaces, self._renewed = Table(self.document.surfaces()), None


def differences(old: Table, new: Table, renewed: Collection[str] | None) -> tuple[list[str], bool]:
    """The names that stand for something else, and whether there are other names, or of other kinds, or in another
    order. `renewed` are those that may stand for something else where there are no other names, None where that is not
    known."""
    if renewed is None:
        # Most surfaces are the very same objects, and there may be thousands.
        renewed = [name for name in new if old.get(name) is not new[name]]
        if list(old) != list(new):
            changed = [name for name in renewed if old.get(name) != new[name]]
            return [*changed, *(old.names - new.names)], True
    changed = [name for name in renewed if old[name] != new[name]]
    return changed, any(kind_of(old[name]) != kind_of(new[name]) for name in changed)
