"""What helps while something is written, and what changes the text."""

from __future__ import annotations

from bisect import bisect_left, bisect_right
from operator import itemgetter

from lsprotocol import types
from pygls.exceptions import JsonRpcException

from ...dsl.diagnostics import Edit
from ...dsl.workspace.analysis import Analysis
from .. import wire
from ..documents import Document
from ..features.actions import Action, extractions, fix_all, quick_fixes, rewrites
from ..features.completion import Item, completions
from ..features.formatting import format_edits, within
from ..features.hover import about_declaration
from ..features.keystrokes import TRIGGERS, on_type
from ..features.references import RenameError, renamable, rename
from ..features.signature import signature_help
from ..judge_server import Feature, JudgeServer
from ..translate import offset_of, to_edits, to_markup, to_range
from .navigation import others

SNIPPET, PLAIN_TEXT = types.InsertTextFormat.Snippet, types.InsertTextFormat.PlainText
ADJUST = types.InsertTextMode.AdjustIndentation
QUICK_FIX = types.CodeActionKind.QuickFix.value
EXTRACT = types.CodeActionKind.RefactorExtract.value
REWRITE = types.CodeActionKind.RefactorRewrite.value
FIX_ALL = f"{types.CodeActionKind.SourceFixAll.value}.judgeflow"
_KINDS = {
    "keyword": types.CompletionItemKind.Keyword,
    "snippet": types.CompletionItemKind.Snippet,
    "function": types.CompletionItemKind.Function,
    "method": types.CompletionItemKind.Method,
    "class": types.CompletionItemKind.Class,
    "variable": types.CompletionItemKind.Variable,
    "constant": types.CompletionItemKind.Constant,
    "field": types.CompletionItemKind.Field,
    "module": types.CompletionItemKind.Module,
    "value": types.CompletionItemKind.EnumMember,
    "property": types.CompletionItemKind.Property,
    "file": types.CompletionItemKind.File,
}


class RequestFailed(JsonRpcException):
    """The request was understood, and the answer is no; the message is shown to the user."""

    CODE = types.LSPErrorCodes.RequestFailed.value


# --- completion --------------------------------------------------------------------------------------------


async def on_completion(ls: JudgeServer, params: types.CompletionParams) -> wire.Completions:
    opened = ls.opened(params.text_document)
    if opened is None:
        return wire.Completions([])
    document, analysis = opened
    found = completions(analysis, offset_of(document, params.position), ls.listing())
    ranges: dict[tuple[int, int], wire.Range] = {}
    items = (_item(one, document, ls, analysis, ranges) for one in found)
    return wire.Completions(await ls.gather(document, items))


def _item(
    item: Item,
    document: Document,
    ls: JudgeServer,
    analysis: Analysis,
    ranges: dict[tuple[int, int], wire.Range],
) -> wire.Completion:
    snippet = item.snippet and ls.client.snippets
    text = item.insert if snippet or (item.insert and not item.snippet) else item.label
    place = (item.start, item.end)
    if place not in ranges:
        ranges[place] = document.range(*place)
    about = to_markup(item.documentation, rich=ls.client.markdown_items) if item.documentation else None
    return wire.Completion(
        item.label,
        kind=_KINDS[item.kind].value,
        detail=item.detail or None,
        sort_text=f"{item.rank}{item.label}",
        text_edit=wire.TextEdit(ranges[place], text),
        insert_text_format=(SNIPPET if snippet else PLAIN_TEXT).value,
        insert_text_mode=ADJUST.value if snippet and ls.client.indents_snippets else None,
        documentation=wire.Markup(about.kind.value, about.value)
        if isinstance(about, types.MarkupContent)
        else about,
        data={"path": analysis.path, "name": item.name} if item.name and not about else None,
    )


