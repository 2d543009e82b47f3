"""Where things are, who names them, and what they are."""

from __future__ import annotations

from collections.abc import Callable

from lsprotocol import types

from ...dsl.parse import Item
from ...dsl.workspace.analysis import Analysis
from .. import wire
from ..documents import Document
from ..features.definition import AnalysisOf, Place, definition, type_definition
from ..features.hierarchy import Member, Relation, incoming, member, member_at, outgoing
from ..features.hover import hover
from ..features.references import highlights, home, references
from ..features.symbols import Found, Symbol, closest_first, matching_symbols, symbol_of
from ..judge_server import Feature, JudgeServer
from ..translate import offset_of, to_markup, to_range
from ..uris import to_path

_KINDS = {
    "workflow": types.SymbolKind.Package,
    "import": types.SymbolKind.Module,
    "constant": types.SymbolKind.Constant,
    "provider": types.SymbolKind.Namespace,
    "model": types.SymbolKind.Namespace,
    "type": types.SymbolKind.Struct,
    "tool": types.SymbolKind.Function,
    "agent": types.SymbolKind.Class,
    "judge": types.SymbolKind.Method,
    "scorer": types.SymbolKind.Operator,
    "gate": types.SymbolKind.Interface,
    "decision": types.SymbolKind.Enum,
    "context": types.SymbolKind.Object,
    "limits": types.SymbolKind.Object,
    "memory": types.SymbolKind.Object,
    "flow": types.SymbolKind.Function,
    "profile": types.SymbolKind.Object,
    "suite": types.SymbolKind.Event,
    "test": types.SymbolKind.Event,
    "field": types.SymbolKind.Field,
    "option": types.SymbolKind.EnumMember,
    "question": types.SymbolKind.Property,
    "override": types.SymbolKind.Property,
}


def on_hover(ls: JudgeServer, params: types.HoverParams) -> types.Hover | None:
    opened = ls.opened(params.text_document)
    if opened is None:
        return None
    document, analysis = opened
    found = hover(analysis, offset_of(document, params.position), ls.session.analysis_of)
    if found is None:
        return None
    content = to_markup(found.markdown, rich=ls.client.markdown_hover)
    if isinstance(content, str):
        # A bare string in a hover would be read as Markdown.
        content = types.MarkupContent(types.MarkupKind.PlainText, content)
    return types.Hover(content, to_range(document, found.start, found.end))


def on_definition(ls: JudgeServer, params: types.DefinitionParams) -> list[types.Location]:
    return _places(ls, params, definition)


def on_type_definition(ls: JudgeServer, params: types.TypeDefinitionParams) -> list[types.Location]:
    return _places(ls, params, type_definition)


def _places(
    ls: JudgeServer,
    params: types.DefinitionParams | types.TypeDefinitionParams,
    find: Callable[[Analysis, int, AnalysisOf], list[Place]],
) -> list[types.Location]:
    opened = ls.opened(params.text_document)
    if opened is None:
        return []
    document, analysis = opened
    return [
        ls.location(place.path, place.start, place.end)
        for place in find(analysis, offset_of(document, params.position), ls.session.analysis_of)
    ]


def on_references(ls: JudgeServer, params: types.ReferenceParams) -> list[types.Location]:
    opened = ls.opened(params.text_document)
    if opened is None:
        return []
    document, analysis = opened
    offset = offset_of(document, params.position)
    found = references(
        analysis, offset, others(ls, analysis, offset), declaration=params.context.include_declaration
    )
    return [ls.location(one.path, one.start, one.end) for one in found]


def others(ls: JudgeServer, analysis: Analysis, offset: int) -> list[Analysis]:
    """The other files that can name what stands at an offset: where it is declared, and who sees that."""
    where = home(analysis, offset)
    if where is None:
        return []
    found = {one.path: one for one in ls.session.seeing(where)}
    own = ls.session.analysis_of(where)
    if own is not None:
        found[where] = own
    found.pop(analysis.path, None)
    return list(found.values())


def on_highlight(ls: JudgeServer, params: types.DocumentHighlightParams) -> list[types.DocumentHighlight]:
    opened = ls.opened(params.text_document)
    if opened is None:
        return []
    document, analysis = opened
    kinds = {True: types.DocumentHighlightKind.Write, False: types.DocumentHighlightKind.Read}
    return [
        types.DocumentHighlight(to_range(document, one.start, one.end), kinds[one.writes])
        for one in highlights(analysis, offset_of(document, params.position))
    ]


# --- symbols -----------------------------------------------------------------------------------------------


