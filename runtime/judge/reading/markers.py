"""Markers in text: `VERDICT: PASS`, `SCORE: 0.8`, `WINNER: #2`. The last label decides.

A marker is a whole-word label, `:`, `=` or a full-width colon, and a token. Blanks, emphasis and one pair of quotes
or brackets around the token are tolerated. A token that is one of several, a percentage, a fraction or a range is none.
"""

from __future__ import annotations

import re
from collections.abc import Callable
from fractions import Fraction
from typing import Generic, TypeVar

import msgspec

from .numbers import plain_decimal, score_of
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

Value = TypeVar("Value")
Reader = Callable[[str, int], tuple[Value | None, int]]
"""Reads the token at an offset: its value (None: not a legal one) and the offset behind it."""

_LOOSE = rf"[{LINE_BLANKS}{EMPHASIS}]*+"
_PERCENT = "[%\uff05\ufe6a\u066a\u2030\u2031]"
_DASHES = "\u2010-\u2015-"

_GAP = re.compile(rf"[{BLANKS}{EMPHASIS}]*+")
_SPACE = re.compile(_LOOSE)
_BEFORE_LABEL = re.compile(rf"[{BLANKS}{EMPHASIS}#-]*+")
_AFTER_TOKEN = re.compile(rf"[{LINE_BLANKS}{EMPHASIS}.!]*+(?:\n|$)")

_WORD = re.compile(r"[A-Za-z]+")
_DECIMAL = re.compile(r"[0-9]+(?:\.[0-9]+)?|\.[0-9]+")
_ORDINAL = re.compile(r"#?[0-9]+")

_OPEN = rf"{_LOOSE}[(\[\"'#]?{_LOOSE}"
_CLOSE = rf"{_LOOSE}[)\]\"']?{_LOOSE}\(?{_LOOSE}"
_OTHER_WORD = re.compile(
    rf"{_CLOSE}(?:(?P<strong>and/or\b|or\b|versus\b|vs\b\.?|[/|\\&]|[-=]>|\u2192)|(?P<weak>and\b|[,;]|[{_DASHES}]+)){_OPEN}",
    re.IGNORECASE | re.ASCII,
)
_OTHER_SCORE = re.compile(
    rf"{_CLOSE}(?:(?:point|star|mark)s?\b)?{_LOOSE}"
    rf"(?:(?P<strong>and/or\b|or\b|to\b|out{_LOOSE}of\b|of\b|in\b|versus\b|vs\b\.?|[/|\\&+=~\u00b1]|[-=]>|\u2192|\.\.+|\u2026)"
    rf"|(?P<weak>and\b|[,;]|[{_DASHES}]+)){_OPEN}(?P<number>[0-9]*\.?[0-9]+)",
    re.IGNORECASE | re.ASCII,
)
_OTHER_WINNER = re.compile(
    rf"{_CLOSE}(?:(?P<strong>and/or\b|and\b|or\b|to\b|versus\b|vs\b\.?|[,/|\\&+=~]|[-=]>|\u2192|\.\.+|\u2026)"
    rf"|(?P<weak>[{_DASHES}]+)){_OPEN}(?P<number>[0-9]+)",
    re.IGNORECASE | re.ASCII,
)
_GOES_ON = re.compile(rf"[{EMPHASIS}]*+(?:[.,:\u00b7\u066b\u066c][0-9]|\+|{_LOOSE}{_PERCENT})")
"""What makes the number before it another number: `0.8.5`, `0,9`, `2:1`, `0.9+`, `90 %`."""
_OTHER_SCALE = re.compile(
    rf"{_CLOSE}(?:{_PERCENT}|per{_LOOSE}(?:cent|mill?e?|thousand|hundred|ten)|percent|pct\b|bps?\b|basis\b"
    rf"|on{_LOOSE}an?\b[^\n.]{{0,20}}?\bscale{_LOOSE}(?:of|from){_LOOSE}[0-9]+{_LOOSE}(?:to|[{_DASHES}]){_LOOSE}(?!1\b)[0-9])",
    re.IGNORECASE | re.ASCII,
)


class Marker(msgspec.Struct, Generic[Value], frozen=True):
    """`there`: the label stands in the text. `value` is None where what follows the last label is no legal token."""

    there: bool
    value: Value | None = None


