"""Questions to a decision model, and what a validated answer to one is."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import attrs

from .errors import ConfigurationError, ProviderError
from .protocol import DecisionQuestion

MOST_QUESTIONS = 200
_SURROGATE = re.compile("[\ud800-\udfff]")


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


class Decisions(Mapping[str, Decision]):
    """Validated answers by question. Reading the answer to a question that was refused raises its `Refused`; the
    others can be used."""

    def __init__(self, decisions: Mapping[str, Decision], refused: Mapping[str, Refused]) -> None:
        self.refused = refused
        self._decisions = decisions

    def __getitem__(self, question: str) -> Decision:
        if question in self.refused:
            raise self.refused[question]
        return self._decisions[question]

    def __iter__(self) -> Iterator[str]:
        yield from self._decisions
        yield from self.refused

    def __len__(self) -> int:
        return len(self._decisions) + len(self.refused)

    def as_values(self) -> dict[str, Any]:
        """As expressions see them."""
        answered = {name: decision.as_value() for name, decision in self._decisions.items()}
        return answered | {name: _RefusedValue(refusal) for name, refusal in self.refused.items()}


class _RefusedValue(dict[str, Any]):
    """Stands where an answer would: whoever reads it learns that there is none."""

    def __init__(self, refusal: Refused) -> None:
        super().__init__()
        self._refusal = refusal

    def __getitem__(self, key: str) -> Any:
        raise self._refusal

    def __contains__(self, key: object) -> bool:
        raise self._refusal

    def get(self, key: str, default: Any = None) -> Any:
        raise self._refusal


def check_questions(questions: Sequence[DecisionQuestion]) -> None:
    """What cannot be asked is refused before context and before any call."""
    if not questions:
        raise ConfigurationError("there is no question to ask", code="decision.no-questions")
    if len(questions) > MOST_QUESTIONS:
        raise ConfigurationError(
            f"one call takes at most {MOST_QUESTIONS} questions, this asks {len(questions)}",
            code="model.decision.invalid-request",
        )
    for question in questions:
        check_question(question)


def check_question(question: DecisionQuestion) -> None:
    """A question needs words, a choice something to choose from, a scale two levels; each named once."""
    what = {"condition": "condition", "choice": "question", "scale": "question"}[question.kind]
    if type(question.text) is not str or not question.text.strip():
        raise _unaskable(f"the {what} is empty: write what is to be decided")
    for text in (question.text, *question.choices, *question.descriptions):
        if isinstance(text, str) and _SURROGATE.search(text):
            raise _unaskable(f"the {what} holds half a character (a lone surrogate), which cannot be sent")
    if question.kind == "condition":
        return
    one, least = ("option", 1) if question.kind == "choice" else ("level", 2)
    if len(question.choices) < least:
        raise _unaskable(f"a {question.kind} needs at least {least} {one}{'s' * (least > 1)}")
    seen: set[str] = set()
    for choice in question.choices:
        if type(choice) is not str or not choice.strip():
            raise _unaskable(f"each {one} must be a text that is not blank")
        if choice != choice.strip():
            raise _unaskable(f"the {one} {choice!r} has white space at its ends: write {choice.strip()!r}")
        if choice in seen:
            raise _unaskable(f"the {one} {choice!r} stands there twice")
        seen.add(choice)


def _unaskable(what: str) -> ConfigurationError:
    return ConfigurationError(what, code="model.decision.invalid-request")
