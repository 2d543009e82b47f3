"""What one editor has open and what is known about it.

Texts change at once; the analysis follows when something asks for it, so a burst of edits is analysed
once. `due` says which open texts must be reported anew: those that changed and those that a change
reaches through imports.
"""

from __future__ import annotations

from collections.abc import Iterable

from ..dsl.analysis import Analysis, Workspace
from ..dsl.diagnostics import Diagnostic
from .documents import Change, Document, Documents
from .positions import Encoding
from .uris import to_path, to_uri


class Session:
    def __init__(self, workspace: Workspace, encoding: Encoding = "utf-16") -> None:
        self.workspace = workspace
        self.encoding: Encoding = encoding
        self.documents = Documents()
        self._unread: set[str] = set()
        self._due: dict[str, None] = {}
        self._said: dict[str, tuple[int, tuple[Diagnostic, ...]]] = {}
        self._others: dict[str, Document] = {}
        self._editions: dict[str, tuple[int, int, tuple[Diagnostic, ...]]] = {}

    def open(self, uri: str, version: int, text: str) -> None:
        path = to_path(uri)
        self.documents.open(Document(uri, path, version, text, self.encoding))
        self._said.pop(path, None)
        self._changed(path)

    def change(self, uri: str, version: int, changes: Iterable[Change]) -> bool:
        """Apply edits, each to the text that the one before left. False where the document is not open."""
        document = self.documents.get(to_path(uri))
        if document is None:
            return False
        for change in changes:
            document.apply(change)
        document.version = version
        self._changed(document.path)
        return True

    def close(self, uri: str) -> Document | None:
        """Forget an open text; from now on the file on disk counts for those that import it."""
        document = self.documents.close(to_path(uri))
        if document is not None:
            self._said.pop(document.path, None)
            self._due.pop(document.path, None)
            self._unread.discard(document.path)
            self.reread((document.path,))
        return document

    def reread(self, paths: Iterable[str]) -> None:
        """Files changed, came or went on disk. An open text is the editor's and stays as it is."""
        for path in paths:
            if self.documents.get(path) is None:
                self.workspace.forget(path)
                self._touch(path)

    def analysis(self, path: str) -> Analysis:
        """What is known about a file now, every edit so far included."""
        self._read()
        return self.workspace.analyse(path)

    def opened(self, uri: str) -> tuple[Document, Analysis] | None:
        document = self.documents.get(to_path(uri))
        return None if document is None else (document, self.analysis(document.path))

    def document(self, path: str) -> Document:
        """A text to count positions in: the open one, else what the analysis has read. It may be empty."""
        document = self.documents.get(path)
        if document is not None:
            return document
        text = self.analysis(path).source.text
        known = self._others.get(path)
        if known is None or known.text != text:
            known = self._others[path] = Document(to_uri(path), path, 0, text, self.encoding)
        return known

    def due(self) -> list[tuple[Document, tuple[Diagnostic, ...]]]:
        """The open texts whose diagnostics the editor does not have yet, for the texts as they are now."""
        self._read()
        due, self._due = self._due, {}
        found = []
        for path in due:
            document = self.documents.get(path)
            if document is None:
                continue
            said = (document.version, self.workspace.analyse(path).diagnostics)
            if self._said.get(path) != said:
                self._said[path] = said
                found.append((document, said[1]))
        return found

    def edition(self, document: Document, found: tuple[Diagnostic, ...]) -> str:
        """A name for these diagnostics of this version of a text: the same as long as both are."""
        number, *known = self._editions.get(document.path, (0, None, None))
        if known != [document.version, found]:
            number += 1
            self._editions[document.path] = (number, document.version, found)
        return str(number)

    def _changed(self, path: str) -> None:
        self._unread.add(path)
        self._due[path] = None

    def _read(self) -> None:
        unread, self._unread = self._unread, set()
        for path in unread:
            document = self.documents.get(path)
            if document is not None:
                self.workspace.update(path, document.text)
                self._touch(path)

    def _touch(self, path: str) -> None:
        for affected in self.workspace.affected(path):
            if self.documents.get(affected) is not None:
                self._due[affected] = None
