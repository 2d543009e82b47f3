"""`jrun fmt`: one canonical layout for every construct. Comments are kept; formatting twice changes nothing.

General layout: `writer` has lines, blank lines and comments; `expressions`, `clauses`, `flows` and `declarations`
print their parts of the tree.

A declaration is only replaced by its new layout when that reads as the same tree with the same comments, so a
formatter's mistake can never change a program. One with a syntax error is left as it is.
"""

from __future__ import annotations

import re
from collections.abc import Callable, Iterable, Iterator
from typing import Any, NamedTuple

import msgspec

from .. import ast
from ..parse import parse_chunk
from ..syntax.chunks import Chunk, split
from ..syntax.lalr import load_grammar
from .declarations import write_declaration
from .expressions import Printer
from .writer import Writer, comments_of

_LINE_ENDS = re.compile(r"\r\n|\r")
_TRAILING = re.compile(r"[ \t]+$", re.MULTILINE)


class Piece(NamedTuple):
    """What belongs in place of a stretch of a text: of a declaration, or of what stands before, between or behind
    declarations."""

    start: int
    end: int
    text: str


def format_source(text: str) -> str:
    """The whole text in its canonical layout, lines ended by `\\n`."""
    return "".join(piece.text for piece in pieces(text, split(text), format_declaration))


def pieces(text: str, chunks: Iterable[Chunk], format_one: Callable[[str], str]) -> Iterator[Piece]:
    """The canonical layout of a text piece by piece, declarations and what stands between them by turns."""
    before: str | None = None
    end = 0
    for start, stop in chunks:
        formatted = format_one(text[start:stop])
        gap = ""
        if before is not None:
            apart = "\n" in formatted or "\n" in _body(before) or _line_count(text[end:start]) > 1
            gap = "\n\n" if apart else "\n"
        yield Piece(end, start, gap)
        yield Piece(start, stop, formatted)
        before, end = formatted, stop
    yield Piece(end, len(text), "" if before is None else "\n")


def format_declaration(text: str) -> str:
    """One declaration with the comments before it."""
    source = _LINE_ENDS.sub("\n", text).rstrip()
    node, diagnostics = parse_chunk(source)
    if node is None or diagnostics:
        return _TRAILING.sub("", source) if node is None and not diagnostics else source
    gaps = load_grammar().lexer.lex(source).gaps
    writer = Writer(source, gaps)
    write_declaration(writer, Printer(source), node)
    formatted = "\n".join(line.rstrip() if not line.strip() else line for line in writer.finish())
    return formatted if _same(source, node, gaps, formatted) else source


def _same(source: str, node: ast.Declaration, gaps: list[tuple[int, int]], formatted: str) -> bool:
    """Whether the new layout holds the same program and the same comments."""
    again, diagnostics = parse_chunk(formatted)
    if diagnostics or again is None or without_places(again) != without_places(node):
        return False
    before = [comment.text for comment in comments_of(source, gaps)]
    after = [comment.text for comment in comments_of(formatted, load_grammar().lexer.lex(formatted).gaps)]
    return before == after


def without_places(value: Any) -> Any:
    """A tree as plain data without positions: what two layouts of one program share."""
    data = msgspec.to_builtins(value)
    return _stripped(data)


def _stripped(value: Any) -> Any:
    if isinstance(value, dict):
        return {key: _stripped(item) for key, item in value.items() if key not in ("start", "end")}
    if isinstance(value, list | tuple):
        return [_stripped(item) for item in value]
    return value


def _body(formatted: str) -> str:
    """Without the comments before the declaration."""
    return re.sub(r"\A(?:#[^\n]*\n|\n)*", "", formatted)


def _line_count(gap: str) -> int:
    return _LINE_ENDS.sub("\n", gap).count("\n")
