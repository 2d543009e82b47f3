"""What is known about files, kept up to date edit by edit.

A `Workspace` holds the texts. `update` splits and reads what stands around a change; `analyse` checks the
declarations whose text, or whose view of others, is new, and puts the findings together. One key stroke in a
file of 10,000 lines costs about a millisecond, because everything else is kept (`KeptFindings`, `EntryCache`,
`Whole`)."""

from __future__ import annotations

from collections.abc import Callable
from itertools import compress
from operator import is_not

from ..check.base import Surface
from ..check.document import Document, EntryCache, edited, open_document
from ..check.files import Files
from ..check.python_source import HookInfo, PythonFile, read_python
from ..diagnostics import Diagnostic
from ..graph import Import, Reach, normal, reach
from ..parse import Item, Module
from ..source import BOM, Source, decode
from .assembling import Doubts, assembled, without_meant
from .workfile import WorkFile

Read = Callable[[str], bytes | None]


class Analysis:
    """What is known about one file at one moment; later edits do not change it."""

    def __init__(
        self,
        documents: tuple[Document, ...],
        surfaces: tuple[dict[str, Surface], ...],
        reach: Reach,
        diagnostics: tuple[Diagnostic, ...],
        hooks: dict[str, HookInfo],
    ) -> None:
        self._documents = documents
        self._surfaces = surfaces
        self._hooks = hooks
        self.reach = reach
        self.path = documents[0].source.path
        self.diagnostics = diagnostics
        """Of this file alone, in file offsets, sorted by place."""

    @property
    def source(self) -> Source:
        return self._documents[0].source

    @property
    def module(self) -> Module:
        return self._documents[0].module

    @property
    def modules(self) -> tuple[Module, ...]:
        """This file and then everything that it imports, each once."""
        return tuple(document.module for document in self._documents)

    @property
    def names(self) -> tuple[str, ...]:
        """Every name in sight, each once."""
        return tuple({name: None for table in self._surfaces for name in table})

    def surface(self, name: str) -> Surface | None:
        """What a name stands for in this file."""
        return next((table[name] for table in self._surfaces if name in table), None)

    def declaration(self, name: str) -> tuple[str, Item] | None:
        """The file that declares a name in sight, and the declaration in it."""
        for document in self._documents:
            for index in document.by_name.get(name, ()):
                return document.source.path, document.item(index)
        return None

    def hook(self, name: str) -> HookInfo | None:
        """What is known of the Python function of a tool or judge of this file."""
        for index in self._documents[0].by_name.get(name, ()):
            return self._hooks.get(self._documents[0].entries[index].text)
        return None


