"""From whatever a provider gave to a decision that may be used: validated, and made of plain values."""

from __future__ import annotations

from typing import Any

import attrs

from ..judge.contract import validated
from ..judge.decisions import Decision
from ..judge.errors import ProviderContractError
from ..judge.protocol import (
    Answer,
    ChoiceAnswer,
    ConditionAnswer,
    DecisionQuestion,
    DecisionReply,
    ScaleAnswer,
    Usage,
)
from .decision import AnyDecision, BooleanDecision, ChoiceDecision, ProviderMetadata, ScoreDecision

KINDS: dict[str, type[BooleanDecision | ChoiceDecision[Any] | ScoreDecision[Any]]] = {
    "condition": BooleanDecision,
    "choice": ChoiceDecision,
    "scale": ScoreDecision,
}
METHODS = {"condition": "boolean", "choice": "choice", "scale": "score"}


def checked(question: DecisionQuestion, found: object, *, provider: str, capture: bool) -> AnyDecision:
    """Raises `ProviderContractError`. Each field is read once, so that it cannot be another one later."""
    wanted, method = KINDS[question.kind], METHODS[question.kind]
    if not isinstance(found, wanted):
        raise _broken(f"{provider}: {method}() must give a {wanted.__name__}, not a {type(found).__name__}")
    try:
        metadata, raw = found.metadata, found.raw if capture else None
        reply = DecisionReply({question.id: _answer(question, found)})
        decision = validated(question, reply)
    except ProviderContractError as error:
        raise _broken(f"{provider}: {error.message}") from None
    except Exception as error:
        raise _broken(f"{provider}: its {wanted.__name__} cannot be read ({type(error).__name__})") from None
    return decision_from(decision, metadata, raw)


def decision_from(decision: Decision, metadata: ProviderMetadata | None, raw: Any) -> AnyDecision:
    """A validated answer as applications see it."""
    if decision.kind == "condition":
        return BooleanDecision(
            bool(decision.value), decision.probabilities["yes"], decision.confidence, metadata, raw
        )
    if decision.kind == "choice":
        return ChoiceDecision(
            decision.label, dict(decision.probabilities), decision.confidence, metadata, raw
        )
    return ScoreDecision(
        float(decision.value),
        decision.levels,
        tuple(decision.probabilities.values()),
        decision.confidence,
        metadata,
        raw,
    )


def readable(metadata: object) -> ProviderMetadata | None:
    """A copy of what a provider tells of itself, or None where that makes no sense: it never costs a decision."""
    if not isinstance(metadata, ProviderMetadata):
        return None
    try:
        copied = _copied(metadata)
    except Exception:
        return None
    texts = (copied.gateway, copied.model, copied.origin)
    if type(copied.provider) is not str or not all(text is None or type(text) is str for text in texts):
        return None
    return copied if copied.usage is None or _is_usage(copied.usage) else None


def _copied(metadata: ProviderMetadata) -> ProviderMetadata:
    names = [field.name for field in attrs.fields(ProviderMetadata)]
    return ProviderMetadata(**{name: getattr(metadata, name) for name in names})


def _is_usage(usage: object) -> bool:
    if type(usage) is not Usage:
        return False
    counts = (usage.input_tokens, usage.output_tokens)
    return all(count is None or (type(count) is int and count >= 0) for count in counts)


def _answer(question: DecisionQuestion, found: object) -> Answer:
    if isinstance(found, BooleanDecision):
        return ConditionAnswer(
            found.probability_true,
            _given(found.confidence),
            _given(found.value),
        )
    if isinstance(found, ChoiceDecision):
        return ChoiceAnswer(found.value, found.probabilities, _given(found.confidence))
    assert isinstance(found, ScoreDecision)
    levels = found.levels
    if (
        not isinstance(levels, tuple | list)
        or any(type(level) is not str for level in levels)
        or tuple(levels) != question.choices
    ):
        raise _broken(f"the scale `{question.id}` is answered with other levels than were asked")
    return ScaleAnswer(found.score, found.probabilities, _given(found.confidence))


def _given(value: object) -> Any:
    """A decision leaves nothing to be worked out, as a service's bare answer does: None is a wrong value like any."""
    return "None" if value is None else value


def _broken(what: str) -> ProviderContractError:
    return ProviderContractError(what, code="model.decision.invalid-response")
