"""The connection, texts that are opened, changed and closed, and their diagnostics."""

from __future__ import annotations

from functools import partial

import trio
from lsprotocol import types

from .. import wire
from ..client import read_client
from ..files import judge_files
from ..judge_server import Feature, JudgeServer
from ..parent import can_be_watched, watch_parent
from ..protocol import RemoteError
from ..uris import to_path, to_uri

WATCHED = ("**/*.judge", "**/*.py", "**/*.{jsonl,json,csv,yaml,yml}")
MANY_FILES = 50
"""Files from which on the client is shown how far reading them is."""


def initialize(ls: JudgeServer, params: types.InitializeParams) -> None:
    ls.start(read_client(params))


def initialized(ls: JudgeServer, params: types.InitializedParams) -> None:
    if ls.client.parent is not None and can_be_watched(ls.client.parent):
        ls.protocol.begin(watch_parent, ls.client.parent, partial(ls.protocol.leave, 1))
    if ls.client.watches:
        ls.protocol.begin(partial(watch, ls))
    for root in ls.client.roots:
        ls.protocol.begin(partial(read_folder, ls, root))


async def watch(ls: JudgeServer) -> None:
    """Ask the client to tell of files that change outside of it."""
    watchers = [types.FileSystemWatcher(pattern) for pattern in WATCHED]
    options = types.DidChangeWatchedFilesRegistrationOptions(watchers)
    registration = types.Registration("files", types.WORKSPACE_DID_CHANGE_WATCHED_FILES, options)
    try:
        await ls.protocol.ask(types.CLIENT_REGISTER_CAPABILITY, types.RegistrationParams([registration]))
    except RemoteError:
        ls.protocol.log("The client watches no files.", types.MessageType.Info)


async def read_folder(ls: JudgeServer, root: str) -> None:
    """Read the files of a workspace folder, so that references and symbols are found in all of them. What imports an
    open text says that nothing in there is unused."""
    ls.session.enter(root)
    paths = await trio.to_thread.run_sync(judge_files, root, abandon_on_cancel=True)
    token = f"judgeflow/{root}"
    shown = ls.client.progress and len(paths) >= MANY_FILES
    if shown:
        try:
            await ls.protocol.ask(
                types.WINDOW_WORK_DONE_PROGRESS_CREATE, types.WorkDoneProgressCreateParams(token)
            )
        except RemoteError:
            shown = False
    if shown:
        _progress(ls, token, types.WorkDoneProgressBegin("Reading .judge files", percentage=0))
    for index, path in enumerate(paths):
        ls.session.know(path)
        if shown and index % MANY_FILES == 0:
            percentage = 100 * index // len(paths)
            _progress(ls, token, types.WorkDoneProgressReport(percentage=percentage))
        await trio.lowlevel.checkpoint()
    if shown:
        _progress(ls, token, types.WorkDoneProgressEnd())
    ls.drained()


def _progress(
    ls: JudgeServer,
    token: str,
    value: types.WorkDoneProgressBegin | types.WorkDoneProgressReport | types.WorkDoneProgressEnd,
) -> None:
    ls.protocol.notify(types.PROGRESS, types.ProgressParams(token, value))


def did_open(ls: JudgeServer, params: types.DidOpenTextDocumentParams) -> None:
    opened = params.text_document
    ls.session.open(opened.uri, opened.version, opened.text)


def did_change(ls: JudgeServer, params: wire.DidChange) -> None:
    changed = params.text_document
    if not ls.session.change(changed.uri, changed.version, params.content_changes):
        ls.protocol.log(f"{changed.uri} was changed but is not open")


def did_close(ls: JudgeServer, params: types.DidCloseTextDocumentParams) -> None:
    closed = ls.session.close(params.text_document.uri)
    if closed is None:
        return
    ls.coloured.pop(closed.uri, None)
    if not ls.client.pull:
        ls.protocol.notify(types.TEXT_DOCUMENT_PUBLISH_DIAGNOSTICS, wire.Published(closed.uri, []))


def did_change_watched_files(ls: JudgeServer, params: types.DidChangeWatchedFilesParams) -> None:
    ls.session.reread(to_path(change.uri) for change in params.changes)


def did_change_folders(ls: JudgeServer, params: types.DidChangeWorkspaceFoldersParams) -> None:
    for folder in params.event.added:
        ls.protocol.begin(partial(read_folder, ls, to_path(folder.uri)))
    for folder in params.event.removed:
        ls.session.leave(to_path(folder.uri))


def did_change_configuration(ls: JudgeServer, params: types.DidChangeConfigurationParams) -> None:
    """There is nothing to configure."""


def did_save(ls: JudgeServer, params: types.DidSaveTextDocumentParams) -> None:
    """What is saved was read before."""


# --- diagnostics that are asked for ------------------------------------------------------------------------


def diagnostic(ls: JudgeServer, params: types.DocumentDiagnosticParams) -> wire.Report | wire.Unchanged:
    opened = ls.opened(params.text_document)
    if opened is None:
        return wire.Report([])
    document, analysis = opened
    result_id = ls.session.edition(document, analysis.diagnostics)
    if result_id == params.previous_result_id:
        return wire.Unchanged(result_id)
    return wire.Report(ls.diagnostics(document, analysis.diagnostics), result_id)


async def workspace_diagnostic(ls: JudgeServer, params: types.WorkspaceDiagnosticParams) -> wire.FileReports:
    before = {previous.uri: previous.value for previous in params.previous_result_ids}
    reports: list[wire.FileReport | wire.FileUnchanged] = []
    for analysis in await ls.unhurried(ls.session.known()):
        document = ls.session.document(analysis.path)
        uri = document.uri or to_uri(analysis.path)
        version = document.version if ls.session.documents.get(analysis.path) is not None else None
        result_id = ls.session.edition(document, analysis.diagnostics)
        if before.get(uri) == result_id:
            reports.append(wire.FileUnchanged(uri, version, result_id))
        else:
            found = ls.diagnostics(document, analysis.diagnostics)
            reports.append(wire.FileReport(uri, version, found, result_id))
    return wire.FileReports(reports)


FEATURES: tuple[Feature, ...] = (
    (types.INITIALIZE, initialize, None),
    (types.INITIALIZED, initialized, None),
    (types.TEXT_DOCUMENT_DID_OPEN, did_open, None),
    (types.TEXT_DOCUMENT_DID_CHANGE, did_change, None),
    (types.TEXT_DOCUMENT_DID_CLOSE, did_close, None),
    (types.TEXT_DOCUMENT_DID_SAVE, did_save, None),
    (types.WORKSPACE_DID_CHANGE_WATCHED_FILES, did_change_watched_files, None),
    (types.WORKSPACE_DID_CHANGE_WORKSPACE_FOLDERS, did_change_folders, None),
    (types.WORKSPACE_DID_CHANGE_CONFIGURATION, did_change_configuration, None),
    (types.TEXT_DOCUMENT_DIAGNOSTIC, diagnostic, types.DiagnosticOptions(True, True)),
    (types.WORKSPACE_DIAGNOSTIC, workspace_diagnostic, None),
)
