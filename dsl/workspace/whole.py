"""The findings about a file as a whole, remade only when what they were made from has changed.

Names are settled once; where they stand is looked up each time, since declarations move.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping, Sequence
from typing import Protocol

from .. import ast
from ..check.document import Document
from ..check.facts import ONCE, Facts, is_entry
from ..check.prices import price_findings, unpriced
from ..check.program import (
    Placed,
    duplicate_findings,
    import_findings,
    once_findings,
    test_findings,
    unused_findings,
    unused_import_findings,
)
from ..diagnostics import Diagnostic
from ..graph import Import, Reach
from .kept import KeptFindings
from .table import Table, declared_again, finder


class FileView(Protocol):
    """What these rules read of a file."""

    document: Document
    facts: Facts
    surfaces: Table
    imports: tuple[Import, ...]
    kept: KeptFindings
    state: object


class Whole:
    """What is settled about one file's names, and what that was settled from."""

    def __init__(self) -> None:
        self._settled: _Settled | None = None
        self._basis: tuple[object, ...] = ()

    def findings(
        self,
        file: FileView,
        files: Sequence[FileView],
        reach: Reach,
        is_imported: bool,
        near: Callable[[str], str | None],
    ) -> Iterator[Diagnostic]:
        """In file offsets."""
        basis = (is_imported, reach, *(other.state for other in files))
        if self._settled is None or self._basis != basis:
            self._settled, self._basis = _Settled(file, files, reach, is_imported), basis
        own = file.document
        path = own.path
        for placed in self._settled.placed(file, files, reach, near):
            yield placed.diagnostic.moved(own.start(placed.index), path)


class _Settled:
    def __init__(
        self,
        file: FileView,
        files: Sequence[FileView],
        reach: Reach,
        is_imported: bool,
    ) -> None:
        self.clashes = _clashes(files)
        self.again = _has_second(files)
        self.tests = bool(file.facts.tests.twice)
        self.unpriced = unpriced(_models(files), finder([other.surfaces for other in files]))
        self.idle: frozenset[str] = frozenset()
        self.useless: list[Import] = []
        if file.facts.flows and not is_imported and not file.facts.broken:
            self.idle = frozenset(name for name in file.facts.idle if not is_entry(file.surfaces[name]))
            self.useless = [item for item in file.imports if _is_useless(item, file, files, reach)]

    def placed(
        self,
        file: FileView,
        files: Sequence[FileView],
        reach: Reach,
        near: Callable[[str], str | None],
    ) -> Iterator[Placed]:
        own = file.document
        imported = [other.document for other in files[1:]]
        if file.imports:
            found_at = {item.path: found for item in reach.missing if (found := near(item.path)) is not None}
            yield from import_findings(reach, file.imports, found_at, own.start)
        if self.clashes:
            yield from duplicate_findings(own, imported, self.clashes)
        if self.again:
            yield from once_findings(own, imported)
        if self.tests:
            yield from test_findings(own)
        if self.unpriced:
            yield from price_findings(own, imported, self.unpriced)
        if self.idle:
            injected = {name for hook in file.kept.hooks.values() for name in hook.keyword_only}
            yield from unused_findings(own, self.idle - injected)
        if self.useless:
            yield from unused_import_findings(own, self.useless)


def _clashes(files: Sequence[FileView]) -> tuple[str, ...]:
    """Names with more than one declaration in sight of the first file. What clashes within an imported file
    is reported there."""
    again = declared_again([file.surfaces for file in files])
    return tuple(sorted(again.union(files[0].facts.declared.twice)))


def _has_second(files: Sequence[FileView]) -> bool:
    own, *imported = files
    if any(count > 1 for count in own.facts.once.values()):
        return True
    return any(
        kind is not ast.Workflow and own.facts.once[kind] and other.facts.once[kind]
        for kind in ONCE
        for other in imported
    )


def _models(files: Sequence[FileView]) -> Iterator[str]:
    for file in files:
        yield from file.facts.models.counts


def _is_useless(item: Import, file: FileView, files: Sequence[FileView], reach: Reach) -> bool:
    """Nothing that an import brings in is mentioned, or works without being mentioned."""
    brought = {item.path}
    by_path: Mapping[str, FileView] = {other.document.path: other for other in files}
    waiting = [item.path]
    for path in waiting:
        for further in by_path[path].imports if path in by_path else ():
            if further.path not in brought:
                brought.add(further.path)
                waiting.append(further.path)
    known = [by_path[path] for path in brought if path in by_path]
    if not known or file.document.path in brought or any(other.facts.broken for other in known):
        return False
    for other in known:
        if other.facts.flows or any(other.facts.once[kind] for kind in ONCE if kind is not ast.Workflow):
            return False
        if not file.facts.mentioned.counts.keys().isdisjoint(other.surfaces.names):
            return False
    return True
