r"""Splits a file into declarations without parsing it.

Only declarations, comments and a closing `}` may start a line at column 0, so the lines that do say where
each declaration begins. A chunk is a declaration with the comments that stand before it; whatever an open
quote or brace does to it stays in it. Other unindented lines belong to the declaration whose text or block is
still open there, else they are a chunk of their own, for the parser to complain about.
"""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Protocol

from ..suggest import closest

Chunk = tuple[int, int]
"""Start and end; the white space between chunks belongs to none."""


class Chunks(Protocol):
    """The chunks of a text in order, to be looked into here and there."""

    def __len__(self) -> int: ...

    def __getitem__(self, index: int, /) -> Chunk: ...


DECLARATIONS = tuple(
    "workflow import let provider model type tool agent judge code scorer gate condition choice scale "  # noqa: SIM905
    "context limits memory flow profile suite test".split()
)

# What only a declaration looks like. Prose such as "let me know" or "model answers are short" does not.
_START = (
    r"(?:code[ \t]+)?(?:"
    r"(?:context|limits|memory)[ \t]*\{"
    r'|(?:import|test)[ \t]*"'
    r'|workflow[ \t]+\w+[ \t]*(?:"|version\b|(?=[\r\n#])|\Z)'
    r"|let[ \t]+\w+[ \t]*="
    r'|model[ \t]+\w+[ \t]*"'
    r'|type[ \t]+\w+[ \t]*(?:[={"]|extends\b)'
    r"|scorer[ \t]+\w+[ \t]+(?:not|contains|equals|regex|schema|length|compiles)\b"
    r"|suite[ \t]+\w+[ \t]+for\b"
    r"|(?:provider|tool|agent|judge|gate|condition|choice|scale|flow|profile)[ \t]+\w+[ \t]*"
    r'(?:[({"]|->|(?=[\r\n])|\Z)'
    r")"
)
_UNIX_LINE = re.compile(rf"\n(?:({_START})|(#)|(?=[^ \t\r\n}}]))")
_ANY_LINE = re.compile(rf"[\r\n](?:({_START})|(#)|(?=[^ \t\r\n}}]))")
_FIRST_LINE = re.compile(r"(?P<line>(?:[ \t]*+[\r\n]++)*+)(?P<indent>[ \t]*+)")
_FIRST = re.compile(rf"(?:({_START})|(#)|(?=[^ \t\r\n]))")
_COMMENTS = re.compile(r"(?:#[^\r\n]*+|[ \t\r\n]++)*+")
_CLOSED = re.compile(r"[\r\n]\}")
_INNER = re.compile(r'[^\r\n"{}()\[\]]*+')
_BLOCK_HEAD = re.compile(r"([a-z_]+)[ \t]+\w+[^\r\n]*\{[ \t]*(?=[\r\n]|\Z)")


def split(text: str) -> list[Chunk]:
    return list(_scan(text, 0, _UNIX_LINE if "\r" not in text else _ANY_LINE))


def _scan(text: str, start: int, line: re.Pattern[str]) -> Iterator[Chunk]:
    """The chunks from an offset on, which is the file's start or the start of a chunk."""
    current: int | None = None
    comments: list[int] = []
    openness = Openness(text)
    for at, is_start, is_comment in _lines(text, start, line):
        if is_comment:
            comments.append(at)
            continue
        if not is_start and current is not None and openness.absorbs(current, at):
            comments.clear()
            continue
        begin = _with_comments(text, comments, at)
        if current is not None:
            yield current, _end(text, current, begin)
        current = begin
        comments.clear()
    trailing = _with_comments(text, comments, len(text))
    if current is not None:
        yield current, _end(text, current, trailing)
    if trailing < len(text):
        yield trailing, _end(text, trailing, len(text))


