"""The findings about a file as a whole, remade only when what they were made from has changed.

Names are settled once; where they stand is looked up each time, since declarations move.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Callable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Protocol

from . import ast
from .check.base import Surface
from .check.prices import Unpriced, model_refs, price_findings, unpriced
from .check.program import (
    ONCE,
    Placed,
    duplicate_findings,
    import_findings,
    once_findings,
    test_findings,
    unused_findings,
    unused_import_findings,
)
from .diagnostics import Diagnostic
from .document import Document
from .graph import Import, Reach
from .kept import KeptFindings


class FileView(Protocol):
    """What these rules read of a file."""

    document: Document
    surfaces: dict[str, Surface]
    mentioned: Counter[str]
    broken: int
    imports: tuple[Import, ...]
    kept: KeptFindings


class Whole:
    """What is settled about one file's names; empty after `stale` until somebody asks."""

    def __init__(self) -> None:
        self._settled: _Settled | None = None

    def stale(self) -> None:
        self._settled = None

    def findings(
        self,
        file: FileView,
        files: Sequence[FileView],
        reach: Reach,
        is_imported: bool,
        near: Callable[[str], str | None],
    ) -> Iterator[Diagnostic]:
        """In file offsets."""
        if self._settled is None or self._settled.is_imported != is_imported:
            self._settled = _Settled(file, files, reach, is_imported, near)
        own = file.document
        path = own.source.path
        for placed in self._settled.placed(file, files, reach):
            yield placed.diagnostic.moved(own.chunks[placed.index][0], path)


class _Settled:
    def __init__(
        self,
        file: FileView,
        files: Sequence[FileView],
        reach: Reach,
        is_imported: bool,
        near: Callable[[str], str | None],
    ) -> None:
        self.is_imported = is_imported
        self.near = {item.path: found for item in reach.missing if (found := near(item.path)) is not None}
        self.clashes = _clashes(files)
        self.again = _has_second(files)
        self.tests = _same_tests(file)
        self.unpriced = _unpriced(files)
        self.unused: list[str] = []
        self.useless: list[Import] = []
        entry_file = any(isinstance(entry.node, ast.Flow) for entry in file.document.entries)
        if entry_file and not is_imported and not file.broken:
            injected = {name for hook in file.kept.hooks.values() for name in hook.keyword_only}
            mentioned = file.mentioned
            self.unused = [n for n in file.surfaces if not mentioned.get(n) and n not in injected]
            self.useless = [item for item in file.imports if _is_useless(item, file, files, reach)]

    def placed(self, file: FileView, files: Sequence[FileView], reach: Reach) -> Iterator[Placed]:
        own = file.document
        imported = [other.document for other in files[1:]]
        if reach.missing or reach.circles:
            yield from import_findings(reach, self.near)
        if self.clashes:
            yield from duplicate_findings(own, imported, self.clashes)
        if self.again:
            yield from once_findings(own, imported)
        if self.tests:
            yield from test_findings(own)
        if self.unpriced:
            yield from price_findings(own, imported, self.unpriced)
        if self.unused:
            yield from unused_findings(own, self.unused)
        if self.useless:
            yield from unused_import_findings(own, self.useless)


def _clashes(files: Sequence[FileView]) -> tuple[str, ...]:
    """Names with more than one declaration in sight of the first file. What clashes within an imported file,
    or among what that imports itself, is reported there."""
    own = files[0].document
    found = [name for name, places in own.by_name.items() if len(places) > 1]
    for other in files[1:]:
        found += [name for name in other.surfaces if name in files[0].surfaces]
    counted: dict[str, int] = {}
    for other in files[1:]:
        for name in other.surfaces:
            counted[name] = counted.get(name, 0) + 1
    found += [name for name, count in counted.items() if count > 1 and name not in found]
    return tuple(dict.fromkeys(found))


def _has_second(files: Sequence[FileView]) -> bool:
    own = [type(entry.node) for entry in files[0].document.entries if type(entry.node) in ONCE]
    others = {type(entry.node) for other in files[1:] for entry in other.document.entries} & set(ONCE)
    return len(own) != len(set(own)) or bool((set(own) - {ast.Workflow}) & others)


def _same_tests(file: FileView) -> bool:
    names = [entry.node.name.plain for entry in file.document.entries if isinstance(entry.node, ast.Test)]
    return len(names) != len(set(names))


def _unpriced(files: Sequence[FileView]) -> dict[str, Unpriced]:
    surfaces = chain.from_iterable(other.surfaces.values() for other in files)
    memory = [
        ref
        for other in files
        for entry in other.document.entries
        if isinstance(entry.node, ast.Memory)
        for ref in model_refs(entry.node)
    ]
    return unpriced(surfaces, lambda name: _find(files, name), memory)


def _find(files: Sequence[FileView], name: str) -> Surface | None:
    return next((other.surfaces[name] for other in files if name in other.surfaces), None)


def _is_useless(item: Import, file: FileView, files: Sequence[FileView], reach: Reach) -> bool:
    """Nothing that an import brings in is mentioned, or works without being mentioned."""
    brought = {item.path}
    by_path: Mapping[str, FileView] = {other.document.source.path: other for other in files}
    waiting = [item.path]
    for path in waiting:
        for further in by_path[path].imports if path in by_path else ():
            if further.path not in brought:
                brought.add(further.path)
                waiting.append(further.path)
    known = [by_path[path] for path in brought if path in by_path]
    if not known or file.document.source.path in brought or any(other.broken for other in known):
        return False
    silent = (ast.Context, ast.LimitsDecl, ast.Memory, ast.Flow)
    for other in known:
        if any(isinstance(entry.node, silent) for entry in other.document.entries):
            return False
        if any(file.mentioned.get(name) for name in other.surfaces):
            return False
    return True