async def on_document_symbol(
    ls: JudgeServer, params: types.DocumentSymbolParams
) -> list[wire.Symbol] | list[types.SymbolInformation]:
    opened = ls.opened(params.text_document)
    if opened is None:
        return []
    document, analysis = opened
    if ls.client.hierarchy:
        return await ls.pieces(document, analysis, declaration_symbols)
    flat = (
        types.SymbolInformation(ls.location(analysis.path, one.start, one.end), one.name, _KINDS[one.kind])
        for item in analysis.module.items
        if (one := symbol_of(item)) is not None
    )
    return await ls.gather(document, flat)


def declaration_symbols(item: Item, document: Document) -> list[wire.Symbol]:
    symbol = symbol_of(item)
    return [] if symbol is None else [_symbol(symbol, document)]


def _symbol(symbol: Symbol, document: Document) -> wire.Symbol:
    return wire.Symbol(
        symbol.name,
        _KINDS[symbol.kind].value,
        document.range(symbol.start, symbol.end),
        document.range(symbol.name_start, symbol.name_end),
        symbol.detail,
        [_symbol(child, document) for child in symbol.children],
    )


async def on_workspace_symbol(
    ls: JudgeServer, params: types.WorkspaceSymbolParams
) -> list[types.SymbolInformation]:
    modules = await ls.unhurried(ls.session.modules())
    found = await ls.unhurried(matching_symbols(modules, params.query))
    return await ls.unhurried(_information(one, ls) for one in closest_first(found))


def _information(found: Found, ls: JudgeServer) -> types.SymbolInformation:
    symbol = found.symbol
    return types.SymbolInformation(
        ls.location(found.path, symbol.name_start, symbol.name_end),
        symbol.name,
        _KINDS[symbol.kind],
        container_name=found.path.rpartition("/")[2],
    )


# --- who calls whom ----------------------------------------------------------------------------------------


def on_prepare_calls(
    ls: JudgeServer, params: types.CallHierarchyPrepareParams
) -> list[types.CallHierarchyItem] | None:
    opened = ls.opened(params.text_document)
    if opened is None:
        return None
    document, analysis = opened
    found = member_at(analysis, offset_of(document, params.position), ls.session.analysis_of)
    return None if found is None else [_member(ls, found)]


def on_incoming_calls(
    ls: JudgeServer, params: types.CallHierarchyIncomingCallsParams
) -> list[types.CallHierarchyIncomingCall]:
    path, name = to_path(params.item.uri), params.item.name
    own = ls.session.analysis_of(path)
    analyses = [*([own] if own else []), *ls.session.seeing(path)]
    return [
        types.CallHierarchyIncomingCall(_member(ls, one.member), _ranges(ls, one.member.path, one))
        for one in incoming(name, path, analyses)
    ]


def on_outgoing_calls(
    ls: JudgeServer, params: types.CallHierarchyOutgoingCallsParams
) -> list[types.CallHierarchyOutgoingCall]:
    path = to_path(params.item.uri)
    analysis = ls.session.analysis_of(path)
    if analysis is None:
        return []
    return [
        types.CallHierarchyOutgoingCall(_member(ls, one.member), _ranges(ls, path, one))
        for one in outgoing(params.item.name, analysis)
        if member(one.member.symbol.name, analysis) is not None
    ]


def _ranges(ls: JudgeServer, path: str, relation: Relation) -> list[types.Range]:
    document = ls.session.document(path)
    return [to_range(document, start, end) for start, end in relation.places]


def _member(ls: JudgeServer, found: Member) -> types.CallHierarchyItem:
    document, symbol = ls.session.document(found.path), found.symbol
    return types.CallHierarchyItem(
        symbol.name,
        _KINDS[symbol.kind],
        document.uri,
        to_range(document, symbol.start, symbol.end),
        to_range(document, symbol.name_start, symbol.name_end),
        detail=symbol.detail,
    )


FEATURES: tuple[Feature, ...] = (
    (types.TEXT_DOCUMENT_HOVER, on_hover, None),
    (types.TEXT_DOCUMENT_DEFINITION, on_definition, None),
    (types.TEXT_DOCUMENT_TYPE_DEFINITION, on_type_definition, None),
    (types.TEXT_DOCUMENT_REFERENCES, on_references, None),
    (types.TEXT_DOCUMENT_DOCUMENT_HIGHLIGHT, on_highlight, None),
    (types.TEXT_DOCUMENT_DOCUMENT_SYMBOL, on_document_symbol, None),
    (types.WORKSPACE_SYMBOL, on_workspace_symbol, None),
    (types.TEXT_DOCUMENT_PREPARE_CALL_HIERARCHY, on_prepare_calls, None),
    (types.CALL_HIERARCHY_INCOMING_CALLS, on_incoming_calls, None),
    (types.CALL_HIERARCHY_OUTGOING_CALLS, on_outgoing_calls, None),
)