def after_inner(chunk: str, start: int, end: int, text: str) -> str | None:
    """The chunk with a text in place of what stands between two offsets inside it, where that changes nothing about any
    other chunk: nothing with a line end, quote or bracket goes or comes, and the line either begins a declaration
    before and after, or is indented, and stays so, and what it begins with stays. None for every other edit, which
    needs `resplit`."""
    if not 0 < start <= end < len(chunk):
        return None
    if _INNER.fullmatch(text) is None or _INNER.fullmatch(chunk, start, end) is None:
        return None
    if chunk[start - 1] == chunk[end] == '"':
        return None  # Three quotes may come together, or be parted.
    after = f"{chunk[:start]}{text}{chunk[end:]}"
    line = max(chunk.rfind("\n", 0, start), chunk.rfind("\r", 0, start)) + 1
    if chunk[line] in " \t":
        stays = line > 0 and chunk[line:start].strip(" \t") != ""
    else:
        stays = _begins_declaration(chunk, line) and _begins_declaration(after, line)
    return after if stays else None


def _begins_declaration(text: str, line: int) -> bool:
    match = _FIRST.match(text, line)
    return match is not None and match[1] is not None


def resplit(
    text: str, chunks: Chunks, touched: int, old_end: int, new_end: int
) -> tuple[int, int, list[Chunk]]:
    """What an edit does to a file's chunks, found by reading around it only.

    In the new text, something that ends at `new_end` replaced what had ended at `old_end`; `touched` is the first chunk
    that did not end before it. The answer `(first, last, new)` says: `chunks[first:last]` become `new`, those before
    stay, those behind move by `new_end - old_end`.
    """
    moved = new_end - old_end
    # The edit may finish the head line of the chunk before it, or add to comments that nothing followed: then it says
    # anew where that chunk begins. The one before it begins where it did.
    first = max(0, touched - 2)
    last = max(first, touched)
    new: list[Chunk] = []
    for chunk in _scan(text, chunks[first][0] if first else 0, _ANY_LINE):
        if chunk[0] > new_end:
            while last < len(chunks) and chunks[last][0] + moved < chunk[0]:
                last += 1
            if last < len(chunks) and chunks[last][0] + moved == chunk[0]:
                return first, last, new
        new.append(chunk)
    return first, len(chunks), new


def _lines(text: str, start: int, pattern: re.Pattern[str]) -> Iterator[tuple[int, bool, bool]]:
    """The lines that start at column 0, closing braces left out: where, a declaration, a comment. The first
    line is one of them even where it is indented, lest it be lost."""
    first = _FIRST_LINE.match(text, start)
    line, indent = (first.end("line"), first.end("indent")) if first else (start, start)
    first = _FIRST.match(text, indent)
    if first is not None:
        indented = indent > line
        yield line, first[1] is not None and not indented, first[2] is not None and not indented
    for match in pattern.finditer(text, indent):
        yield match.start() + 1, match[1] is not None, match[2] is not None


def _with_comments(text: str, comments: list[int], at: int) -> int:
    """Where a declaration at `at` begins with the comments before it; code between them and it parts them."""
    reached = 0
    for comment in comments:
        if comment >= reached:
            match = _COMMENTS.match(text, comment)
            reached = match.end() if match else comment
            if reached >= at:
                return comment
    return at


def _end(text: str, start: int, end: int) -> int:
    while end > start and text[end - 1] in " \t\r\n":
        end -= 1
    return end


class Openness:
    """Whether the declaration that began last still has an open text block or bracket. Counting is rough (a
    brace in a text counts) and goes on from where it stopped, so that it stays linear."""

    def __init__(self, text: str) -> None:
        self.text = text
        self.start = -1
        self.counted = 0
        self.quotes = 0
        self.brackets = 0
        self.closed = False

    def absorbs(self, start: int, at: int) -> bool:
        """Whether the unindented line at `at` belongs to the declaration that starts at `start`."""
        if self.start != start:
            self.start, self.counted, self.quotes, self.brackets, self.closed = start, start, 0, 0, False
        text, since = self.text, self.counted
        self.counted = at
        self.closed = self.closed or _CLOSED.search(text, max(0, since - 1), at) is not None
        self.quotes += text.count('"""', since, at)
        self.brackets += sum(text.count(mark, since, at) for mark in "{([")
        self.brackets -= sum(text.count(mark, since, at) for mark in "})]")
        if self.quotes % 2:
            return True
        return self.brackets > 0 and not self.closed and not self._misspelt(at)

    def _misspelt(self, at: int) -> bool:
        """A head such as `agnet finder {` begins a declaration of its own."""
        match = _BLOCK_HEAD.match(self.text, at)
        return match is not None and closest(match[1], DECLARATIONS) is not None
