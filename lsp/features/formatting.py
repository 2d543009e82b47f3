"""`jrun fmt` as small edits, so that the cursor, folds and breakpoints of an editor stay where they are."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from difflib import SequenceMatcher

from ...dsl.diagnostics import Edit
from ...dsl.format import format_declaration, pieces
from ...dsl.syntax.chunks import Chunk


def format_edits(
    text: str, chunks: Iterable[Chunk], format_one: Callable[[str], str] = format_declaration
) -> Iterator[list[Edit]]:
    """The edits that lay a file out as `jrun fmt` does, declaration by declaration; its line ends stay what they are.
    `format_one` lays out a declaration."""
    windows = "\r\n" in text
    for start, end, formatted in pieces(text, chunks, format_one):
        new = formatted.replace("\n", "\r\n") if windows else formatted
        if text[start:end] != new:
            yield list(line_edits(text[start:end], new, start))


def within(edits: Iterable[Edit], start: int, end: int) -> list[Edit]:
    """The edits that touch a stretch of the text."""
    return [edit for edit in edits if edit.start <= end and edit.end >= start]


def line_edits(old: str, new: str, offset: int) -> Iterator[Edit]:
    """Edits of whole lines; the old text stands at `offset`."""
    before, after = old.splitlines(keepends=True), new.splitlines(keepends=True)
    starts = [offset]
    for line in before:
        starts.append(starts[-1] + len(line))
    for tag, first, last, begin, end in SequenceMatcher(None, before, after, autojunk=False).get_opcodes():
        if tag != "equal":
            yield Edit(starts[first], starts[last], "".join(after[begin:end]))
