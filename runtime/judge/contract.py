"""What a decision provider answered, held against its contract before anything is done with it.

Finite, in [0, 1], legal options, exactly the legal keys, sums within 1e-6, a score within 0 … levels - 1 that is the
mean of its levels within 1e-6; else `ProviderContractError` and nothing runs. A service that is declared to round is
renormalised, and that is recorded.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from decimal import Decimal
from typing import Any

from .decisions import Decision, Decisions, Refused
from .errors import ProviderContractError
from .protocol import (
    ChoiceAnswer,
    ConditionAnswer,
    DecisionQuestion,
    DecisionReply,
    RefusedAnswer,
    ScaleAnswer,
)

TOLERANCE = 1e-6


def validated(question: DecisionQuestion, reply: DecisionReply) -> Decision:
    """The answer to one question. Raises `ProviderContractError`, or `Refused`."""
    answer = reply.answers.get(question.id)
    if answer is None:
        raise _broken(question, "has no answer")
    if isinstance(answer, RefusedAnswer):
        reason = f": {answer.reason}" if answer.reason else ""
        raise Refused(f"the model refused to answer `{question.id}`{reason}")
    kinds: dict[str, type] = {"condition": ConditionAnswer, "choice": ChoiceAnswer, "scale": ScaleAnswer}
    if not isinstance(answer, kinds[question.kind]):
        raise _broken(question, f"is a {question.kind}, but the answer is of another kind")
    confidence = None
    if answer.confidence is not None:
        confidence = _share(question, "confidence", answer.confidence)
    if isinstance(answer, ConditionAnswer):
        return _condition(question, answer, confidence)
    if isinstance(answer, ChoiceAnswer):
        return _choice(question, answer, confidence, reply.rounding)
    return _scale(question, answer, confidence, reply.rounding)


def decisions_of(questions: Sequence[DecisionQuestion], reply: DecisionReply) -> Decisions:
    """Every question's validated answer by its name. Answers to questions that were not asked break the contract."""
    extra = reply.answers.keys() - {question.id for question in questions}
    if extra:
        raise ProviderContractError(
            f"the service answered what was not asked: {', '.join(sorted(extra))}",
            code="model.decision.invalid-response",
        )
    decisions, refused = {}, {}
    for question in questions:
        try:
            decisions[question.id] = validated(question, reply)
        except Refused as refusal:
            refused[question.id] = refusal
    return Decisions(decisions, refused)


def _condition(question: DecisionQuestion, answer: ConditionAnswer, confidence: float | None) -> Decision:
    share = _share(question, "probability", answer.probability)
    value = share >= 0.5 if answer.value is None else answer.value
    if not isinstance(value, bool):
        raise _broken(question, "is answered with neither true nor false")
    other = _complement(share)
    return Decision(
        kind="condition",
        value=value,
        label="yes" if value else "no",
        probabilities={"yes": share, "no": other},
        confidence=max(share, other) if confidence is None else confidence,
        derived=confidence is None,
    )


def _choice(
    question: DecisionQuestion, answer: ChoiceAnswer, confidence: float | None, rounding: int | None
) -> Decision:
    legal = question.choices
    # Exact types: what only claims to equal an option is none.
    if type(answer.choice) is not str or answer.choice not in legal:
        raise _broken(question, "is answered with an option that is not on offer")
    if not isinstance(answer.probabilities, Mapping):
        raise _broken(question, "has no probabilities by option")
    given = _by_option(question, answer.probabilities)
    missing = [option for option in legal if option not in given]
    if missing:
        raise _broken(question, f"has no probability for {', '.join(map(repr, missing))}")
    if len(given) > len(legal):
        raise _broken(
            question, f"has probabilities for {len(given) - len(legal)} options that are not on offer"
        )
    shares = [_share(question, f"probabilities.{option}", given[option]) for option in legal]
    shares, normalized = _distribution(question, shares, rounding)
    probabilities = dict(zip(legal, shares, strict=True))
    return Decision(
        kind="choice",
        value=answer.choice,
        label=answer.choice,
        probabilities=probabilities,
        confidence=probabilities[answer.choice] if confidence is None else confidence,
        derived=confidence is None,
        normalized=normalized,
    )


