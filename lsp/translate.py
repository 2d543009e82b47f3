"""From offsets and plain data to what the protocol calls them."""

from __future__ import annotations

from collections.abc import Callable

from lsprotocol import types

from ..dsl.diagnostics import Diagnostic, Edit, Severity
from .client import Client
from .documents import Change, Document, Position, Range

SEVERITIES: dict[Severity, types.DiagnosticSeverity] = {
    "error": types.DiagnosticSeverity.Error,
    "warning": types.DiagnosticSeverity.Warning,
    "hint": types.DiagnosticSeverity.Hint,
}
UNNECESSARY = frozenset(("name.unused", "flow.unreachable", "decision.uncertain-unreachable"))
"""Codes of text that could be deleted without a difference: editors fade it."""

SOURCE = "judgeflow"


def to_range(document: Document, start: int, end: int) -> types.Range:
    first, last = document.range(start, end)
    return types.Range(types.Position(*first), types.Position(*last))


def offset_of(document: Document, position: types.Position) -> int:
    return document.offset(Position(position.line, position.character))


def to_change(change: types.TextDocumentContentChangeEvent) -> Change:
    if isinstance(change, types.TextDocumentContentChangePartial):
        start, end = change.range.start, change.range.end
        return Change(
            Range(Position(start.line, start.character), Position(end.line, end.character)), change.text
        )
    return Change(None, change.text)


def to_edits(document: Document, edits: tuple[Edit, ...]) -> list[types.TextEdit]:
    return [types.TextEdit(to_range(document, edit.start, edit.end), edit.text) for edit in edits]


def to_location(document: Document, start: int, end: int) -> types.Location:
    return types.Location(document.uri, to_range(document, start, end))


def to_markup(markdown: str, *, rich: bool) -> types.MarkupContent | str:
    """Text for a client that shows Markdown, or one that does not."""
    if rich:
        return types.MarkupContent(types.MarkupKind.Markdown, markdown)
    lines = (line for line in markdown.splitlines() if not line.startswith("```"))
    return "\n".join(lines).replace("`", "").replace("*", "")


def to_diagnostic(
    found: Diagnostic, document: Document, other: Callable[[str], Document], client: Client
) -> types.Diagnostic:
    """`other` gives the text of another file by its path, for the places that explain the finding."""
    diagnostic = types.Diagnostic(
        range=to_range(document, found.start, found.end),
        message=f"{found.message}\n{found.help}" if found.help else found.message,
        severity=SEVERITIES[found.severity],
        code=found.code,
        source=SOURCE,
    )
    page = client.page(found.code)
    if page is not None:
        diagnostic.code_description = types.CodeDescription(page)
    if client.tags and found.code in UNNECESSARY:
        diagnostic.tags = [types.DiagnosticTag.Unnecessary]
    if client.related and found.labels:
        diagnostic.related_information = [
            types.DiagnosticRelatedInformation(
                to_location(document if label.path is None else other(label.path), label.start, label.end),
                label.text,
            )
            for label in found.labels
        ]
    return diagnostic