class Workspace:
    """Files that are looked at together. `read` gives a file's bytes, or None where there is none; what it
    gave is kept until `forget`. `exists` asks the same of a file whose content does not matter."""

    def __init__(self, read: Read, exists: Callable[[str], bool] | None = None) -> None:
        self._read = read
        self._exists = exists or (lambda path: read(path) is not None)
        self._entries = EntryCache()
        self._files: dict[str, WorkFile | None] = {}
        self._python: dict[str, PythonFile | None] = {}
        self._there: dict[str, bool] = {}
        self._reaches: dict[str, Reach] = {}

    # texts

    def update(self, path: str, text: str) -> None:
        """The text of a file is now this one, whatever is on disk."""
        path = normal(path)
        file = self._files.get(path)
        if file is None or file.document.diagnostics:
            self._files[path] = WorkFile(open_document(Source(path, text), self._entries.entry))
            self._reaches.clear()
        elif text != file.document.source.text and file.take(
            edited(file.document, text, self._entries.entry)
        ):
            self._reaches.clear()

    def forget(self, path: str) -> None:
        """The file changed, came or went on disk, or its text is no longer held elsewhere: read it again when
        needed."""
        path = normal(path)
        if self._files.pop(path, None) is not None or path.endswith(".judge"):
            self._files.pop(path, None)
            self._reaches.clear()
        self._python.pop(path, None)
        self._there.pop(path, None)
        for file in self._files.values():
            if file is not None:
                file.kept.file_changed(path)

    def affected(self, path: str) -> tuple[str, ...]:
        """The known files whose diagnostics may change when that file does: itself, and what imports or reads
        it."""
        path = normal(path)
        found = {path: None} if self._files.get(path) is not None else {}
        for other, file in tuple(self._files.items()):
            if file is not None and (
                file.kept.reads_file(path)
                or path in self._reach(other).files
                or any(item.path == path for item in file.imports)
            ):
                found[other] = None
        return tuple(found)

    def reach(self, path: str) -> tuple[str, ...]:
        """A file and everything that it imports, each once; nothing is checked."""
        return self._reach(normal(path)).files

    def declares(self, path: str, name: str) -> bool:
        """Whether a file itself declares a name; nothing is checked."""
        file = self._file(normal(path))
        return file is not None and name in file.surfaces

    def module(self, path: str) -> Module | None:
        """A file's declarations as they were read; nothing is checked. None where there is no such file."""
        file = self._file(normal(path))
        return None if file is None else file.document.module

    # analysis

    def analyse(self, path: str) -> Analysis:
        """What is known about a file. `FileNotFoundError` where there is none."""
        path = normal(path)
        file = self._file(path)
        if file is None:
            raise FileNotFoundError(path)
        seen = self._reach(path)
        files = [other for name in seen.files if (other := self._file(name)) is not None]
        tables = tuple(other.surfaces for other in files)
        self._take_over_changes(file, seen.files, tables)
        file.kept.check(
            file.document.entries, _finder(tables), lambda: _names(tables), lambda: self._files_of(path)
        )
        documents = tuple(other.document for other in files)
        return Analysis(
            documents, tables, seen, self._findings(path, file, files, seen), dict(file.kept.hooks)
        )

    def _take_over_changes(
        self, file: WorkFile, paths: tuple[str, ...], tables: tuple[dict[str, Surface], ...]
    ) -> None:
        """Forgets the findings that were made with something that is no longer so."""
        view = dict(zip(paths, tables, strict=True))
        changed: set[str] = set()
        appeared = False
        for path in file.view.keys() | view.keys():
            old, new = file.view.get(path, {}), view.get(path, {})
            if old is not new:
                moved, came_or_went = _differences(old, new)
                changed.update(moved)
                appeared = appeared or came_or_went
        if changed or file.view.keys() != view.keys():
            file.whole.stale()
        file.view = view
        file.kept.names_changed(changed, appeared=appeared)

    def _findings(
        self, path: str, file: WorkFile, files: list[WorkFile], seen: Reach
    ) -> tuple[Diagnostic, ...]:
        document = file.document
        doubts = Doubts(files, seen)
        found = list(document.diagnostics)
        noisy = file.kept.noisy
        loud = noisy or file.facts.hinted
        entries = document.entries if loud else ()
        for index in [at for at, one in enumerate(entries) if one.diagnostics or one.text in noisy]:
            entry, offset = document.entries[index], document.chunks[index][0]
            found += [diagnostic.moved(offset, path) for diagnostic in entry.diagnostics]
            findings = [each for each in noisy.get(entry.text, ()) if not doubts.cover(each, entry.text)]
            found += [assembled(finding, offset, path, files) for finding in findings]
        whole = file.whole.findings(file, files, seen, self._importers_known(path), self._near)
        found += without_meant(whole, found, document.source.text)
        found.sort(key=lambda diagnostic: (diagnostic.start, diagnostic.end, diagnostic.code))
        return tuple(found)

    # files

    def _file(self, path: str) -> WorkFile | None:
        if path not in self._files:
            data = self._read(path)
            source = None if data is None else decode(path, data)
            if data is None or source is None:
                self._files[path] = None
            elif isinstance(source, Diagnostic):
                shown = Source(path, data.decode("utf-8", "replace").removeprefix(BOM))
                self._files[path] = WorkFile(Document(shown, [], [], (source,)))
            else:
                self._files[path] = WorkFile(open_document(source, self._entries.entry))
        return self._files[path]

    def _reach(self, path: str) -> Reach:
        found = self._reaches.get(path)
        if found is None:
            found = self._reaches[path] = reach(path, self._imports)
        return found

    def _imports(self, path: str) -> tuple[Import, ...] | None:
        file = self._file(path)
        return None if file is None else file.imports

    def _importers_known(self, path: str) -> bool:
        return any(
            item.path == path
            for other, file in self._files.items()
            if file is not None and other != path
            for item in file.imports
        )

    def _near(self, path: str) -> str | None:
        """A file that a wrong path may have meant."""
        guess = normal(path if path.endswith(".judge") else f"{path}.judge")
        return guess if guess != path and self._file(guess) is not None else None

    def _files_of(self, path: str) -> Files:
        return Files(path, self._python_file, self._is_there)

    def _python_file(self, path: str) -> PythonFile | None:
        if path not in self._python:
            data = self._read(path)
            self._python[path] = None if data is None else read_python(data)
        return self._python[path]

    def _is_there(self, path: str) -> bool:
        if path not in self._there:
            self._there[path] = self._exists(path)
        return self._there[path]


def _finder(tables: tuple[dict[str, Surface], ...]) -> Callable[[str], Surface | None]:
    if len(tables) == 1:
        return tables[0].get
    return lambda name: next((table[name] for table in tables if name in table), None)


def _differences(old: dict[str, Surface], new: dict[str, Surface]) -> tuple[list[str], bool]:
    """The names that stand for something else, and whether some are new or gone. Most surfaces are the very
    same objects, and there may be thousands: no step of a key stroke goes through them in Python."""
    moved = list(compress(new, map(is_not, map(old.get, new), new.values())))
    came_or_went = len(old) != len(new) or not all(name in old for name in moved)
    found = [name for name in moved if old.get(name) != new[name]]
    if came_or_went:
        found += old.keys() - new.keys()
    return found, came_or_went


def _names(tables: tuple[dict[str, Surface], ...]) -> tuple[str, ...]:
    return tuple({name: None for table in tables for name in table})
