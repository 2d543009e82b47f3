"""What a judge's reply says: a verdict, and for a gate's judge a score.

JSON fields and markers are never mixed: where the reply holds an object with a field that counts, that decides,
readable or not; else the last marker does.
"""

from __future__ import annotations

import string
from decimal import Decimal
from fractions import Fraction
from typing import Any

import msgspec

from .fences import find_fences, unwrap
from .lenient_json import find_object
from .markers import last_score, last_verdict
from .numbers import plain_decimal, score_of
from .own_words import has_label, own_words
from .reasoning import strip_reasoning
from .text import BLANKS, EMPHASIS, VERDICT_WORDS, Verdict, one_line_end, strip_blanks

_AROUND = (
    BLANKS
    + EMPHASIS
    + string.punctuation.replace("~", "")
    + "\u201c\u201d\u2018\u2019\u00ab\u00bb\u3002\uff01"
)
_HALF = Fraction(1, 2)


class VerdictReading(msgspec.Struct, frozen=True):
    """`verdict` is None where the reply is not readable."""

    readable: bool
    verdict: Verdict | None = None


class GateJudgeReading(msgspec.Struct, frozen=True):
    """`score` is exact and in 0..1; None where the verdict stands beside a score that cannot be read."""

    readable: bool
    verdict: Verdict | None = None
    score: Fraction | None = None


_UNREADABLE = VerdictReading(False)
_UNREADABLE_JUDGE = GateJudgeReading(False)


def read_verdict(text: str) -> VerdictReading:
    """The verdict of a reply: `continue`, `pass` and `verdict` in JSON, or `VERDICT:`. Never raises."""
    text = _prepared(text)
    fields = find_object(text)
    if fields is not None:
        said = _fields(fields)
        if said is not None:
            return said
    marker = last_verdict(_own(text))
    if marker is None:
        return _blocking_fence(text)
    value: Any = marker.value
    return VerdictReading(True, value) if value is not None else _UNREADABLE


def read_gate_judge(text: str) -> GateJudgeReading:
    """The verdict and score of a gate's judge. A score alone passes from 0.5; a verdict alone counts 1 or 0."""
    text = _prepared(text)
    fields = find_object(text)
    if fields is not None and (isinstance(fields.get("verdict"), str) or fields.get("score") is not None):
        return _judge_fields(fields)
    own = _own(text)
    verdict, score = last_verdict(own), last_score(own)
    if verdict is None and score is None:
        return _judged(_blocking_fence(text), None, has_score=False)
    said = VerdictReading(verdict.value is not None, verdict.value) if verdict is not None else None  # type: ignore[arg-type]
    value: Any = score.value if score is not None else None
    return _judged(said, score_of(value), has_score=score is not None)


def _prepared(text: str) -> str:
    return one_line_end(strip_reasoning(text))


def _own(text: str) -> str:
    """The judge's own words: without the wrappers of the whole reply, quotations masked."""
    inner = unwrap(text)
    return own_words(inner, find_fences(inner)) if has_label(inner) else inner


def _judged(said: VerdictReading | None, score: Fraction | None, *, has_score: bool) -> GateJudgeReading:
    if said is not None and not said.readable:
        return _UNREADABLE_JUDGE
    if said is not None and said.verdict is not None:
        if has_score:
            return GateJudgeReading(True, said.verdict, score)
        return GateJudgeReading(True, said.verdict, Fraction(int(said.verdict == "pass")))
    if score is None:
        return _UNREADABLE_JUDGE
    return GateJudgeReading(True, "pass" if score >= _HALF else "block", score)


def _judge_fields(fields: dict[str, Any]) -> GateJudgeReading:
    given = fields.get("score")
    score = None
    if isinstance(given, Decimal | int) and not isinstance(given, bool):
        score = score_of(given)
    elif isinstance(given, str):
        score = score_of(plain_decimal(strip_blanks(given)))
    word = fields.get("verdict")
    verdict = _word(word) if isinstance(word, str) else None
    said = VerdictReading(verdict is not None, verdict) if isinstance(word, str) else None
    return _judged(said, score, has_score=given is not None)


def _fields(fields: dict[str, Any]) -> VerdictReading | None:
    """What `continue`, `pass` and `verdict` say; None where none of them is there. A null, a verdict that is no text
    and a `pass` that is no bool are not there; a bool decides beside an unknown word."""
    said: set[Verdict] = set()
    for name in ("continue", "pass"):
        value = fields.get(name)
        if isinstance(value, bool):
            said.add("pass" if value else "block")
    word = fields.get("verdict")
    if isinstance(word, str):
        verdict = _word(word)
        if verdict is not None:
            said.add(verdict)
    elif not said:
        return None
    return VerdictReading(True, said.pop()) if len(said) == 1 else _UNREADABLE


def _word(text: str) -> Verdict | None:
    return VERDICT_WORDS.get(_lower(text.strip(_AROUND)))


def _lower(word: str) -> str:
    """Lower case, in ASCII only."""
    return "".join(mark.lower() if mark.isascii() else mark for mark in word)


def _blocking_fence(text: str) -> VerdictReading:
    """Where nothing else decides, a fence that holds a marker alone counts if it blocks, never if it passes."""
    for fence in reversed(find_fences(text)):
        body = strip_blanks(fence.body(text))
        marker = last_verdict(body)
        if marker is None:
            continue
        rest = body[: marker.start] + body[marker.end :]
        if marker.value == "block" and not rest.strip(_AROUND):
            return VerdictReading(True, "block")
    return _UNREADABLE
