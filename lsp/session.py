"""What one editor has open and what is known about it.

Texts change at once; the analysis follows when something asks for it, so a burst of edits is analysed
once. `due` says which open texts must be reported anew: those that changed and those that a change
reaches through imports.
"""

from __future__ import annotations

from collections.abc import Iterable, Iterator

from ..dsl.check.document import Stretch, joined
from ..dsl.diagnostics import Diagnostic, Edit
from ..dsl.parse import Module
from ..dsl.workspace.analysis import Analysis, Workspace
from .documents import Document, Documents
from .files import is_judge_file_of
from .positions import Encoding
from .uris import to_path, to_uri
from .wire import Change

Placed = tuple[int, tuple[Diagnostic, ...], tuple[str, ...]]
"""The version of a text, its diagnostics, and the other texts that they point into."""


class Session:
    def __init__(self, workspace: Workspace, encoding: Encoding = "utf-16") -> None:
        self.workspace = workspace
        self.encoding: Encoding = encoding
        self.documents = Documents()
        self._roots: dict[str, None] = {}
        self._known: dict[str, None] = {}
        self._unread: dict[str, Stretch | None] = {}
        """The texts that the workspace has not read, and what has changed since it did, where that is known."""
        self._due: dict[str, None] = {}
        self._said: dict[str, Placed] = {}
        self._others: dict[str, Document] = {}
        self._editions: dict[str, tuple[int, Placed]] = {}

    def open(self, uri: str, version: int, text: str) -> None:
        path = to_path(uri)
        self.documents.open(Document(uri, path, version, text, self.encoding))
        self._said.pop(path, None)
        self._changed(path, None)

    def change(self, uri: str, version: int, changes: Iterable[Change]) -> bool:
        """Apply edits, each to the text that the one before left. False where the document is not open."""
        document = self.documents.get(to_path(uri))
        if document is None:
            return False
        for change in changes:
            self._changed(document.path, document.apply(change))
        document.version = version
        self._due[document.path] = None
        return True

    def close(self, uri: str) -> Document | None:
        """Forget an open text; from now on the file on disk counts for those that import it."""
        document = self.documents.close(to_path(uri))
        if document is not None:
            self._said.pop(document.path, None)
            self._due.pop(document.path, None)
            self._unread.pop(document.path, None)
            self.reread((document.path,))
        return document

    def reread(self, paths: Iterable[str]) -> None:
        """Files changed, came or went on disk. An open text is the editor's and stays as it is."""
        for path in paths:
            if self.documents.get(path) is None:
                self.workspace.forget(path)
                self._touch(path)
            if any(is_judge_file_of(root, path) for root in self._roots):
                self.know(path)

    def know(self, path: str) -> None:
        """Read a file of the workspace and what it imports, so that what it says of others is found."""
        self._known[path] = None
        self.workspace.reach(path)

    def enter(self, root: str) -> None:
        """A folder is part of the workspace, with the files that will come to be in it."""
        self._roots[root] = None

    def leave(self, root: str) -> None:
        """A folder is no longer part of the workspace; what is open of it stays."""
        self._roots.pop(root, None)
        for path in [path for path in self._known if path.startswith(f"{root}/")]:
            del self._known[path]

    def analysis_of(self, path: str) -> Analysis | None:
        """What is known about a file now, every edit so far included; None where there is no such file."""
        self._read()
        try:
            return self.workspace.analyse(path)
        except FileNotFoundError:
            return None

    def opened(self, uri: str) -> tuple[Document, Analysis] | None:
        """An open text and what is known about it."""
        document = self.documents.get(to_path(uri))
        analysis = None if document is None else self.analysis_of(document.path)
        return None if document is None or analysis is None else (document, analysis)

    def seeing(self, path: str) -> list[Analysis]:
        """The other files in sight of which a file stands: those that import it, directly or not."""
        self._read()
        paths = (other for other in self.workspace.affected(path) if other != path)
        return [analysis for other in paths if (analysis := self.analysis_of(other)) is not None]

    def known(self) -> Iterator[Analysis]:
        """What is known about every file of the workspace and every open text, found out one by one."""
        return (analysis for path in self._paths() if (analysis := self.analysis_of(path)) is not None)

    def modules(self) -> Iterator[Module]:
        """The declarations of the same files as they were read; nothing is checked."""
        self._read()
        return (module for path in self._paths() if (module := self.workspace.module(path)) is not None)

    def declaring(self, name: str) -> list[str]:
        """The files of the workspace that declare a name; none of them is checked for that."""
        self._read()
        return [path for path in self._paths() if self.workspace.declares(path, name)]

    def document(self, path: str) -> Document:
        """A text to count positions in: the open one, else what the analysis has read. It may be empty."""
        document = self.documents.get(path)
        if document is not None:
            return document
        module = self.workspace.module(path)
        text = "" if module is None else module.source.text
        known = self._others.get(path)
        if known is None or known.text != text:
            known = self._others[path] = Document(to_uri(path), path, 0, text, self.encoding)
        return known

    def due(self) -> list[Document]:
        """The open texts whose diagnostics may not be what the editor has; each is named once."""
        self._read()
        due, self._due = {**self._due, **dict.fromkeys(sorted(self.workspace.turned()))}, {}
        return [document for path in due if (document := self.documents.get(path)) is not None]

    def news(self, document: Document) -> tuple[Diagnostic, ...] | None:
        """The diagnostics of a text as it is now, None where the editor has them already."""
        found = self.workspace.analyse(document.path).diagnostics
        said = self._placed(document, found)
        if self._said.get(document.path) == said:
            return None
        self._said[document.path] = said
        return found

    def edition(self, document: Document, found: tuple[Diagnostic, ...]) -> str:
        """A name for these diagnostics of this version of a text: the same as long as both are, and the texts that they
        point into."""
        number, known = self._editions.get(document.path, (0, None))
        placed = self._placed(document, found)
        if known != placed:
            number += 1
            self._editions[document.path] = (number, placed)
        return str(number)

    def _placed(self, document: Document, found: tuple[Diagnostic, ...]) -> Placed:
        """Diagnostics with all that decides on which lines and columns they stand."""
        others = {label.path: None for one in found for label in one.labels if label.path is not None}
        return document.version, found, tuple(self.document(path).text for path in others)

    def _paths(self) -> tuple[str, ...]:
        """The files of the workspace that were read, and the open texts."""
        return tuple({**self._known, **{document.path: None for document in self.documents}})

    def _changed(self, path: str, stretch: Stretch | None) -> None:
        if path in self._unread:
            before = self._unread[path]
            stretch = None if before is None or stretch is None else joined(before, stretch)
        self._unread[path] = stretch
        self._due[path] = None

    def _read(self) -> None:
        unread, self._unread = self._unread, {}
        for path, stretch in unread.items():
            document = self.documents.get(path)
            if document is not None:
                if stretch is None:
                    self.workspace.update(path, document.text)
                else:
                    start, old_end, new_end = stretch
                    edit = Edit(start, old_end, document.slice(start, new_end))
                    self.workspace.edit(path, edit, document.snapshot)
                self._touch(path)

    def _touch(self, path: str) -> None:
        for affected in self.workspace.affected(path):
            if self.documents.get(affected) is not None:
                self._due[affected] = None
