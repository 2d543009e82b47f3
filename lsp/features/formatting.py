"""`jrun fmt` as small edits, so that the cursor, folds and breakpoints of an editor stay where they are."""

from __future__ import annotations

from collections.abc import Iterator
from difflib import SequenceMatcher

from ...dsl.diagnostics import Edit
from ...dsl.format import format_source
from ...dsl.syntax.chunks import split


def format_edits(text: str) -> list[Edit]:
    """The edits that lay a file out as `jrun fmt` does; its line ends stay what they are."""
    formatted = format_source(text)
    return edits_between(text, formatted.replace("\n", "\r\n") if "\r\n" in text else formatted)


def edits_between(old: str, new: str) -> list[Edit]:
    """Edits that turn one text into another. Declarations are compared one by one, which keeps this
    linear."""
    before, after = _pieces(old), _pieces(new)
    if len(before) != len(after):
        return [] if old == new else [Edit(0, len(old), new)]
    edits: list[Edit] = []
    offset = 0
    for piece, other in zip(before, after, strict=True):
        if piece != other:
            edits += line_edits(piece, other, offset)
        offset += len(piece)
    return edits


def within(edits: list[Edit], start: int, end: int) -> list[Edit]:
    """The edits that touch a stretch of the text."""
    return [edit for edit in edits if edit.start <= end and edit.end >= start]


def _pieces(text: str) -> list[str]:
    """The declarations and what stands between them, by turns."""
    pieces: list[str] = []
    at = 0
    for start, end in split(text):
        pieces += (text[at:start], text[start:end])
        at = end
    return [*pieces, text[at:]]


def line_edits(old: str, new: str, offset: int) -> Iterator[Edit]:
    """Edits of whole lines; the old text stands at `offset`."""
    before, after = old.splitlines(keepends=True), new.splitlines(keepends=True)
    starts = [offset]
    for line in before:
        starts.append(starts[-1] + len(line))
    for tag, first, last, begin, end in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if tag != "equal":
            yield Edit(starts[first], starts[last], "".join(after[begin:end]))