def _by_option(question: DecisionQuestion, told: Mapping[Any, Any]) -> dict[str, Any]:
    """A copy, made by whatever code the mapping has."""
    given: dict[str, Any] = {}
    for option, share in told.items():
        if type(option) is not str:
            raise _broken(question, "has a probability for an option that is no text")
        given[option] = share
    return given


def _scale(
    question: DecisionQuestion, answer: ScaleAnswer, confidence: float | None, rounding: int | None
) -> Decision:
    levels = question.choices
    top = len(levels) - 1
    score = _number(answer.score)
    if score is None or not 0 <= score <= top:
        raise _broken(question, f"has the score {_shown(answer.score)}, which is not between 0 and {top}")
    if not isinstance(answer.probabilities, tuple | list) or len(answer.probabilities) != len(levels):
        raise _broken(question, f"needs {len(levels)} probabilities, one for each level in order")
    shares = [
        _share(question, f"probabilities[{at}]", share) for at, share in enumerate(answer.probabilities)
    ]
    given = shares
    shares, normalized = _distribution(question, given, rounding)
    _check_mean(question, score, given, rounding)
    level = max(range(len(levels)), key=lambda at: (shares[at], -at))
    return Decision(
        kind="scale",
        value=score,
        label=levels[level],
        probabilities=dict(zip(levels, shares, strict=True)),
        confidence=shares[level] if confidence is None else confidence,
        derived=confidence is None,
        normalized=normalized,
        levels=levels,
        level=level,
    )


def _check_mean(question: DecisionQuestion, score: float, shares: list[float], rounding: int | None) -> None:
    """A score is where its probabilities balance. Where they and it were rounded, each may be off by half a unit of
    its last place, and a share moves the mean by its level times that."""
    mean = math.fsum(at * share for at, share in enumerate(shares))
    off = min(abs(score - mean), abs(score - mean / math.fsum(shares)))
    allowed = TOLERANCE + 1e-12
    if rounding is not None:
        allowed += 0.5 * 10**-rounding * (1 + sum(range(len(shares))))
    if off > allowed:
        raise _broken(
            question, f"has the score {score:.9g}, but its probabilities have their mean at {mean:.9g}"
        )


def _distribution(
    question: DecisionQuestion, shares: list[float], rounding: int | None
) -> tuple[list[float], bool]:
    total = math.fsum(shares)
    # A sum that is written as 1.000001 is within 1e-6 of 1, whatever its last bit says.
    off = abs(total - 1) - 1e-12
    if off <= TOLERANCE:
        return shares, False
    if rounding is not None and off <= len(shares) * 0.5 * 10**-rounding + TOLERANCE and total > 0:
        return [share / total for share in shares], True
    allowed = f"{TOLERANCE:g}" if rounding is None else f"rounding to {rounding} decimals"
    raise _broken(
        question, f"has probabilities that add up to {total:.9g}, off from 1 by more than {allowed}"
    )


def _share(question: DecisionQuestion, field: str, value: Any) -> float:
    share = _number(value)
    if share is None or not 0 <= share <= 1:
        raise _broken(question, f"has {field} {_shown(value)}, which is not between 0 and 1")
    return share


def _complement(share: float) -> float:
    """1 - share as it is written: in binary 1 - 0.07 is a little less than 0.93, and would not reach a bar of 0.93."""
    return float(1 - Decimal(repr(share)))


def _number(value: Any) -> float | None:
    """A finite number as a plain float."""
    if isinstance(value, bool) or not isinstance(value, int | float):
        return None
    try:
        number = float(value)
    except OverflowError:
        return None
    return number if math.isfinite(number) else None


def _shown(value: Any) -> str:
    """A number as it is. Whatever else a service sent stays out of messages."""
    if isinstance(value, float) and type(value) is float:
        return repr(value)
    if type(value) is int and abs(value) < 10**9:
        return str(value)
    return f"of type {type(value).__name__}"


def _broken(question: DecisionQuestion, what: str) -> ProviderContractError:
    return ProviderContractError(
        f"the {question.kind} `{question.id}` {what}", code="model.decision.invalid-response"
    )
