"""The reasoning that some models write before their answer, or into it, between `<think>` and `</think>`."""

from __future__ import annotations

import re

from .fences import Span, code_spans, find_fences, outside
from .text import BLANKS

_TAG = re.compile(r"<(/?)think(?:ing)?>", re.IGNORECASE | re.ASCII)


def strip_reasoning(text: str) -> str:
    """The reply without its reasoning. Never raises; a text without a tag comes back as it is.

    A block at the start goes, and all of a reply whose first block is never closed: a draft is no answer. A closing
    tag that nothing opened ends a block that the prompt had opened. A block inside the text goes too, and nothing
    beside it. Tags in code are somebody's example and stay.
    """
    first = _TAG.search(text)
    if first is None:
        return text
    if not text[: first.start()].strip(BLANKS) and not first[1]:
        closing = _closing(text, first.end())
        if closing is None:
            return ""
        text = text[closing:].lstrip(BLANKS)
    return _without_blocks(text)


def _closing(text: str, position: int) -> int | None:
    for tag in _TAG.finditer(text, position):
        if tag[1]:
            return tag.end()
    return None


def _without_blocks(text: str) -> str:
    tags = [(*span, text[span[0] + 1] == "/") for span in outside(_TAG.finditer(text), _code(text))]
    pieces: list[str] = []
    kept, opened = 0, None
    for index, (start, end, closes) in enumerate(tags):
        if not closes:
            opened = start if opened is None else opened
        elif opened is not None:
            pieces.append(text[kept:opened])
            kept, opened = end, None
        elif index == 0:
            kept = len(text) - len(text[end:].lstrip(BLANKS))
    return "".join((*pieces, text[kept:]))


def _code(text: str) -> list[Span]:
    spans: list[Span] = [(fence.start, fence.end) for fence in find_fences(text)]
    start = 0
    for line in text.split("\n"):
        if "`" in line:
            spans += ((start + a, start + b) for a, b in code_spans(line))
        start += len(line) + 1
    return sorted(spans)
