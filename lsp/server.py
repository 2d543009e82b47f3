"""Every request and notification that is understood, and who answers it. Nothing here decides anything."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

from lsprotocol import types
from pygls.lsp.server import LanguageServer

from ..dsl.analysis import Workspace
from ..dsl.diagnostics import Diagnostic
from .client import Client, read_client
from .documents import Document
from .files import exists, read_file
from .protocol import TrioProtocol
from .session import Session
from .translate import to_change, to_diagnostic

NAME = "judgeflow"


class JudgeServer(LanguageServer):
    protocol: TrioProtocol

    def __init__(self, version: str) -> None:
        super().__init__(NAME, version, protocol_cls=TrioProtocol)
        self.protocol.limit = self.limit
        self.start(Client())
        for method, handler, options in FEATURES:
            self.feature(method, options)(handler)

    def start(self, client: Client) -> None:
        self.client = client
        self.session = Session(Workspace(read_file, exists), client.encoding)

    def limit(self, capabilities: types.ServerCapabilities) -> None:
        if not self.client.pull:
            capabilities.diagnostic_provider = None

    def drained(self) -> None:
        """Nothing more to read: report what changed."""
        due = self.session.due()
        if self.client.pull:
            return
        for document, found in due:
            self.text_document_publish_diagnostics(
                types.PublishDiagnosticsParams(
                    document.uri, self.diagnostics(document, found), document.version
                )
            )

    def diagnostics(self, document: Document, found: tuple[Diagnostic, ...]) -> list[types.Diagnostic]:
        return [to_diagnostic(one, document, self.session.document, self.client) for one in found]


# --- the connection ----------------------------------------------------------------------------------------


def initialize(ls: JudgeServer, params: types.InitializeParams) -> None:
    ls.start(read_client(params))


# --- texts -------------------------------------------------------------------------------------------------


def did_open(ls: JudgeServer, params: types.DidOpenTextDocumentParams) -> None:
    opened = params.text_document
    ls.session.open(opened.uri, opened.version, opened.text)


def did_change(ls: JudgeServer, params: types.DidChangeTextDocumentParams) -> None:
    changed = params.text_document
    if not ls.session.change(changed.uri, changed.version, map(to_change, params.content_changes)):
        ls.protocol.log(f"{changed.uri} was changed but is not open")


def did_close(ls: JudgeServer, params: types.DidCloseTextDocumentParams) -> None:
    closed = ls.session.close(params.text_document.uri)
    if closed is not None and not ls.client.pull:
        ls.text_document_publish_diagnostics(types.PublishDiagnosticsParams(closed.uri, []))


# --- diagnostics that are asked for ------------------------------------------------------------------------


def diagnostic(ls: JudgeServer, params: types.DocumentDiagnosticParams) -> types.DocumentDiagnosticReport:
    opened = ls.session.opened(params.text_document.uri)
    if opened is None:
        return types.RelatedFullDocumentDiagnosticReport(items=[])
    document, analysis = opened
    result_id = ls.session.edition(document, analysis.diagnostics)
    if result_id == params.previous_result_id:
        return types.RelatedUnchangedDocumentDiagnosticReport(result_id=result_id)
    found = ls.diagnostics(document, analysis.diagnostics)
    return types.RelatedFullDocumentDiagnosticReport(items=found, result_id=result_id)


FEATURES: tuple[tuple[str, Callable[..., Any], Any], ...] = (
    (types.INITIALIZE, initialize, None),
    (types.TEXT_DOCUMENT_DID_OPEN, did_open, None),
    (types.TEXT_DOCUMENT_DID_CHANGE, did_change, None),
    (types.TEXT_DOCUMENT_DID_CLOSE, did_close, None),
    (types.TEXT_DOCUMENT_DIAGNOSTIC, diagnostic, types.DiagnosticOptions(True, False)),
)
