"""One number between 0 and 1, and nothing beside it."""

from __future__ import annotations

import re
from fractions import Fraction

import msgspec

from .numbers import plain_decimal, score_of
from .reasoning import strip_reasoning
from .text import BLANKS, EMPHASIS, LABEL_COLONS, QUOTE_PAIRS

_PAIRS = frozenset([*QUOTE_PAIRS, ("(", ")"), ("[", "]"), ("{", "}"), *((mark, mark) for mark in EMPHASIS)])
_LONGEST = 64
_LABEL = re.compile(
    rf"([{EMPHASIS}]{{0,8}}+)score[{BLANKS}]*+([{EMPHASIS}]{{0,8}}+)[{BLANKS}]*+[{LABEL_COLONS}][{BLANKS}]*+([{EMPHASIS}]{{0,8}}+)",
    re.IGNORECASE | re.ASCII,
)


class RateReading(msgspec.Struct, frozen=True):
    """`score` lies in 0..1, None where the reply is not readable. `passed` is None where no threshold was given; an
    unreadable reply fails whatever the threshold."""

    readable: bool
    score: Fraction | None = None
    passed: bool | None = None


def read_rate(text: str, threshold: Fraction | None = None) -> RateReading:
    """A rating out of the whole reply: a plain decimal of at most 64 characters, pairs of quotes, brackets and emphasis
    and one `score:` aside. A score equal to the threshold passes, compared exactly. Never raises."""
    literal = _bare(strip_reasoning(text))
    score = None if len(literal) > _LONGEST else score_of(plain_decimal(literal))
    passed = None if threshold is None else score is not None and score >= threshold
    return RateReading(score is not None, score, passed)


def _bare(text: str) -> str:
    """What is left inside the pairs and behind the label."""
    start, end, labelled = 0, len(text), False
    while True:
        while start < end and text[start] in BLANKS:
            start += 1
        while start < end and text[end - 1] in BLANKS:
            end -= 1
        behind = None if labelled else _behind_label(text, start, end)
        if behind is not None:
            start, labelled = behind, True
        elif end - start > 1 and (text[start], text[end - 1]) in _PAIRS:
            start, end = start + 1, end - 1
        else:
            return text[start:end]


def _behind_label(text: str, start: int, end: int) -> int | None:
    """The offset behind `score:` and the emphasis that belongs to it: `**Score**:`, `**Score:**`, `Score**:**`."""
    match = _LABEL.match(text, start, end)
    if match is None:
        return None
    before, after_word, after_colon = match.groups()
    if after_word == before[::-1]:
        return match.start(3)
    opened, closed = (before, after_word) if before else (after_word, before)
    if not closed and after_colon.startswith(opened[::-1]):
        return match.start(3) + len(opened)
    return None
