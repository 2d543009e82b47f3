"""One file of a workspace: its text, what that adds up to, and the findings that are kept of it."""

from __future__ import annotations

from .. import ast
from ..check.base import Surface
from ..check.document import Document, Edited, Entry
from ..check.facts import Facts
from .kept import KeptFindings
from .whole import Whole


class WorkFile:
    """`surfaces` is what it declares, of two declarations of one name the first;
    it is replaced, never changed, when that changes."""

    def __init__(self, document: Document) -> None:
        self.document = document
        self.facts = Facts()
        self.facts.add(document.entries)
        self.surfaces = document.surfaces()
        self.imports = document.imports()
        self.kept = KeptFindings()
        self.whole = Whole()
        self.view: dict[str, dict[str, Surface]] = {}
        """The tables that the kept findings were made with, by file."""

    def take(self, edit: Edited) -> bool:
        """Goes on with the text after an edit; whether other files may see a difference."""
        before, after = edit.before, edit.after
        old, self.document = self.document, edit.document
        self.facts.remove(before)
        self.facts.add(after)
        names = [entry.surface and entry.surface.name for entry in before]
        if names == [entry.surface and entry.surface.name for entry in after]:
            self.document.by_name = old.by_name
        offers = [entry.offer for entry in before] != [entry.offer for entry in after]
        if offers:
            self._replace_surfaces(before, after)
            if len(before) != len(after) or any(
                type(entry.node) is ast.Import for entry in (*before, *after)
            ):
                self.imports = self.document.imports()
        if offers or any(o.mentions != n.mentions for o, n in zip(before, after, strict=True)):
            self.whole.stale()
        return offers

    def _replace_surfaces(self, before: list[Entry], after: list[Entry]) -> None:
        gone = {entry.surface.name for entry in before if entry.surface is not None}
        come = [entry.surface for entry in after if entry.surface is not None]
        names = {surface.name for surface in come}
        declared = self.facts.declared
        # A name that is declared elsewhere in the file too: the first of its declarations counts.
        if any(declared[name] > (name in names) for name in gone | names):
            self.surfaces = self.document.surfaces()
            return
        surfaces = dict(self.surfaces)
        for name in gone:
            if not declared[name]:
                del surfaces[name]
        surfaces.update((surface.name, surface) for surface in come)
        self.surfaces = surfaces