def on_completion_resolve(ls: JudgeServer, item: types.CompletionItem) -> types.CompletionItem:
    data = item.data
    if isinstance(data, dict) and isinstance(data.get("path"), str) and isinstance(data.get("name"), str):
        analysis = ls.session.analysis_of(data["path"])
        text = about_declaration(data["name"], analysis, ls.session.analysis_of) if analysis else ""
        if text:
            item.documentation = to_markup(text, rich=ls.client.markdown_items)
    return item


def on_signature_help(ls: JudgeServer, params: types.SignatureHelpParams) -> types.SignatureHelp | None:
    opened = ls.opened(params.text_document)
    if opened is None:
        return None
    document, analysis = opened
    found = signature_help(analysis, offset_of(document, params.position))
    if found is None:
        return None
    information = types.SignatureInformation(
        found.label,
        documentation=found.documentation or None,
        parameters=[types.ParameterInformation(found.label[start:end]) for start, end in found.parameters],
        active_parameter=found.active,
    )
    return types.SignatureHelp([information], active_signature=0, active_parameter=found.active)


# --- changes -----------------------------------------------------------------------------------------------


def workspace_edit(ls: JudgeServer, edits: dict[str, list[Edit]]) -> types.WorkspaceEdit:
    """Edits by path, for the versions that the client has where it wants to know."""
    changed = {path: (ls.session.document(path), tuple(found)) for path, found in edits.items()}
    if not ls.client.edits_with_versions:
        return types.WorkspaceEdit(
            {document.uri: to_edits(document, found) for document, found in changed.values()}
        )
    open_ = {document.path for document in ls.session.documents}
    return types.WorkspaceEdit(
        document_changes=[
            types.TextDocumentEdit(
                types.OptionalVersionedTextDocumentIdentifier(
                    document.uri, document.version if path in open_ else None
                ),
                list(to_edits(document, found)),
            )
            for path, (document, found) in changed.items()
        ]
    )


def on_prepare_rename(
    ls: JudgeServer, params: types.PrepareRenameParams
) -> types.PrepareRenamePlaceholder | None:
    opened = ls.opened(params.text_document)
    if opened is None:
        return None
    document, analysis = opened
    named = renamable(analysis, offset_of(document, params.position))
    if named is None:
        return None
    return types.PrepareRenamePlaceholder(to_range(document, named.start, named.end), named.target.name)


def on_rename(ls: JudgeServer, params: types.RenameParams) -> types.WorkspaceEdit | None:
    opened = ls.opened(params.text_document)
    if opened is None:
        return None
    document, analysis = opened
    offset = offset_of(document, params.position)
    try:
        edits = rename(analysis, offset, params.new_name, others(ls, analysis, offset))
    except RenameError as error:
        raise RequestFailed(str(error)) from None
    return workspace_edit(ls, edits)


def on_code_action(ls: JudgeServer, params: types.CodeActionParams) -> list[types.CodeAction]:
    opened = ls.opened(params.text_document)
    if opened is None:
        return []
    document, analysis = opened
    start, end = offset_of(document, params.range.start), offset_of(document, params.range.end)
    only = [str(getattr(kind, "value", kind)) for kind in params.context.only or ()]
    # An editor may ask for what stands on the cursor's line, though the cursor is beside it.
    meant = [offset_of(document, one.range.start) for one in params.context.diagnostics]
    made: list[types.CodeAction] = []
    if _wanted(QUICK_FIX, only):
        fixes = quick_fixes(analysis, start, end, ls.session.declaring, meant)
        made += [_action(one, QUICK_FIX, ls, document) for one in fixes]
    if _wanted(EXTRACT, only):
        made += [_action(one, EXTRACT, ls, document) for one in extractions(analysis, start, end)]
    if _wanted(REWRITE, only):
        made += [_action(one, REWRITE, ls, document) for one in rewrites(analysis, start, end)]
    everything = fix_all(analysis) if only and _wanted(FIX_ALL, only) else None
    if everything is not None:
        made.append(_action(everything, FIX_ALL, ls, document))
    return made


