"""Fenced blocks, inline code, quoted lines, and the wrappers of a whole reply.

A fence (three or more backticks or tildes) starts its line; only a bare line of at least as many of the same marks
closes it, and everything between is its body, other fences included. All functions expect lines that end with `\\n`.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

import msgspec

from .text import LINE_BLANKS, strip_blanks

Span = tuple[int, int]
"""Two offsets, the second one exclusive."""

_TICKS = re.compile(r"`+")
_MARKS = re.compile(rf"^[{LINE_BLANKS}]*+(`{{3,}}|~{{3,}})([^\n]*)$", re.MULTILINE)
_UNQUOTED_LINE = re.compile(rf"^[{LINE_BLANKS}]*+[^{LINE_BLANKS}>\n]", re.MULTILINE)
_QUOTE_MARK = re.compile(rf"^[{LINE_BLANKS}]*+> ?", re.MULTILINE)
_QUOTED_LINE = re.compile(rf"^[{LINE_BLANKS}]*+>[^\n]*", re.MULTILINE)
_MOST_WRAPPERS = 16
"""Nobody wraps a reply more often; a bound keeps hostile nesting linear."""


class Fence(msgspec.Struct, frozen=True):
    """Offsets into the text. `start` to `end` takes in the fence's own lines, `body_start` to `body_end` does not."""

    start: int
    end: int
    body_start: int
    body_end: int
    tag: str
    closed: bool

    def body(self, text: str) -> str:
        return text[self.body_start : self.body_end]


def find_fences(text: str) -> list[Fence]:
    """The fences at the top level, in order. One that is never closed reaches to the end of the text."""
    fences: list[Fence] = []
    opened: re.Match[str] | None = None
    for line in _MARKS.finditer(text):
        marks, rest = line[1], strip_blanks(line[2])
        if opened is None:
            if marks[0] == "~" or "`" not in rest:
                opened = line
        elif not rest and marks.startswith(opened[1]):
            fences.append(_fence(text, opened, line))
            opened = None
    if opened is not None:
        fences.append(_fence(text, opened, None))
    return fences


def one_fence(text: str) -> str | None:
    """The body of the one fence of a text, where that is plain at a glance: no other backtick, no tilde. None
    elsewhere; `find_fences` knows, in ten times as long."""
    start = text.find("`")
    end = text.find("`", start + 3)
    body = text.find("\n", start) + 1
    if (
        text[start : start + 3] == "```"
        and text[start - 1 : start] in ("", "\n")
        and 0 < body <= end
        and text[end - 1 : end + 4] in ("\n```", "\n```\n")
        and text.find("`", end + 3) < 0
        and "~" not in text
    ):
        return text[body : end - 1]
    return None


def _fence(text: str, opened: re.Match[str], closed: re.Match[str] | None) -> Fence:
    body_start = min(opened.end() + 1, len(text))
    body_end = max(body_start, closed.start() - 1) if closed else len(text)
    end = closed.end() if closed else len(text)
    return Fence(opened.start(), end, body_start, body_end, strip_blanks(opened[2]), closed is not None)


def code_spans(line: str) -> list[Span]:
    """Inline code: a run of backticks to the next run of as many."""
    runs = [match.span() for match in _TICKS.finditer(line)]
    next_alike: dict[int, int] = {}
    closers = [0] * len(runs)
    for index in range(len(runs) - 1, -1, -1):
        length = runs[index][1] - runs[index][0]
        closers[index] = next_alike.get(length, 0)
        next_alike[length] = index
    spans: list[Span] = []
    index = 0
    while index < len(runs):
        if closers[index]:
            spans.append((runs[index][0], runs[closers[index]][1]))
            index = closers[index]
        index += 1
    return spans


def outside(matches: Iterable[re.Match[str]], code: list[Span]) -> Iterator[Span]:
    """Where the matches stand that do not start inside one of the spans. Both are sorted."""
    index = 0
    for match in matches:
        while index < len(code) and code[index][1] <= match.start():
            index += 1
        if index == len(code) or match.start() < code[index][0]:
            yield match.span()


def quoted_lines(text: str) -> list[Span]:
    """Where the lines stand that start with `>`."""
    return [match.span() for match in _QUOTED_LINE.finditer(text)]


def unquote(text: str) -> str:
    """The text without the `>` marks that stand before all of its lines, where they do."""
    for _ in range(_MOST_WRAPPERS):
        if not _is_quoted(text):
            break
        text = strip_blanks(_QUOTE_MARK.sub("", text))
    return text


def unwrap(text: str) -> str:
    """The text without the fences and `>` marks around the whole of it."""
    for _ in range(_MOST_WRAPPERS):
        text = strip_blanks(text)
        if _is_quoted(text):
            text = _QUOTE_MARK.sub("", text)
        elif (wrapper := _whole_fence(text)) is not None:
            text = wrapper.body(text)
        else:
            break
    return text


def _is_quoted(text: str) -> bool:
    return text.startswith(">") and _UNQUOTED_LINE.search(text) is None


def _whole_fence(text: str) -> Fence | None:
    if not text.startswith(("```", "~~~")):
        return None
    fences = find_fences(text)
    if len(fences) == 1 and fences[0].closed and fences[0].start == 0 and fences[0].end == len(text):
        return fences[0]
    return None