class Label(msgspec.Struct, Generic[Value], frozen=True):
    """A label's pattern, its separator included, and the reader of its token."""

    pattern: re.Pattern[str]
    read: Reader[Value]


def last_marker(words: str, label: Label[Value]) -> Marker[Value]:
    """The marker that decides. `words` are the judge's own."""
    last: re.Match[str] | None = None
    for match in label.pattern.finditer(words):
        if not joins_before(words, match.start()):
            last = match
    if last is None:
        return Marker(False)
    return Marker(True, label.read(words, last.end())[0])


def holds_only_markers(text: str, labels: tuple[Label[Verdict] | Label[Fraction], ...]) -> bool:
    """Whether the text is markers with legal tokens, each on its own, and nothing else."""
    position = 0
    while position < len(text):
        before = _BEFORE_LABEL.match(text, position)
        start = before.end() if before else position
        for label in labels:
            if (match := label.pattern.match(text, start)) is not None:
                break
        else:
            return False
        value, end = label.read(text, match.end())
        after = _AFTER_TOKEN.match(text, end)
        if value is None or after is None:
            return False
        position = after.end()
    return True


def _verdict_at(text: str, position: int) -> tuple[Verdict | None, int]:
    token, end = _token(text, position, _WORD)
    verdict = None if token is None else VERDICT_WORDS.get(token[0].lower())
    if verdict is None:
        return None, end
    behind = end
    while (other := _OTHER_WORD.match(text, behind)) is not None:
        word = _WORD.match(text, other.end())
        if word is None or joins_after(text, word.end()):
            break
        named = VERDICT_WORDS.get(word[0].lower())
        behind = word.end()
        if named is None:
            break
        if named != verdict and (other["strong"] or _ends_statement(text, behind)):
            return None, end
    return verdict, end


def _score_at(text: str, position: int) -> tuple[Fraction | None, int]:
    token, end = _token(text, position, _DECIMAL)
    if token is None or _GOES_ON.match(text, end) or _OTHER_SCALE.match(text, end):
        return None, end
    other = _OTHER_SCORE.match(text, end)
    if other is not None and (
        other["strong"] or "." in other["number"] or _ends_statement(text, other.end())
    ):
        return None, end
    return score_of(plain_decimal(token[0])), end


def _winner_at(text: str, position: int) -> tuple[str | None, int]:
    token, end = _token(text, position, _ORDINAL)
    if token is None or _GOES_ON.match(text, end):
        return None, end
    digits = token[0].lstrip("#")
    behind = end
    while (other := _OTHER_WINNER.match(text, behind)) is not None:
        behind = other.end()
        same = other["number"].lstrip("0") == digits.lstrip("0")
        if not same and (other["strong"] or _ends_statement(text, behind)):
            return None, end
    return digits, end


def _token(text: str, position: int, pattern: re.Pattern[str]) -> tuple[re.Match[str] | None, int]:
    """The whole token behind a separator, and the offset behind it and the pair around it."""
    position = _past(_GAP, text, position)
    closers = _CLOSERS.get(text[position : position + 1], "")
    if closers:
        position = _past(_GAP, text, position + 1)
    match = pattern.match(text, position)
    if match is None or joins_after(text, match.end()) or _GOES_ON.match(text, match.end()):
        return None, position
    end = match.end()
    if closers:
        end = _past(_SPACE, text, end)
        if text[end : end + 1] not in closers or end == len(text):
            return None, position
        end += 1
    return match, end


def _ends_statement(text: str, position: int) -> bool:
    position = _past(_SPACE, text, position)
    return position == len(text) or not is_word(text[position])


def _past(pattern: re.Pattern[str], text: str, position: int) -> int:
    match = pattern.match(text, position)
    return match.end() if match else position


def _closers() -> dict[str, str]:
    closers = {"(": ")", "[": "]"}
    for opener, closer in QUOTE_PAIRS:
        closers[opener] = closers.get(opener, "") + closer
    return closers


_CLOSERS = _closers()


def _label(name: str) -> re.Pattern[str]:
    return re.compile(rf"{name}{_LOOSE}[={LABEL_COLONS}]", re.IGNORECASE | re.ASCII)


VERDICT: Label[Verdict] = Label(_label("verdict"), _verdict_at)
SCORE: Label[Fraction] = Label(_label("score"), _score_at)
WINNER: Label[str] = Label(_label("winner"), _winner_at)
