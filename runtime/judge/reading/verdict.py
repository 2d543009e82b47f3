"""Verdicts: of a gate's `ask`, and of a gate's judge, who may give a score too."""

from __future__ import annotations

import unicodedata
from decimal import Decimal
from fractions import Fraction
from typing import Any

import msgspec

from .fences import find_fences, unwrap
from .lenient_json import find_object
from .markers import SCORE, VERDICT, Marker, holds_only_markers, last_marker
from .numbers import plain_decimal, score_of
from .own_words import has_label, own_words
from .reasoning import strip_reasoning
from .text import BLANKS, EMPHASIS, VERDICT_WORDS, Verdict, one_line_end, strip_blanks

_HALF = Fraction(1, 2)


class VerdictReading(msgspec.Struct, frozen=True):
    """`verdict` is None exactly where the reply is not readable; the construct's policy decides then."""

    readable: bool
    verdict: Verdict | None = None


class GateJudgeReading(msgspec.Struct, frozen=True):
    """`score` lies in 0..1. It is None where the reply is not readable, and where a verdict stands beside a score that
    cannot be read: no number is made up, so where weights need one such a reply is as good as unreadable."""

    readable: bool
    verdict: Verdict | None = None
    score: Fraction | None = None


def read_verdict(text: str) -> VerdictReading:
    """A gate's verdict out of a reply: JSON `continue`, `pass` or `verdict`, else `VERDICT:`. Never raises."""
    text = one_line_end(strip_reasoning(text))
    fields = find_object(text)
    found = None if fields is None else _verdict_of_fields(fields)
    if found is None or not found.there:
        found = _verdict_of_markers(text)
    return VerdictReading(found.value is not None, found.value)


def read_gate_judge(text: str) -> GateJudgeReading:
    """A gate judge's verdict and score: JSON `verdict` and `score`, else `VERDICT:` and `SCORE:`, never mixed.

    A score alone passes from 0.5; a verdict alone counts 1 or 0. Never raises.
    """
    text = one_line_end(strip_reasoning(text))
    fields = find_object(text)
    if fields is not None:
        verdict, score = _verdict_field(fields), _score_field(fields)
        if verdict.there or score.there:
            return _judgement(verdict, score)
    return _judgement_of_markers(text)


def _judgement(verdict: Marker[Verdict], score: Marker[Fraction]) -> GateJudgeReading:
    if verdict.there:
        if verdict.value is None:
            return GateJudgeReading(False)
        return GateJudgeReading(
            True, verdict.value, score.value if score.there else Fraction(verdict.value == "pass")
        )
    if score.value is None:
        return GateJudgeReading(False)
    return GateJudgeReading(True, "pass" if score.value >= _HALF else "block", score.value)


def _verdict_of_fields(fields: dict[str, Any]) -> Marker[Verdict]:
    votes: set[Verdict] = {
        "pass" if value else "block"
        for value in (fields.get("continue"), fields.get("pass"))
        if isinstance(value, bool)
    }
    word = _verdict_field(fields)
    if word.value is not None:
        votes.add(word.value)
    return Marker(word.there or bool(votes), votes.pop() if len(votes) == 1 else None)


def _verdict_field(fields: dict[str, Any]) -> Marker[Verdict]:
    value = fields.get("verdict")
    if not isinstance(value, str):
        return Marker(False)
    start, end = 0, len(value)
    while start < end and _is_trim(value[start]):
        start += 1
    while end > start and _is_trim(value[end - 1]):
        end -= 1
    word = value[start:end]
    return Marker(True, VERDICT_WORDS.get(word.lower()) if word.isascii() else None)


def _is_trim(char: str) -> bool:
    return char in BLANKS or char in EMPHASIS or unicodedata.category(char)[0] == "P"


def _score_field(fields: dict[str, Any]) -> Marker[Fraction]:
    value = fields.get("score")
    if value is None:
        return Marker(False)
    if isinstance(value, str):
        value = plain_decimal(strip_blanks(value))
    if isinstance(value, bool) or not isinstance(value, int | Decimal):
        return Marker(True)
    return Marker(True, score_of(value))


def _verdict_of_markers(text: str) -> Marker[Verdict]:
    if not has_label(text):
        return Marker(False)
    text = unwrap(text)
    fences = find_fences(text)
    found = last_marker(own_words(text, fences), VERDICT)
    if found.there:
        return found
    for fence in fences:
        body = strip_blanks(fence.body(text))
        if holds_only_markers(body, (VERDICT,)) and last_marker(body, VERDICT).value == "block":
            return Marker(True, "block")
    return found


def _judgement_of_markers(text: str) -> GateJudgeReading:
    if not has_label(text):
        return GateJudgeReading(False)
    text = unwrap(text)
    fences = find_fences(text)
    words = own_words(text, fences)
    verdict, score = last_marker(words, VERDICT), last_marker(words, SCORE)
    if verdict.there or score.there:
        return _judgement(verdict, score)
    for fence in fences:
        body = strip_blanks(fence.body(text))
        if body and holds_only_markers(body, (VERDICT, SCORE)):
            shown = _judgement(last_marker(body, VERDICT), last_marker(body, SCORE))
            if shown.verdict == "block":
                return shown
    return GateJudgeReading(False)
