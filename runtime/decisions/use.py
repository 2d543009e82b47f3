"""One use of a judge, checked as a whole before anything of the application runs: a mistake in it is a
`ConfigurationError`."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping
from typing import Any

import msgspec

from ..judge.confidence import effective_minimum
from ..judge.errors import ConfigurationError
from ..judge.protocol import DecisionQuestion
from ..judge.serialise import sendable_layer
from ..store.canonical import UNSET
from .cancel import CancelHandle
from .confidence import Confidence
from .evaluation import Asked
from .questions import (
    AnyPreset,
    BooleanPreset,
    ChoicePreset,
    ChoiceQuestion,
    Condition,
    ScaleQuestion,
    choice_question,
    condition_question,
    scale_question,
)

UnsetType = msgspec.UnsetType


def asked_condition(condition: object, context: object, input: object, signal: CancelHandle | None) -> Asked:
    if isinstance(condition, ChoicePreset | ChoiceQuestion):
        raise _misused(
            f"`condition` is a {type(condition).__name__}, which picks one of several answers: use judge_switch or "
            "choice for it"
        )
    preset = condition if isinstance(condition, BooleanPreset) else None
    if preset is not None:
        condition = preset.condition
    question = condition_question(condition.text if isinstance(condition, Condition) else condition)
    return _asked(question, preset, context, input, signal)


def asked_choice(
    question: object, options: object, context: object, input: object, signal: CancelHandle | None
) -> Asked:
    """`options` is UNSET where the question has its own."""
    if isinstance(question, BooleanPreset | Condition):
        raise _misused(
            f"`question` is a {type(question).__name__}, which is answered with yes or no: use judge_if or boolean"
        )
    preset = question if isinstance(question, ChoicePreset) else None
    if preset is not None:
        question = preset.question
    if isinstance(question, ChoiceQuestion):
        if options is not UNSET:
            raise _misused("a ChoiceQuestion has its own options: leave `options` out")
        return _asked(choice_question(question.ask, question.options), preset, context, input, signal)
    if options is UNSET:
        raise _misused("a question in words needs its `options`")
    return _asked(choice_question(question, options), None, context, input, signal)


def asked_switch(
    question: object, cases: object, context: object, input: object, signal: CancelHandle | None
) -> tuple[Asked, dict[str, Callable[[Any], Any]]]:
    """The use, and its cases: their keys are all the answers that there can be."""
    if not isinstance(cases, Mapping) or not cases:
        raise _misused("`cases` must be an object: each option with the function to call")
    callbacks = dict(cases)
    own = isinstance(question, ChoiceQuestion | ChoicePreset | BooleanPreset | Condition)
    asked = asked_choice(question, UNSET if own else list(callbacks), context, input, signal)
    options = asked.question.choices
    missing = [option for option in options if option not in callbacks]
    extra = [case for case in callbacks if case not in options]
    if missing or extra:
        told = [f"no case for {_listed(missing)}"] if missing else []
        told += [f"no option for the case {_listed(extra)}"] if extra else []
        raise ConfigurationError(
            f"the cases must be the question's options: {' and '.join(told)}", code="decision.cases"
        )
    for option, callback in callbacks.items():
        check_callback(f"the case {option!r}", callback)
    return asked, callbacks


def bar_of(asked: Asked, confidence: object) -> tuple[float | None, Callable[[Any], Any] | None]:
    """The bar of a branch and what is called below it. The use's own minimum overrides the preset's."""
    if confidence is not None and not isinstance(confidence, Confidence):
        raise _misused("`confidence` must be a Confidence: Confidence(0.8, uncertain=…)")
    declared = asked.preset.confidence.minimum if asked.preset and asked.preset.confidence else None
    own, uncertain = (confidence.minimum, confidence.uncertain) if confidence is not None else (None, None)
    name = (asked.preset.name if asked.preset is not None else None) or "the decision"
    return effective_minimum(name, declared, own, handled=uncertain is not None), uncertain


def check_callback(name: str, callback: object) -> None:
    if not callable(callback):
        raise ConfigurationError(
            f"{name} must be a function, not a {type(callback).__name__}", code="decision.callback"
        )


def asked_scale(question: object, levels: object, context: object, signal: CancelHandle | None) -> Asked:
    """`levels` is UNSET where the question has its own."""
    if isinstance(question, ScaleQuestion):
        if levels is not UNSET:
            raise _misused("a ScaleQuestion has its own levels: leave `levels` out")
        return _asked(scale_question(question.ask, question.levels), None, context, UNSET, signal)
    if levels is UNSET:
        raise _misused("a question in words needs its `levels`")
    return _asked(scale_question(question, levels), None, context, UNSET, signal)


def _asked(
    question: DecisionQuestion,
    preset: AnyPreset | None,
    context: object,
    input: object,
    signal: CancelHandle | None,
) -> Asked:
    if signal is not None and not isinstance(signal, CancelHandle):
        raise _misused("`signal` must be a CancelHandle")
    needs_input = preset is not None and preset.get_context is not None
    if needs_input and input is UNSET:
        raise _misused("the preset's `get_context` needs an `input`")
    if input is not UNSET and not needs_input:
        raise _misused("`input` is for the `get_context` of a preset, and there is none here")
    return Asked(
        question=question,
        layer=None if context is UNSET else sendable_layer(context),
        preset=preset,
        input=input,
        signal=signal,
    )


def _listed(names: Iterable[object]) -> str:
    return ", ".join(repr(name) for name in names)


def _misused(what: str) -> ConfigurationError:
    return ConfigurationError(what, code="decision.use")
