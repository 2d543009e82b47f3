"""What happens to the layout while someone types: a new line is indented as its block is, a `}` goes below
the line that opened it, and the last `}` of a declaration lays the whole of it out as `jrun fmt` does."""

from __future__ import annotations

import re
from bisect import bisect_right
from typing import NamedTuple

from ...dsl.diagnostics import Edit
from ...dsl.format import format_declaration
from ...dsl.syntax.lalr import load_grammar
from ...dsl.workspace.analysis import Analysis
from .formatting import line_edits

TRIGGERS = ("}", "\n")
STEP = "  "
_SPACE = re.compile(r"[ \t]*")
_OPENING, _CLOSING = "{([", "})]"


class _Open(NamedTuple):
    """What is not closed before a place: brackets by their offsets, and a text by where it begins."""

    brackets: tuple[int, ...]
    text: int | None


def on_type(analysis: Analysis, offset: int, typed: str) -> list[Edit]:
    """The edits after `typed` was typed right before an offset. In a text nothing but a new line's
    indentation changes."""
    text = analysis.source.text
    items = analysis.module.items
    line = _line_start(text, offset)
    index = bisect_right(items, line, key=lambda item: item.offset) - 1
    if index < 0:
        return []
    base = items[index].offset
    if typed == "\n":
        return _indented(text, line, _new_line(text, base, line))
    if typed != "}" or text[offset - 1 : offset] != "}":
        return []
    if _open_before(text, base, offset - 1).text is not None:
        return []
    if text[line:offset] == "}":
        return _laid_out(items[index].text, base)
    return _indented(text, line, _brace(text, base, offset)) if text[line : offset - 1].isspace() else []


def _new_line(text: str, base: int, line: int) -> str:
    """The indentation of a line that has just begun."""
    found = _open_before(text, base, line)
    if found.text is not None:
        return _in_text(text, found.text, line)
    if not found.brackets:
        return ""
    outer = _indent_at(text, found.brackets[-1])
    begin = _after_space(text, line)
    return outer if text[begin : begin + 1] in tuple(_CLOSING) else outer + STEP


def _in_text(text: str, start: int, line: int) -> str:
    """As the line before, below the opening quotes one step deeper."""
    before = _line_start(text, max(line - 1, 0))
    while before > start and not text[before:line].strip():
        before = _line_start(text, before - 1)
    own = _indent_at(text, before)
    return own if before > start else own + STEP


def _brace(text: str, base: int, offset: int) -> str | None:
    """The indentation of the line whose bracket the `}` before an offset closes."""
    found = _open_before(text, base, offset - 1)
    return _indent_at(text, found.brackets[-1]) if found.brackets else None


def _open_before(text: str, base: int, stop: int) -> _Open:
    # A block that is not closed ends before a blank line that is indented less.
    before = text[base:stop].rstrip()
    lexed = load_grammar().lexer.lex(before)
    brackets: list[int] = []
    for value in lexed.values[:-1]:
        if not isinstance(value, tuple) or len(value[2]) != 1:
            continue
        if value[2] in _OPENING:
            brackets.append(base + value[0])
        elif value[2] in _CLOSING and brackets:
            brackets.pop()
    last = lexed.scans[-1][1] if lexed.scans else None
    is_open = last is not None and last.block and last.problem is not None and last.end >= len(before)
    return _Open(tuple(brackets), base + last.start if last is not None and is_open else None)


def _laid_out(declaration: str, base: int) -> list[Edit]:
    formatted = format_declaration(declaration)
    if "\r\n" in declaration:
        formatted = formatted.replace("\n", "\r\n")
    return list(line_edits(declaration, formatted, base))


def _indented(text: str, line: int, indent: str | None) -> list[Edit]:
    end = _after_space(text, line)
    return [] if indent is None or text[line:end] == indent else [Edit(line, end, indent)]


def _indent_at(text: str, offset: int) -> str:
    """The indentation of the line that an offset stands on."""
    start = _line_start(text, offset)
    return text[start : _after_space(text, start)]


def _line_start(text: str, offset: int) -> int:
    return max(text.rfind("\n", 0, offset), text.rfind("\r", 0, offset)) + 1


def _after_space(text: str, start: int) -> int:
    match = _SPACE.match(text, start)
    return match.end() if match else start
