"""`jrun fmt`: one canonical layout for every construct. Comments are kept; formatting twice changes nothing.

General layout: `writer` has lines, blank lines and comments; `expressions`, `clauses`, `flows` and `declarations`
print their parts of the tree.

A declaration is only replaced by its new layout when that reads as the same tree with the same comments, so a
formatter's mistake can never change a program. One with a syntax error is left as it is.
"""

from __future__ import annotations

import re
from typing import Any

import msgspec

from .. import ast
from ..parse import parse, parse_chunk
from ..source import Source
from ..syntax.lalr import load_grammar
from .declarations import write_declaration
from .expressions import Printer
from .writer import Writer, comments_of

_LINE_ENDS = re.compile(r"\r\n|\r")
_TRAILING = re.compile(r"[ \t]+$", re.MULTILINE)


def format_source(text: str) -> str:
    """The whole text in its canonical layout, lines ended by `\\n`."""
    module = parse(Source("", text))
    written: list[str] = []
    end: int | None = None
    for item in module.items:
        formatted = format_declaration(item.text)
        if end is not None:
            gap = text[end : item.offset]
            apart = "\n" in formatted or "\n" in _body(written[-1]) or _line_count(gap) > 1
            written.append("\n\n" if apart else "\n")
        written.append(formatted)
        end = item.offset + len(item.text)
    return "".join(written).rstrip() + "\n" if written else ""


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