def _wanted(kind: str, only: list[str]) -> bool:
    return not only or any(kind == wanted or kind.startswith(f"{wanted}.") for wanted in only)


def _action(action: Action, kind: str, ls: JudgeServer, document: Document) -> types.CodeAction:
    return types.CodeAction(
        action.title,
        kind=kind,
        diagnostics=[
            ls.protocol.structured(one, types.Diagnostic)
            for one in ls.diagnostics(document, action.diagnostics)
        ]
        or None,
        is_preferred=action.preferred or None,
        edit=workspace_edit(ls, {path: list(edits) for path, edits in action.edits.items()}),
    )


# --- layout ------------------------------------------------------------------------------------------------


async def on_formatting(
    ls: JudgeServer, params: types.DocumentFormattingParams
) -> list[types.TextEdit] | None:
    opened = ls.opened(params.text_document)
    return None if opened is None else await _formatted(ls, *opened, 0, opened[0].length)


async def on_range_formatting(
    ls: JudgeServer, params: types.DocumentRangeFormattingParams
) -> list[types.TextEdit] | None:
    opened = ls.opened(params.text_document)
    if opened is None:
        return None
    start, end = params.range.start, params.range.end
    return await _formatted(ls, *opened, offset_of(opened[0], start), offset_of(opened[0], end))


async def _formatted(
    ls: JudgeServer, document: Document, analysis: Analysis, start: int, end: int
) -> list[types.TextEdit]:
    items = analysis.module.items
    chunks = [(item.offset, item.offset + len(item.text)) for item in items]
    first = max(0, bisect_left(chunks, start, key=itemgetter(1)) - 1)
    last = bisect_right(chunks, end, key=itemgetter(0)) + 1
    # What stands between two declarations depends on both.
    near = {item.text for item in items[first:last]}
    found = format_edits(analysis.source.text, chunks, lambda text: ls.layout(text) if text in near else text)
    edits = [edit for some in await ls.gather(document, found) for edit in some]
    return to_edits(document, tuple(within(edits, start, end)))


def on_type_formatting(
    ls: JudgeServer, params: types.DocumentOnTypeFormattingParams
) -> list[types.TextEdit] | None:
    opened = ls.opened(params.text_document)
    if opened is None:
        return None
    document, analysis = opened
    return to_edits(document, tuple(on_type(analysis, offset_of(document, params.position), params.ch)))


FEATURES: tuple[Feature, ...] = (
    (
        types.TEXT_DOCUMENT_COMPLETION,
        on_completion,
        types.CompletionOptions(
            resolve_provider=True, trigger_characters=[".", "(", "[", "{", '"', "/", ":"]
        ),
    ),
    (types.COMPLETION_ITEM_RESOLVE, on_completion_resolve, None),
    (
        types.TEXT_DOCUMENT_SIGNATURE_HELP,
        on_signature_help,
        types.SignatureHelpOptions(trigger_characters=["(", ","], retrigger_characters=[")"]),
    ),
    (types.TEXT_DOCUMENT_PREPARE_RENAME, on_prepare_rename, None),
    (types.TEXT_DOCUMENT_RENAME, on_rename, None),
    (
        types.TEXT_DOCUMENT_CODE_ACTION,
        on_code_action,
        types.CodeActionOptions(code_action_kinds=[QUICK_FIX, EXTRACT, REWRITE, FIX_ALL]),
    ),
    (types.TEXT_DOCUMENT_FORMATTING, on_formatting, None),
    (types.TEXT_DOCUMENT_RANGE_FORMATTING, on_range_formatting, None),
    (
        types.TEXT_DOCUMENT_ON_TYPE_FORMATTING,
        on_type_formatting,
        types.DocumentOnTypeFormattingOptions(TRIGGERS[0], list(TRIGGERS[1:])),
    ),
)
