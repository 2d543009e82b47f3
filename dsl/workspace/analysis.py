"""What is known about files, kept up to date edit by edit.

A `Workspace` holds the texts. `update` splits and reads what stands around a change; `analyse` checks the
declarations whose text, or whose view of others, is new, and puts the findings together. One key stroke costs half a
millisecond and hardly more in a file ten times as long, because everything else is kept (`KeptFindings`, `EntryCache`,
`Whole`) and stands in blocks (`Entries`)."""

from __future__ import annotations

from collections.abc import Callable
from itertools import chain

from ..check.base import Surface
from ..check.document import Document, Held, difference, edited, open_document
from ..check.entries import in_blocks
from ..check.entry import Entry, EntryCache
from ..check.files import Files
from ..check.python_source import HookInfo, PythonFile, read_python
from ..diagnostics import Diagnostic, Edit
from ..graph import SUFFIX, Import, Reach, normal
from ..parse import Item, Module
from ..source import BOM, Source, decode
from ..suggest import Names, Sorts
from .assembling import Doubts, assembled, without_meant
from .sight import Sight
from .table import Table, declared_again, find, finder
from .workfile import WorkFile, differences

Read = Callable[[str], bytes | None]

_NO_NAMES = Table({})


class Analysis:
    """What is known about one file at one moment; later edits do not change it."""

    def __init__(
        self,
        documents: tuple[Document, ...],
        surfaces: tuple[Table, ...],
        reach: Reach,
        diagnostics: tuple[Diagnostic, ...],
        hooks: dict[Entry, HookInfo],
    ) -> None:
        self._documents = documents
        self._surfaces = surfaces
        self._hooks = hooks
        self.reach = reach
        self.path = documents[0].path
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
        return tuple(dict.fromkeys(chain(*self._surfaces)))

    def surface(self, name: str) -> Surface | None:
        """What a name stands for in this file."""
        return find(self._surfaces, name)

    def home(self, name: str) -> str | None:
        """The file that declares a name in sight."""
        files = zip(self._documents, self._surfaces, strict=True)
        return next((document.path for document, table in files if name in table), None)

    def declaration(self, name: str) -> tuple[str, Item] | None:
        """The file that declares a name in sight, and the declaration in it."""
        for document in self._documents:
            for index in document.entries.named(name):
                return document.path, document.item(index)
        return None

    def hook(self, name: str) -> HookInfo | None:
        """What is known of the Python function of a tool or judge of this file."""
        for index in self._documents[0].entries.named(name):
            return self._hooks.get(self._documents[0].entries[index])
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
        self._sight = Sight(self._imports)

    # texts

    def update(self, path: str, text: str) -> None:
        """The text of a file is now this one, whatever is on disk."""
        path = normal(path)
        file = self._files.get(path)
        if file is None or file.document.diagnostics:
            file = self._files[path] = WorkFile(open_document(Source(path, text), self._entries.entry))
            self._sight.changed(path, file.imports)
        elif text != (old := file.document.source.text):
            self._take(file, difference(old, text), Source(path, text))

    def edit(self, path: str, edit: Edit, held: Held) -> None:
        """The text of a file has changed, and is now the one that is held."""
        path = normal(path)
        file = self._files.get(path)
        if file is None or file.document.diagnostics:
            self.update(path, held.text)
        else:
            self._take(file, edit, held)

    def _take(self, file: WorkFile, edit: Edit, held: Held) -> None:
        imports = file.imports
        file.take(edited(file.document, edit, held, self._entries.entry))
        if file.imports != imports:
            self._sight.changed(file.document.path, file.imports)

    def forget(self, path: str) -> None:
        """The file changed, came or went on disk, or its text is no longer held elsewhere: read it again when
        needed."""
        path = normal(path)
        if self._files.pop(path, None) is not None or path.endswith(SUFFIX):
            self._sight.changed(path, None)
        self._python.pop(path, None)
        self._there.pop(path, None)
        for file in self._files.values():
            if file is not None:
                file.kept.file_changed(path)

    def affected(self, path: str) -> tuple[str, ...]:
        """The known files whose diagnostics may change when that file does: itself, and what imports or reads
        it."""
        path = normal(path)
        importers = self._sight.importers(path)
        known = [path] if self._files.get(path) is not None else []
        readers = [other for other, file in self._files.items() if file and file.kept.reads_file(path)]
        # A path without the ending is told what it may have meant.
        importers += self._sight.importers(path.removesuffix(SUFFIX)) if path.endswith(SUFFIX) else ()
        return tuple(dict.fromkeys((*known, *importers, *readers)))

    def turned(self) -> set[str]:
        """The files that another imports now and none did when this was asked last, or the other way round: nothing in
        a file that is imported has to be used there."""
        return self._sight.turned()

    def reach(self, path: str) -> tuple[str, ...]:
        """A file and everything that it imports, each once; nothing is checked."""
        return self._sight.reach(normal(path)).files

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
        seen = self._sight.reach(path)
        files = [other for name in seen.files if (other := self._file(name)) is not None]
        tables = tuple(other.surfaces for other in files)
        self._take_over_changes(file, seen.files, tables)
        file.kept.check(finder(tables), lambda: _names(file, tables), lambda: self._files_of(path))
        documents = tuple(other.document for other in files)
        return Analysis(
            documents, tables, seen, self._findings(path, file, files, seen), dict(file.kept.hooks)
        )

    def _take_over_changes(self, file: WorkFile, paths: tuple[str, ...], tables: tuple[Table, ...]) -> None:
        """Forgets the findings that were made with something that is no longer so."""
        view = dict(zip(paths, tables, strict=True))
        changed: set[str] = set()
        appeared = False
        for path in file.view.keys() | view.keys():
            old, new = file.view.get(path, _NO_NAMES), view.get(path, _NO_NAMES)
            if old is not new:
                other = self._files.get(path)
                renewal = None if other is None else other.renewal(old, new)
                moved, came_or_went = differences(old, new, renewal)
                changed.update(moved)
                appeared = appeared or came_or_went
        if list(file.view) != list(view):
            # Of two declarations of one name another may count now.
            changed |= declared_again(tables)
            appeared = True
            file.names, file.sorts = None, Sorts()
        elif appeared:
            file.names = None
            file.sorts.change(changed)
        file.view = view
        file.kept.names_changed(changed, appeared=appeared)

    def _findings(
        self, path: str, file: WorkFile, files: list[WorkFile], seen: Reach
    ) -> tuple[Diagnostic, ...]:
        document = file.document
        doubts = Doubts(files, seen)
        found = list(document.diagnostics)
        for entry, offset in document.entries.among(file.kept.loud):
            found += [diagnostic.moved(offset, path) for diagnostic in entry.diagnostics]
            kept = file.kept.findings.get(entry, ())
            findings = [each for each in kept if not doubts.cover(each, entry.text)]
            found += [assembled(finding, offset, path, files) for finding in findings]
        whole = file.whole.findings(file, files, seen, self._sight.is_imported(path), self._near)
        found += without_meant(whole, found, document)
        found.sort(key=lambda each: (each.start, each.end, each.code))
        return tuple(found)

    # files

    def _file(self, path: str) -> WorkFile | None:
        if path not in self._files:
            data = self._read(path)
            file = self._files[path] = None if data is None else WorkFile(self._opened(path, data))
            if file is not None:
                self._sight.read(path, file.imports)
        return self._files[path]

    def _opened(self, path: str, data: bytes) -> Document:
        source = decode(path, data)
        if isinstance(source, Source):
            return open_document(source, self._entries.entry)
        shown = Source(path, data.decode("utf-8", "replace").removeprefix(BOM))
        return Document(path, shown, in_blocks([], []), (source,))

    def _imports(self, path: str) -> tuple[Import, ...] | None:
        file = self._file(path)
        return None if file is None else file.imports

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


def _names(file: WorkFile, tables: tuple[Table, ...]) -> Names:
    """Every name in sight of a file."""
    if file.names is None:
        file.names = Names(*tables, sorts=file.sorts)
    return file.names
