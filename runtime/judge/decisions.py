"""What a decision provider answered, held against its contract before anything is done with it.

Finite, in [0, 1], legal options, exactly the legal keys, sums within 1e-6, a score within 0 … levels - 1; else
`ProviderContractError` and nothing runs. A service that is declared to round is renormalised, and that is recorded.
"""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any

import attrs

from .errors import ConfigurationError, ProviderContractError, ProviderError
from .protocol import (
    Answer,
    ChoiceAnswer,
    ConditionAnswer,
    DecisionQuestion,
    DecisionReply,
    RefusedAnswer,
    ScaleAnswer,
)
from .serialise import check_serialisable, merge_layers

TOLERANCE = 1e-6
MOST_QUESTIONS = 200


@attrs.frozen
class Decision:
    """A validated answer. `value` is a bool, an option or a score; `label` what the record and events call it;
    `derived` says that the confidence was worked out here because the service gave none."""

    kind: str
    value: bool | str | float
    label: str
    probabilities: Mapping[str, float]
    confidence: float
    derived: bool = False
    normalized: bool = False
    levels: tuple[str, ...] = ()
    level: int = 0

    def as_value(self) -> dict[str, Any]:
        """As expressions see it."""
        if self.kind == "condition":
            return {
                "probability": self.probabilities["yes"],
                "value": self.value,
                "confidence": self.confidence,
            }
        if self.kind == "choice":
            return {
                "choice": self.value,
                "value": self.value,
                "probabilities": dict(self.probabilities),
                "confidence": self.confidence,
            }
        return {
            "score": self.value,
            "level": self.level,
            "label": self.label,
            "levels": list(self.levels),
            "probabilities": list(self.probabilities.values()),
            "confidence": self.confidence,
        }


class Refused(ProviderError):
    """The service refused this question: no answer, so `uncertain` where there is one."""

    code = "decision.refused"


def check_questions(questions: Sequence[DecisionQuestion]) -> None:
    """What cannot be asked is refused before context and before any call."""
    if not questions:
        raise ConfigurationError("there is no question to ask", code="decision.no-questions")
    if len(questions) > MOST_QUESTIONS:
        raise ConfigurationError(
            f"one call takes at most {MOST_QUESTIONS} questions, this asks {len(questions)}",
            code="model.decision.invalid-request",
        )


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
    confidence = answer.confidence
    if confidence is not None:
        _check_share(question, "confidence", confidence)
    if isinstance(answer, ConditionAnswer):
        return _condition(question, answer)
    if isinstance(answer, ChoiceAnswer):
        return _choice(question, answer, reply.rounding)
    return _scale(question, answer, reply.rounding)


def decisions_of(questions: Sequence[DecisionQuestion], reply: DecisionReply) -> dict[str, Decision]:
    """Every question's validated answer by its name. Answers to questions that were not asked break the contract."""
    extra = reply.answers.keys() - {question.id for question in questions}
    if extra:
        raise ProviderContractError(
            f"the service answered what was not asked: {', '.join(sorted(extra))}",
            code="model.decision.invalid-response",
        )
    return {question.id: validated(question, reply) for question in questions}


def answers_as_values(questions: Sequence[DecisionQuestion], reply: DecisionReply) -> dict[str, Any]:
    """`decisions_of` as expressions see it."""
    return {name: decision.as_value() for name, decision in decisions_of(questions, reply).items()}


def _condition(question: DecisionQuestion, answer: ConditionAnswer) -> Decision:
    share = answer.probability
    _check_share(question, "probability", share)
    value = share >= 0.5
    confidence = answer.confidence
    return Decision(
        kind="condition",
        value=value,
        label="yes" if value else "no",
        probabilities={"yes": share, "no": 1 - share},
        confidence=max(share, 1 - share) if confidence is None else confidence,
        derived=confidence is None,
    )


def _choice(question: DecisionQuestion, answer: ChoiceAnswer, rounding: int | None) -> Decision:
    legal = question.choices
    if answer.choice not in legal:
        raise _broken(question, "was answered with an option that is not on offer")
    if set(answer.probabilities) != set(legal):
        raise _broken(question, "needs a probability for each option and no other")
    shares = [answer.probabilities[option] for option in legal]
    shares, normalized = _distribution(question, shares, rounding)
    probabilities = dict(zip(legal, shares, strict=True))
    confidence = answer.confidence
    return Decision(
        kind="choice",
        value=answer.choice,
        label=answer.choice,
        probabilities=probabilities,
        confidence=probabilities[answer.choice] if confidence is None else confidence,
        derived=confidence is None,
        normalized=normalized,
    )


def _scale(question: DecisionQuestion, answer: ScaleAnswer, rounding: int | None) -> Decision:
    levels = question.choices
    top = len(levels) - 1
    if not _finite(answer.score) or not 0 <= answer.score <= top:
        raise _broken(question, f"needs a score between 0 and {top}")
    if len(answer.probabilities) != len(levels):
        raise _broken(question, "needs a probability for each level")
    shares, normalized = _distribution(question, list(answer.probabilities), rounding)
    level = max(range(len(levels)), key=lambda at: (shares[at], -at))
    confidence = answer.confidence
    return Decision(
        kind="scale",
        value=answer.score,
        label=levels[level],
        probabilities=dict(zip(levels, shares, strict=True)),
        confidence=shares[level] if confidence is None else confidence,
        derived=confidence is None,
        normalized=normalized,
        levels=levels,
        level=level,
    )


def _distribution(
    question: DecisionQuestion, shares: list[float], rounding: int | None
) -> tuple[list[float], bool]:
    for share in shares:
        _check_share(question, "probability", share)
    total = math.fsum(shares)
    if abs(total - 1) <= TOLERANCE:
        return shares, False
    if rounding is not None and abs(total - 1) <= len(shares) * 0.5 * 10**-rounding + TOLERANCE and total > 0:
        return [share / total for share in shares], True
    raise _broken(question, f"has probabilities that add up to {total:.6g} instead of 1")


def _check_share(question: DecisionQuestion, what: str, value: Any) -> None:
    if not _finite(value) or not 0 <= value <= 1:
        raise _broken(question, f"has a {what} that is not between 0 and 1")


def _finite(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool) and math.isfinite(value)


def _broken(question: DecisionQuestion, what: str) -> ProviderContractError:
    return ProviderContractError(
        f"the {question.kind} `{question.id}` {what}", code="model.decision.invalid-response"
    )


__all__ = [
    "MOST_QUESTIONS",
    "TOLERANCE",
    "Answer",
    "Decision",
    "Refused",
    "answers_as_values",
    "check_questions",
    "check_serialisable",
    "decisions_of",
    "merge_layers",
    "validated",
]
