"""A report as a title, tables and lines: shown as plain text, or as one HTML page that needs nothing else."""

from __future__ import annotations

from collections.abc import Sequence

import attrs

from ...dsl.printable import clean
from ..report.text import columns, padded
from ..view.markup import NOTHING, Markup, document, element
from ..view.style import STYLE


def _line(text: str) -> str:
    """What stands in a case or an answer moves no cursor and begins no line of its own: logs of CI read those as
    commands."""
    return clean(" ".join(text.splitlines()) if not text.isprintable() else text)


def _lines(texts: Sequence[str]) -> tuple[str, ...]:
    return tuple(map(_line, texts))


def _rows(rows: Sequence[Sequence[str]]) -> tuple[tuple[str, ...], ...]:
    return tuple(map(_lines, rows))


@attrs.frozen
class Table:
    """Rows under headings. The first `left` columns are words, the others numbers."""

    headings: Sequence[str]
    rows: Sequence[Sequence[str]] = attrs.field(converter=_rows)
    left: int = 1


@attrs.frozen
class Lines:
    lines: Sequence[str] = attrs.field(converter=_lines)


@attrs.frozen
class Document:
    """Blocks without anything in them are left out. Every line and every cell is one line that is safe to print."""

    title: str = attrs.field(converter=_line)
    blocks: Sequence[Table | Lines]

    def text(self) -> str:
        parts = [self.title]
        for block in self.blocks:
            lines = block.lines if isinstance(block, Lines) else table_lines(block)
            if lines:
                parts.append("\n".join(lines))
        return "\n\n".join(parts) + "\n"

    def html(self) -> str:
        return document(self.title, STYLE, element("h1", self.title), *map(_html, self.blocks))


def table_lines(table: Table) -> list[str]:
    """The table in columns; empty where it has no rows."""
    if not table.rows:
        return []
    everything = [tuple(table.headings), *map(tuple, table.rows)]
    widths = [max(columns(cell) for cell in column) for column in zip(*everything, strict=True)]
    lines = []
    for row in everything:
        cells = [
            padded(cell, width) if at < table.left else " " * (width - columns(cell)) + cell
            for at, (cell, width) in enumerate(zip(row, widths, strict=True))
        ]
        lines.append("  ".join(cells).rstrip())
    return lines


def _html(block: Table | Lines) -> Markup:
    if isinstance(block, Lines):
        return element("pre", "\n".join(block.lines)) if block.lines else NOTHING
    if not block.rows:
        return NOTHING
    head = element("thead", _row("th", block.headings, block.left))
    return element("table", head, element("tbody", *(_row("td", row, block.left) for row in block.rows)))


def _row(tag: str, cells: Sequence[str], left: int) -> Markup:
    return element(
        "tr", *(element(tag, cell, class_="n" if at >= left else None) for at, cell in enumerate(cells))
    )
