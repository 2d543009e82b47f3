"""A rating: the whole reply is one plain decimal in 0..1, and nothing else stands in it."""

from __future__ import annotations

import re
from decimal import Decimal
from fractions import Fraction

import msgspec

from .numbers import plain_decimal, score_of
from .reasoning import strip_reasoning
from .text import BLANKS, LABEL_COLONS, QUOTE_PAIRS, strip_blanks

MOST_CHARACTERS = 64
_LABEL = re.compile(rf"[*_`]*score[*_`]*\s*[{LABEL_COLONS}]", re.IGNORECASE | re.ASCII)
_PAIRS = dict.fromkeys([*QUOTE_PAIRS, ("(", ")"), ("[", "]"), ("{", "}"), ("*", "*"), ("_", "_"), ("`", "`")])


class RateReading(msgspec.Struct, frozen=True):
    """`score` is exact; `passed` is None without a threshold, and False where the rating cannot be read."""

    readable: bool
    score: Fraction | None = None
    passed: bool | None = None


def read_rate(text: str, threshold: Fraction | Decimal | str | None = None) -> RateReading:
    """The rating of a reply, compared exactly with a threshold; equality passes. Never raises."""
    score = _score(strip_reasoning(text))
    if score is None:
        return RateReading(False, None, None if threshold is None else False)
    return RateReading(True, score, None if threshold is None else score >= Fraction(threshold))


def _score(text: str) -> Fraction | None:
    start, end = _unwrapped(text, *_trimmed(text, 0, len(text)))
    label = _LABEL.match(text, start, end)
    if label is not None:
        # `**Score:** 0.7`: the marks that close the label's emphasis stand after the colon.
        opened = text[start : label.end()].split("s", 1)[0].split("S", 1)[0]
        after = label.end()
        if opened and not text[start + len(opened) + 5 :].startswith(opened[::-1]):
            if not text.startswith(opened[::-1], after):
                return None
            after += len(opened)
        start, end = _unwrapped(text, *_trimmed(text, after, end))
    if end - start > MOST_CHARACTERS:
        return None
    return score_of(plain_decimal(text[start:end]))


def _trimmed(text: str, start: int, end: int) -> tuple[int, int]:
    inner = text[start:end]
    left = len(inner) - len(_strip_left(inner))
    return start + left, start + left + len(strip_blanks(inner))


def _strip_left(text: str) -> str:
    return text.lstrip(BLANKS)


def _unwrapped(text: str, start: int, end: int) -> tuple[int, int]:
    """Without the pairs of quotes, brackets and emphasis around it."""
    while end - start >= 2 and (text[start], text[end - 1]) in _PAIRS:
        start, end = start + 1, end - 1
        while start < end and not strip_blanks(text[start]):
            start += 1
        while end > start and not strip_blanks(text[end - 1]):
            end -= 1
    return start, end
