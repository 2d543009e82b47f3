"""From offsets and plain data to what the protocol calls them."""

from __future__ import annotations

from collections.abc import Callable

from lsprotocol import types

from ..dsl.diagnostics import Diagnostic, Edit, Severity
from . import wire
from .client import Client
from .documents import Document

SEVERITIES: dict[Severity, int] = {
    "error": types.DiagnosticSeverity.Error.value,
    "warning": types.DiagnosticSeverity.Warning.value,
    "hint": types.DiagnosticSeverity.Hint.value,
}
UNNECESSARY = frozenset(("name.unused", "flow.unreachable", "decision.uncertain-unreachable"))
"""Codes of text that could be deleted without a difference: editors fade it."""

SOURCE = "judgeflow"


def to_position(document: Document, offset: int) -> types.Position:
    position = document.position(offset)
    return types.Position(position.line, position.character)


def to_range(document: Document, start: int, end: int) -> types.Range:
    return types.Range(to_position(document, start), to_position(document, end))


def offset_of(document: Document, position: types.Position) -> int:
    return document.offset(wire.Position(position.line, position.character))


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
) -> wire.Diagnostic:
    """`other` gives the text of another file by its path, for the places that explain the finding."""
    page = client.page(found.code)
    related = None
    if client.related and found.labels:
        related = [
            wire.Related(
                _location(document if label.path is None else other(label.path), label.start, label.end),
                label.text,
            )
            for label in found.labels
        ]
    return wire.Diagnostic(
        document.range(found.start, found.end),
        f"{found.message}\n{found.help}" if found.help else found.message,
        SEVERITIES[found.severity],
        found.code,
        SOURCE,
        wire.Page(page) if page is not None else None,
        [types.DiagnosticTag.Unnecessary.value] if client.tags and found.code in UNNECESSARY else None,
        related,
    )


def _location(document: Document, start: int, end: int) -> wire.Location:
    return wire.Location(document.uri, document.range(start, end))
