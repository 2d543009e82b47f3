"""What an editor draws into and beside the text."""

from __future__ import annotations

from collections.abc import Iterable

from lsprotocol import types

from ...dsl.graph import target_of
from ...dsl.parse import Item
from ...dsl.workspace.analysis import Analysis
from .. import wire
from ..documents import Document
from ..features.folding import Fold, folds, import_folds
from ..features.hints import hints
from ..features.lenses import RUN, Lens, lenses
from ..features.links import links
from ..features.selection import selections
from ..features.tokens import MODIFIERS, TYPES, difference, joined
from ..judge_server import Feature, JudgeServer
from ..translate import offset_of, to_position, to_range
from ..uris import to_uri

LEGEND = types.SemanticTokensLegend(list(TYPES), list(MODIFIERS))


async def on_folding(ls: JudgeServer, params: types.FoldingRangeParams) -> list[wire.Fold]:
    opened = ls.opened(params.text_document)
    if opened is None:
        return []
    document, analysis = opened
    found = await ls.pieces(document, analysis, declaration_folds)
    imports = _folds(import_folds(analysis), document)
    return sorted((*found, *imports), key=lambda fold: fold.start_line) if imports else found


def declaration_folds(item: Item, document: Document) -> list[wire.Fold]:
    return _folds(folds(item), document)


def _folds(found: Iterable[Fold], document: Document) -> list[wire.Fold]:
    """Of those that begin on one line the first; what is on one line is left out."""
    made: dict[int, wire.Fold] = {}
    for fold in found:
        first, last = document.line_at(fold.start), document.line_at(fold.end)
        if first < last and first not in made:
            made[first] = wire.Fold(first, last, fold.kind)
    return list(made.values())


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


async def on_links(ls: JudgeServer, params: types.DocumentLinkParams) -> list[wire.Link]:
    opened = ls.opened(params.text_document)
    if opened is None:
        return []
    document, analysis = opened
    return [
        wire.Link(
            one.range,
            to_uri(target_of(analysis.path, one.target)),
            one.tooltip if ls.client.link_tooltips else None,
        )
        for one in await ls.pieces(document, analysis, declaration_links)
    ]


def declaration_links(item: Item, document: Document) -> list[wire.Link]:
    """With the path as it is written for a target."""
    return [wire.Link(document.range(one.start, one.end), one.written, one.tooltip) for one in links(item)]


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


async def on_code_lens(ls: JudgeServer, params: types.CodeLensParams) -> list[wire.Lens]:
    opened = ls.opened(params.text_document)
    if opened is None:
        return []
    document, analysis = opened
    found = lenses(analysis, ls.session.seeing(analysis.path))
    return await ls.gather(document, (_lens(one, document) for one in found))


def _lens(lens: Lens, document: Document) -> wire.Lens:
    stretch = document.range(lens.start, lens.end)
    arguments: list[object] = [document.uri, stretch.start]
    if lens.name is not None:
        inputs = [{"name": name, "shape": shape} for name, shape in lens.inputs]
        arguments = [document.uri, lens.name, *([inputs] if lens.command == RUN else [])]
    return wire.Lens(stretch, wire.Command(lens.title, lens.command, arguments))


# --- colours -----------------------------------------------------------------------------------------------


async def on_tokens(ls: JudgeServer, params: types.SemanticTokensParams) -> wire.Tokens:
    opened = ls.opened(params.text_document)
    if opened is None:
        return wire.Tokens([])
    document, analysis = opened
    data = await _data(ls, document, analysis, 0, document.length)
    return wire.Tokens(data, _remember(ls, document.uri, data))


async def on_tokens_range(ls: JudgeServer, params: types.SemanticTokensRangeParams) -> wire.Tokens:
    opened = ls.opened(params.text_document)
    if opened is None:
        return wire.Tokens([])
    document, analysis = opened
    start, end = offset_of(document, params.range.start), offset_of(document, params.range.end)
    return wire.Tokens(await _data(ls, document, analysis, start, end))


async def on_tokens_delta(
    ls: JudgeServer, params: types.SemanticTokensDeltaParams
) -> wire.Tokens | wire.TokensDelta:
    opened = ls.opened(params.text_document)
    if opened is None:
        return wire.Tokens([])
    document, analysis = opened
    name, old = ls.coloured.get(document.uri, ("", []))
    data = await _data(ls, document, analysis, 0, document.length)
    result_id = _remember(ls, document.uri, data)
    if name != params.previous_result_id:
        return wire.Tokens(data, result_id)
    edits = [wire.TokensEdit(start, dropped, put) for start, dropped, put in difference(old, data)]
    return wire.TokensDelta(edits, result_id)


async def _data(ls: JudgeServer, document: Document, analysis: Analysis, start: int, end: int) -> list[int]:
    """The tokens of the declarations that touch a stretch of the text."""
    parts = (
        (document.line_at(item.offset), ls.colours.colours(item, analysis))
        for item in analysis.module.items
        if item.offset + len(item.text) >= start and item.offset <= end
    )
    return joined(await ls.gather(document, parts), document.encoding)


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
