"""Markers in text: `VERDICT: PASS`, `SCORE: 0.8`, `WINNER: #2`. The last label decides.

A marker is a whole-word label, `:`, `=` or a full-width colon, and a token. Blanks, emphasis and one pair of quotes or
brackets around the token are tolerated. What names two values, a percentage, a fraction or a range names none.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from decimal import Decimal

import msgspec

from .numbers import plain_decimal, whole_number
from .text import (
    BLANKS,
    EMPHASIS,
    LABEL_COLONS,
    LINE_BLANKS,
    QUOTE_PAIRS,
    VERDICT_WORDS,
    Verdict,
    is_word,
    joins_after,
    joins_before,
)

_LOOSE = rf"[{LINE_BLANKS}{EMPHASIS}]*+"
_LABELS = {
    name: re.compile(rf"{name}{_LOOSE}[={LABEL_COLONS}]", re.IGNORECASE | re.ASCII)
    for name in ("verdict", "score", "winner")
}
_GAP = re.compile(rf"[{BLANKS}{EMPHASIS}]*+")
_SAME_LINE_GAP = re.compile(_LOOSE)
_CLOSERS: dict[str, str] = {"(": ")", "[": "]"}
for _opener, _closer in QUOTE_PAIRS:
    _CLOSERS[_opener] = _CLOSERS.get(_opener, "") + _closer

_WORD = re.compile(r"[A-Za-z]+")
_DECIMAL = re.compile(r"(?:[0-9]+(?:\.[0-9]+)?|\.[0-9]+)")
_ORDINAL = re.compile(r"#?[0-9]+")
_NUMBER = re.compile(r"[#+-]?\.?[0-9]")

_EITHER = re.compile(
    rf"{_LOOSE}[)\]\"']?{_LOOSE}\(?(?:(?P<strong>and/or\b|or\b|versus\b|vs\b\.?|[/|\\&]|[-=]>|\u2192)"
    rf"|(?P<weak>and\b|[,;]|[-\u2010-\u2015]+)){_LOOSE}[(\[\"'#]?{_LOOSE}",
    re.IGNORECASE | re.ASCII,
)
_NUMBER_GOES_ON = re.compile(
    rf"[{EMPHASIS}]*+(?:[.,:][0-9]|\.\.|\u2026|[+%\uff05\ufe6a\u066a\u2030\u2031]|[{LINE_BLANKS}{EMPHASIS}]++[%\uff05\ufe6a\u066a\u2030\u2031])"
)
_SHARE = re.compile(
    rf"{_LOOSE}\(?{_LOOSE}(?:[%\uff05\ufe6a\u066a\u2030\u2031]|per{_LOOSE}(?:cent|mill?e?|thousand|hundred|ten)|percent|pct\b|bps?\b|basis\b)",
    re.IGNORECASE | re.ASCII,
)

_RANGE = re.compile(rf"{_LOOSE}(?:to\b|(?:out{_LOOSE})?of\b){_LOOSE}[0-9.]", re.IGNORECASE | re.ASCII)


class Marker(msgspec.Struct, frozen=True):
    """The last label of its kind. `value` is None where what follows it cannot be read."""

    start: int
    end: int
    value: Verdict | Decimal | int | None


def last_verdict(text: str) -> Marker | None:
    """The last `VERDICT:` with its word, or None where there is no label."""
    return _last(text, "verdict", _verdict_at)


def last_score(text: str) -> Marker | None:
    """The last `SCORE:` with its plain decimal, or None where there is no label."""
    return _last(text, "score", _score_at)


def last_winner(text: str) -> Marker | None:
    """The last `WINNER:` with its whole number, or None where there is no label."""
    return _last(text, "winner", _winner_at)


_Reader = Callable[[str, int], tuple[Verdict | Decimal | int | None, int]]


def _last(text: str, label: str, read: _Reader) -> Marker | None:
    found: re.Match[str] | None = None
    for match in _LABELS[label].finditer(text):
        if not joins_before(text, match.start()):
            found = match
    if found is None:
        return None
    value, end = read(text, found.end())
    return Marker(found.start(), end, value)


def _token(text: str, position: int, token: re.Pattern[str]) -> tuple[re.Match[str] | None, int]:
    """The token after a label, with one pair of quotes or brackets around it, and where it ends with them."""
    start = _end_of(_GAP, text, position)
    opener = text[start : start + 1]
    closers = _CLOSERS.get(opener, "")
    inner = _end_of(_SAME_LINE_GAP, text, start + 1) if closers else start
    match = token.match(text, inner)
    if match is None:
        return None, position
    if not closers:
        return match, match.end()
    end = _end_of(_SAME_LINE_GAP, text, match.end())
    if text[end : end + 1] and text[end] in closers:
        return match, end + 1
    return None, position


def _end_of(pattern: re.Pattern[str], text: str, position: int) -> int:
    match = pattern.match(text, position)
    return match.end() if match is not None else position


def _verdict_at(text: str, position: int) -> tuple[Verdict | None, int]:
    match, end = _token(text, position, _WORD)
    if match is None or joins_after(text, match.end()):
        return None, position
    verdict = VERDICT_WORDS.get(match[0].lower())
    if verdict is None or _other_verdict(text, end, verdict):
        return None, end
    return verdict, end


def _other_verdict(text: str, position: int, verdict: Verdict) -> bool:
    """Whether a second, different word is on offer: `PASS or BLOCK`, `PASS/BLOCK`."""
    between = _EITHER.match(text, position)
    if between is None:
        return False
    word = _WORD.match(text, between.end())
    if word is None or joins_after(text, word.end()):
        return False
    other = VERDICT_WORDS.get(word[0].lower())
    if other is None or other == verdict:
        return False
    return between["strong"] is not None or _stands_alone(text, word.end())


def _stands_alone(text: str, position: int) -> bool:
    """Whether nothing but marks follows on the line: after a comma a second word is a choice only then."""
    rest = text[position:].split("\n", 1)[0]
    return not any(is_word(char) for char in rest)


def _score_at(text: str, position: int) -> tuple[Decimal | None, int]:
    match, end = _token(text, position, _DECIMAL)
    if match is None or _goes_on(text, match.end(), end):
        return None, position
    return plain_decimal(match[0]), end


def _winner_at(text: str, position: int) -> tuple[int | None, int]:
    match, end = _token(text, position, _ORDINAL)
    if match is None or _goes_on(text, match.end(), end):
        return None, position
    return whole_number(match[0].removeprefix("#")), end


def _goes_on(text: str, token_end: int, end: int) -> bool:
    """Whether a number is only a part of what is written: a share, a fraction, a range, one of two."""
    if joins_after(text, token_end):
        return True
    for position in {token_end, end}:
        if (
            _NUMBER_GOES_ON.match(text, position)
            or _SHARE.match(text, position)
            or _RANGE.match(text, position)
        ):
            return True
        between = _EITHER.match(text, position)
        if between is not None and _NUMBER.match(text, between.end()):
            strong = between["strong"] is not None or between["weak"].lower() != ","
            if strong or _stands_alone(text, _end_of(re.compile(r"[#+-]?[0-9.]+"), text, between.end())):
                return True
    return False
