"""The server as its handlers see it: one client, one session, one cache of colours."""

from __future__ import annotations

import traceback
from collections.abc import Callable, Iterable
from typing import Any, TypeVar

import trio
from lsprotocol import types
from pygls.exceptions import JsonRpcException
from pygls.lsp.server import LanguageServer

from ..dsl.check.python_source import PythonFile, read_python
from ..dsl.diagnostics import Diagnostic
from ..dsl.format import format_declaration
from ..dsl.recent import Recent
from ..dsl.workspace.analysis import Analysis, Workspace
from . import wire
from .client import Client
from .documents import Document
from .features.texts import Listing, model_slugs
from .features.tokens import TokenCache
from .files import exists, names_in_folder, read_file
from .pieces import Make, Movable, Pieces
from .protocol import TrioProtocol
from .session import Session
from .translate import to_diagnostic, to_location

NAME = "judgeflow"
SLICE = 0.002
"""Seconds that a request may take before others get their turn."""
MANY = 4_000_000
"""Characters of declarations of which something is remembered. All of it may be thirty times as large."""

T = TypeVar("T")
P = TypeVar("P", bound=Movable)
Feature = tuple[str, Callable[..., Any], Any]
"""A method, who answers it, and the options that the client is told."""


class ContentModified(JsonRpcException):
    """The answer would be about a text that is no more."""

    CODE = types.LSPErrorCodes.ContentModified.value


class JudgeServer(LanguageServer):
    protocol: TrioProtocol

    def __init__(self, version: str, features: Iterable[Feature]) -> None:
        super().__init__(NAME, version, protocol_cls=TrioProtocol)
        self.protocol.limit = self.limit
        self.protocol.plain = {types.TEXT_DOCUMENT_DID_CHANGE: wire.DidChange}
        self.start(Client())
        for method, handler, options in features:
            self.feature(method, options)(handler)

    def start(self, client: Client) -> None:
        """Begin anew with a client that has just introduced itself."""
        self.client = client
        self.session = Session(Workspace(read_file, exists), client.encoding)
        self.colours = TokenCache(MANY)
        self._layouts: Recent[str, str] = Recent(MANY, len)
        self._pieces: dict[Make[Any], Pieces[Any]] = {}
        self.coloured: dict[str, tuple[str, list[int]]] = {}
        """By URI, the last semantic tokens that were sent and the name that they were sent under."""

    def limit(self, capabilities: types.ServerCapabilities) -> None:
        if not self.client.pull:
            capabilities.diagnostic_provider = None

    def drained(self) -> None:
        """Nothing more to read: report what changed. A mistake of this server in one file leaves others
        alone."""
        # To look at one file may be to read another, which imports a third.
        while due := self.session.due():
            for document in due if not self.client.pull else ():
                try:
                    self.publish(document)
                except Exception:
                    self.protocol.log(f"{document.uri}: {traceback.format_exc()}")

    def publish(self, document: Document) -> None:
        """Send a text's diagnostics with its version, unless the client has them."""
        found = self.session.news(document)
        if found is not None:
            published = wire.Published(document.uri, self.diagnostics(document, found), document.version)
            self.protocol.notify(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS, published)

    def diagnostics(self, document: Document, found: Iterable[Diagnostic]) -> list[wire.Diagnostic]:
        return [to_diagnostic(one, document, self.session.document, self.client) for one in found]

    async def unhurried(self, found: Iterable[T], check: Callable[[], None] = lambda: None) -> list[T]:
        """All of what takes long to find in many files, with a pause every few milliseconds, and a check after it that
        may raise."""
        made: list[T] = []
        pause = trio.current_time() + SLICE
        for one in found:
            made.append(one)
            if trio.current_time() > pause:
                await trio.lowlevel.checkpoint()
                check()
                pause = trio.current_time() + SLICE
        return made

    async def gather(self, document: Document, found: Iterable[T]) -> list[T]:
        """All of what takes long to find in a text, so that a key stroke or a cancellation need not wait. A text that
        changes meanwhile ends it: nobody wants the answer any more."""
        snapshot = document.snapshot

        def check() -> None:
            if document.snapshot is not snapshot:
                raise ContentModified("the text has changed since")

        return await self.unhurried(found, check)

    def layout(self, declaration: str) -> str:
        """A declaration as `jrun fmt` lays it out."""
        found = self._layouts.get(declaration)
        if found is None:
            found = format_declaration(declaration)
            self._layouts.put(declaration, found)
        return found

    async def pieces(self, document: Document, analysis: Analysis, make: Make[P]) -> list[P]:
        """The parts of all declarations of a text, in order, as `make` gives them for one."""
        kept: Pieces[P] = self._pieces.setdefault(make, Pieces(make, MANY))
        found = (
            kept.of(item, document.line_at(item.offset), document.encoding) for item in analysis.module.items
        )
        return [part for parts in await self.gather(document, found) for part in parts]

    def opened(self, document: types.TextDocumentIdentifier) -> tuple[Document, Analysis] | None:
        return self.session.opened(document.uri)

    def location(self, path: str, start: int, end: int) -> types.Location:
        return to_location(self.session.document(path), start, end)

    def listing(self) -> Listing:
        """The files around, for what is written in quotes."""
        return Listing(names_in_folder, _python, self._slugs)

    def _slugs(self) -> list[str]:
        return [slug for module in self.session.modules() for slug in model_slugs(module)]


def _python(path: str) -> PythonFile | None:
    data = read_file(path)
    return None if data is None else read_python(data)
