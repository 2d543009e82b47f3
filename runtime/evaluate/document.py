"""A report as a title, tables and lines: shown as plain text, or as one HTML page that needs nothing else."""

from __future__ import annotations

from collections.abc import Sequence
from html import escape

import attrs

from ..report.text import columns, padded


@attrs.frozen
class Table:
    """Rows under headings. The first `left` columns are words, the others numbers."""

    headings: Sequence[str]
    rows: Sequence[Sequence[str]]
    left: int = 1


@attrs.frozen
class Lines:
    lines: Sequence[str]


@attrs.frozen
class Document:
    """Blocks without anything in them are left out."""

    title: str
    blocks: Sequence[Table | Lines]

    def text(self) -> str:
        parts = [self.title]
        for block in self.blocks:
            lines = block.lines if isinstance(block, Lines) else table_lines(block)
            if lines:
                parts.append("\n".join(lines))
        return "\n\n".join(parts) + "\n"

    def html(self) -> str:
        body = "\n".join(_html(block) for block in self.blocks)
        return _PAGE.replace("TITLE", escape(self.title)).replace("BODY", body)


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


def _html(block: Table | Lines) -> str:
    if isinstance(block, Lines):
        return f"<pre>{escape(chr(10).join(block.lines))}</pre>" if block.lines else ""
    if not block.rows:
        return ""
    return (
        f"<table><thead>{_row('th', block.headings, block.left)}</thead>\n<tbody>"
        + "\n".join(_row("td", row, block.left) for row in block.rows)
        + "</tbody></table>"
    )


def _row(tag: str, cells: Sequence[str], left: int) -> str:
    inner = "".join(
        f"<{tag}{'' if at < left else ' class=n'}>{escape(cell)}</{tag}>" for at, cell in enumerate(cells)
    )
    return f"<tr>{inner}</tr>"


_PAGE = """\
<!doctype html>
<html lang="en"><head><meta charset="utf-8"><meta name="viewport" content="width=device-width">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>TITLE</title>
<style>
:root { color-scheme: light dark }
body { font: 15px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 70rem; padding: 0 1rem }
h1 { font-size: 1.25rem }
table { border-collapse: collapse; margin: 1rem 0 }
th, td { border-bottom: 1px solid #8884; padding: .3rem .8rem; text-align: left; vertical-align: top }
.n { text-align: right; font-variant-numeric: tabular-nums; white-space: nowrap }
pre { font: 13px/1.5 ui-monospace, monospace; overflow-wrap: anywhere; white-space: pre-wrap }
</style></head>
<body><h1>TITLE</h1>
BODY
</body></html>
"""
