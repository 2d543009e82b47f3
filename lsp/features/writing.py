"""Small changes to a declaration that leave its layout as it was: a line into a block, a stretch taken out."""

from __future__ import annotations

import re

from ...dsl import ast
from ...dsl.diagnostics import Edit

STEP = "  "
_SPACE = " \t"
_BRACE_BEFORE = re.compile(r"[ \t]*\Z")


def newline_of(text: str) -> str:
    return "\r\n" if "\r\n" in text else "\n"


def indent_at(text: str, offset: int) -> str:
    """The indentation of the line that an offset stands on."""
    start = line_start(text, offset)
    end = start
    while text[end : end + 1] in (" ", "\t"):
        end += 1
    return text[start:end]


def line_start(text: str, offset: int) -> int:
    return max(text.rfind("\n", 0, offset), text.rfind("\r", 0, offset)) + 1


def line_end(text: str, offset: int) -> int:
    ends = [at for mark in "\r\n" if (at := text.find(mark, offset)) >= 0]
    return min(ends, default=len(text))


def into_block(text: str, brace: int, lines: list[str]) -> Edit:
    """Lines before the `}` at an offset: on lines of their own where the brace stands on one, else beside
    what is there."""
    start = line_start(text, brace)
    if start and text[start:brace].strip() == "":
        indent = text[start:brace] + STEP
        newline = newline_of(text)
        return Edit(start, start, "".join(f"{indent}{line}{newline}" for line in lines))
    before = _BRACE_BEFORE.search(text, 0, brace)
    at = before.start() if before else brace
    apart = " " if text[at - 1 : at] == "{" else "  "
    return Edit(at, brace, f"{apart}{'  '.join(lines)} ")


def before_line(text: str, offset: int, lines: list[str]) -> Edit:
    """Lines before what stands at an offset, at its indentation; beside it where something stands before it
    on its line."""
    start = line_start(text, offset)
    if text[start:offset].strip():
        return Edit(offset, offset, "".join(f"{line}  " for line in lines))
    indent, newline = text[start:offset], newline_of(text)
    return Edit(offset, offset, "".join(f"{line}{newline}{indent}" for line in lines))


def without(text: str, start: int, end: int) -> Edit:
    """A stretch taken out: its whole lines where nothing else stands on them, else it and the space beside
    it."""
    first, last = line_start(text, start), line_end(text, end)
    if not text[first:start].strip() and not text[end:last].strip():
        if text[last : last + 2] == "\r\n":
            last += 1
        return Edit(first, min(last + 1, len(text)), "")
    if not text[end:last].strip():
        while start > first and text[start - 1] in _SPACE:
            start -= 1
        return Edit(start, last, "")
    while text[end : end + 1] in (" ", "\t"):
        end += 1
    return Edit(start, end, "")


def without_item(text: str, start: int, end: int) -> Edit:
    """An item of a list taken out with the comma that belongs to it."""
    after = end
    while text[after : after + 1].isspace():
        after += 1
    if text.startswith(",", after):
        after += 1
        while text[after : after + 1] in (" ", "\t"):
            after += 1
        return Edit(start, after, "")
    before = start
    while text[before - 1 : before].isspace():
        before -= 1
    return Edit(before - 1 if text[before - 1 : before] == "," else start, end, "")


def closing_brace(text: str, node: ast.Node) -> int | None:
    """The `}` with which a node ends."""
    return node.end - 1 if text[node.end - 1 : node.end] == "}" else None
