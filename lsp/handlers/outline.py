"""What an editor draws into and beside the text."""

from __future__ import annotations

from lsprotocol import types

from ...dsl.workspace.analysis import Analysis
from ..documents import Document
from ..features.folding import folds
from ..features.hints import hints
from ..features.lenses import RUN, Lens, lenses
from ..features.links import links
from ..features.selection import selections
from ..features.tokens import MODIFIERS, TYPES, difference, encode, tokens
from ..judge_server import Feature, JudgeServer
from ..translate import offset_of, to_position, to_range
from ..uris import to_uri

LEGEND = types.SemanticTokensLegend(list(TYPES), list(MODIFIERS))
_FOLDS = {
    "region": types.FoldingRangeKind.Region,
    "comment": types.FoldingRangeKind.Comment,
    "imports": types.FoldingRangeKind.Imports,
}


async def on_folding(ls: JudgeServer, params: types.FoldingRangeParams) -> list[types.FoldingRange]:
    opened = ls.opened(params.text_document)
    if opened is None:
        return []
    document, analysis = opened
    found: dict[int, types.FoldingRange] = {}
    for fold in await ls.gather(document, folds(analysis)):
        first, last = document.line_at(fold.start), document.line_at(fold.end)
        if first < last and first not in found:
            found[first] = types.FoldingRange(first, last, kind=_FOLDS[fold.kind])
    return list(found.values())


def on_selection(ls: JudgeServer, params: types.SelectionRangeParams) -> list[types.SelectionRange]:
    opened = ls.opened(params.text_document)
    if opened is None:
        return []
    document, analysis = opened
    made = []
    for position in params.positions:
        outer: types.SelectionRange | None = None
        for start, end in reversed(selections(analysis, offset_of(document, position))):
            outer = types.SelectionRange(to_range(document, start, end), outer)
        if outer is not None:
            made.append(outer)
    return made


async def on_links(ls: JudgeServer, params: types.DocumentLinkParams) -> list[types.DocumentLink]:
    opened = ls.opened(params.text_document)
    if opened is None:
        return []
    document, analysis = opened
    return [
        types.DocumentLink(
            to_range(document, one.start, one.end),
            to_uri(one.path),
            one.tooltip if ls.client.link_tooltips else None,
        )
        for one in await ls.gather(document, links(analysis))
    ]


def on_inlay_hints(ls: JudgeServer, params: types.InlayHintParams) -> list[types.InlayHint]:
    opened = ls.opened(params.text_document)
    if opened is None:
        return []
    document, analysis = opened
    start, end = offset_of(document, params.range.start), offset_of(document, params.range.end)
    return [
        types.InlayHint(
            to_position(document, one.offset),
            one.label,
            kind=types.InlayHintKind.Type if one.kind == "type" else None,
            tooltip=one.tooltip or None,
        )
        for one in hints(analysis, start, end)
    ]


async def on_code_lens(ls: JudgeServer, params: types.CodeLensParams) -> list[types.CodeLens]:
    opened = ls.opened(params.text_document)
    if opened is None:
        return []
    document, analysis = opened
    found = lenses(analysis, ls.session.seeing(analysis.path))
    return await ls.gather(document, (_lens(one, document) for one in found))


def _lens(lens: Lens, document: Document) -> types.CodeLens:
    stretch = to_range(document, lens.start, lens.end)
    arguments: list[object] = [document.uri, stretch.start]
    if lens.name is not None:
        inputs = [{"name": name, "shape": shape} for name, shape in lens.inputs]
        arguments = [document.uri, lens.name, *([inputs] if lens.command == RUN else [])]
    return types.CodeLens(stretch, types.Command(lens.title, lens.command, arguments=arguments))


# --- colours -----------------------------------------------------------------------------------------------


async def on_tokens(ls: JudgeServer, params: types.SemanticTokensParams) -> types.SemanticTokens:
    opened = ls.opened(params.text_document)
    if opened is None:
        return types.SemanticTokens([])
    document, analysis = opened
    data = await _data(ls, document, analysis, 0, None)
    return types.SemanticTokens(data, _remember(ls, document.uri, data))


async def on_tokens_range(ls: JudgeServer, params: types.SemanticTokensRangeParams) -> types.SemanticTokens:
    opened = ls.opened(params.text_document)
    if opened is None:
        return types.SemanticTokens([])
    document, analysis = opened
    start, end = offset_of(document, params.range.start), offset_of(document, params.range.end)
    return types.SemanticTokens(await _data(ls, document, analysis, start, end))


async def on_tokens_delta(
    ls: JudgeServer, params: types.SemanticTokensDeltaParams
) -> types.SemanticTokens | types.SemanticTokensDelta:
    opened = ls.opened(params.text_document)
    if opened is None:
        return types.SemanticTokens([])
    document, analysis = opened
    name, old = ls.coloured.get(document.uri, ("", []))
    data = await _data(ls, document, analysis, 0, None)
    result_id = _remember(ls, document.uri, data)
    if name != params.previous_result_id:
        return types.SemanticTokens(data, result_id)
    edits = [types.SemanticTokensEdit(start, dropped, put) for start, dropped, put in difference(old, data)]
    return types.SemanticTokensDelta(edits, result_id)


async def _data(
    ls: JudgeServer, document: Document, analysis: Analysis, start: int, end: int | None
) -> list[int]:
    found = await ls.gather(document, tokens(analysis, ls.colours, start, end))
    places = document.places((token.start, token.end) for token in found)
    placed = ((*place, token.type, token.modifiers) for place, token in zip(places, found, strict=True))
    return encode(await ls.gather(document, placed))


def _remember(ls: JudgeServer, uri: str, data: list[int]) -> str:
    number, _ = ls.coloured.get(uri, ("0", []))
    name = str(int(number) + 1)
    ls.coloured[uri] = (name, data)
    return name


FEATURES: tuple[Feature, ...] = (
    (types.TEXT_DOCUMENT_FOLDING_RANGE, on_folding, None),
    (types.TEXT_DOCUMENT_SELECTION_RANGE, on_selection, None),
    (types.TEXT_DOCUMENT_DOCUMENT_LINK, on_links, None),
    (types.TEXT_DOCUMENT_INLAY_HINT, on_inlay_hints, None),
    (types.TEXT_DOCUMENT_CODE_LENS, on_code_lens, None),
    (types.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL, on_tokens, LEGEND),
    (types.TEXT_DOCUMENT_SEMANTIC_TOKENS_FULL_DELTA, on_tokens_delta, LEGEND),
    (types.TEXT_DOCUMENT_SEMANTIC_TOKENS_RANGE, on_tokens_range, LEGEND),
)
