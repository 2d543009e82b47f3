"""What is known about files, kept up to date edit by edit.

A `Workspace` holds the texts. `update` splits and reads what stands around a change; `analyse` checks the
declarations whose text, or whose view of others, is new, and puts the findings together. One key stroke in a
file of 10,000 lines costs about a millisecond, because everything else is kept (`KeptFindings`, `EntryCache`,
`_Whole`)."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator

from msgspec.structs import replace

from . import ast
from .check.base import Finding, Surface
from .check.files import Files
from .check.python_source import HookInfo, PythonFile, read_python
from .diagnostics import Diagnostic, Label
from .document import Document, Edited, Entry, EntryCache, edited, open_document
from .facts import Facts
from .graph import Import, Reach, normal, reach
from .kept import KeptFindings
from .parse import Item, Module
from .source import BOM, Source, decode
from .whole import Whole

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


class _File:
    """One file of the workspace. `surfaces` is what it declares, of two declarations of one name the first;
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
        declared = self.facts.declared
        if any(declared[name] > 1 for name in (*gone, *(surface.name for surface in come))):
            self.surfaces = self.document.surfaces()
            return
        surfaces = dict(self.surfaces)
        for name in gone:
            if not declared[name]:
                del surfaces[name]
        surfaces.update((surface.name, surface) for surface in come)
        self.surfaces = surfaces


class Workspace:
    """Files that are looked at together. `read` gives a file's bytes, or None where there is none; what it
    gave is kept until `forget`. `exists` asks the same of a file whose content does not matter."""

    def __init__(self, read: Read, exists: Callable[[str], bool] | None = None) -> None:
        self._read = read
        self._exists = exists or (lambda path: read(path) is not None)
        self._entries = EntryCache()
        self._files: dict[str, _File | None] = {}
        self._python: dict[str, PythonFile | None] = {}
        self._there: dict[str, bool] = {}
        self._reaches: dict[str, Reach] = {}

    # texts

    def update(self, path: str, text: str) -> None:
        """The text of a file is now this one, whatever is on disk."""
        path = normal(path)
        file = self._files.get(path)
        if file is None or file.document.diagnostics:
            self._files[path] = _File(open_document(Source(path, text), self._entries.entry))
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
        self, file: _File, paths: tuple[str, ...], tables: tuple[dict[str, Surface], ...]
    ) -> None:
        """Forgets the findings that were made with something that is no longer so."""
        view = dict(zip(paths, tables, strict=True))
        changed: set[str] = set()
        appeared = False
        for path in file.view.keys() | view.keys():
            old, new = file.view.get(path, {}), view.get(path, {})
            if old is not new:
                appeared = appeared or old.keys() != new.keys()
                changed.update(_changed(old, new))
        if changed or file.view.keys() != view.keys():
            file.whole.stale()
        file.view = view
        file.kept.names_changed(changed, appeared=appeared)

    def _findings(self, path: str, file: _File, files: list[_File], seen: Reach) -> tuple[Diagnostic, ...]:
        document = file.document
        doubts = _Doubts(files, seen)
        found = list(document.diagnostics)
        noisy = file.kept.noisy
        loud = noisy or file.facts.hinted
        for (offset, _), entry in zip(document.chunks, document.entries, strict=True) if loud else ():
            if entry.diagnostics:
                found += [diagnostic.moved(offset, path) for diagnostic in entry.diagnostics]
            if entry.text in noisy:
                findings = [each for each in noisy[entry.text] if not doubts.cover(each, entry.text)]
                found += [_assembled(finding, offset, path, files) for finding in findings]
        whole = file.whole.findings(file, files, seen, self._importers_known(path), self._near)
        found += _without_meant(whole, found, document.source.text)
        found.sort(key=lambda diagnostic: (diagnostic.start, diagnostic.end, diagnostic.code))
        return tuple(found)

    # files

    def _file(self, path: str) -> _File | None:
        if path not in self._files:
            data = self._read(path)
            source = None if data is None else decode(path, data)
            if data is None or source is None:
                self._files[path] = None
            elif isinstance(source, Diagnostic):
                shown = Source(path, data.decode("utf-8", "replace").removeprefix(BOM))
                self._files[path] = _File(Document(shown, [], [], (source,)))
            else:
                self._files[path] = _File(open_document(source, self._entries.entry))
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


def _changed(old: dict[str, Surface], new: dict[str, Surface]) -> list[str]:
    """The names that stand for something else; most surfaces are the very same objects."""
    moved = [name for name, surface in new.items() if old.get(name) is not surface]
    found = [name for name in moved if old.get(name) != new[name]]
    return [*found, *(old.keys() - new.keys())]


def _names(tables: tuple[dict[str, Surface], ...]) -> tuple[str, ...]:
    return tuple({name: None for table in tables for name in table})


class _Doubts:
    """What is reported already: imports that cannot be read, and declarations with a syntax error. Findings that may
    only follow from these are left out."""

    def __init__(self, files: list[_File], seen: Reach) -> None:
        self.everything = seen.broken or any(file.document.diagnostics for file in files)
        names = [name for file in files if file.facts.broken for name in file.document.doubtful_names]
        self.names = frozenset(names)
        self.mentions = tuple(f"`{name}`" for name in self.names)

    def cover(self, finding: Finding, text: str) -> bool:
        diagnostic = finding.diagnostic
        if diagnostic.code == "name.unknown" and self.everything:
            return True
        if not self.names:
            return False
        if text[diagnostic.start : diagnostic.end] in self.names:
            return True
        return any(mention in diagnostic.message for mention in self.mentions)


def _without_meant(whole: Iterable[Diagnostic], found: list[Diagnostic], text: str) -> Iterator[Diagnostic]:
    """The findings about the file, except that what a misspelt name probably meant is not called unused."""
    helps = [each.help for each in found if each.code == "name.unknown" and each.help]
    for each in whole:
        name = f"`{text[each.start : each.end]}`"
        if each.code != "name.unused" or not any(name in help for help in helps):
            yield each


def _assembled(finding: Finding, offset: int, path: str, files: list[_File]) -> Diagnostic:
    diagnostic = finding.diagnostic.moved(offset, path)
    if not finding.related:
        return diagnostic
    labels = list(diagnostic.labels)
    for related in finding.related:
        for file in files:
            place = file.document.place(related.name)
            if place is not None:
                other = file.document.source.path
                labels.append(Label(*place, related.text, None if other == path else other))
                break
    return replace(diagnostic, labels=tuple(labels))
