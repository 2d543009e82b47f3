"""What can be asked again and again: conditions, questions, and presets that bring their own context."""

from __future__ import annotations

import time
from collections.abc import Callable, Hashable, Iterable, Mapping, Sequence
from types import MappingProxyType
from typing import Any, Generic, Literal, TypeVar

import attrs
import msgspec

from ..judge.context_cache import KeptContexts
from ..judge.decisions import check_question
from ..judge.errors import ConfigurationError
from ..judge.protocol import DecisionQuestion
from .cancel import CancelHandle
from .confidence import Confidence

S_contra = TypeVar("S_contra", contravariant=True)
I_co = TypeVar("I_co", covariant=True)
I_contra = TypeVar("I_contra", contravariant=True)
K_co = TypeVar("K_co", bound=str, covariant=True)

WHICH = "Which of these fits best?"
HOW_MUCH = "Which level fits best?"

ID = "decision"
"""The name of a question that is asked alone."""


def condition_question(text: object) -> DecisionQuestion:
    """Raises `ConfigurationError` for what cannot be asked, as the next ones do."""
    question = DecisionQuestion(ID, "condition", text)  # type: ignore[arg-type]  # checked here
    check_question(question)
    return question


def choice_question(text: object, options: object) -> DecisionQuestion:
    """`options` is a list of them, or an object of their descriptions."""
    listed = _listed(options, "options")
    descriptions: tuple[Any, ...] = ()
    if isinstance(options, Mapping):
        descriptions = tuple(options.values())
        for option, told in options.items():
            if told is not None and not isinstance(told, str):
                raise _misused(f"the description of {option!r} must be a text or None")
    question = DecisionQuestion(ID, "choice", text, listed, descriptions)  # type: ignore[arg-type]
    check_question(question)
    return question


def scale_question(text: object, levels: object) -> DecisionQuestion:
    question = DecisionQuestion(ID, "scale", text, _listed(levels, "levels"))  # type: ignore[arg-type]
    check_question(question)
    return question


def _listed(choices: object, what: str) -> tuple[Any, ...]:
    if isinstance(choices, str | set | frozenset) or not isinstance(choices, Iterable):
        raise _misused(f"`{what}` must be a list of texts, not a {type(choices).__name__}")
    return tuple(choices)


def _copied(given: Mapping[K_co, str | None]) -> Mapping[K_co, str | None]:
    if not isinstance(given, Mapping):
        raise _misused(
            "the options of a ChoiceQuestion are an object: each option with its description or None"
        )
    return MappingProxyType(dict(given))


def _listed_levels(given: Sequence[K_co]) -> tuple[K_co, ...]:
    return _listed(given, "levels")


@attrs.frozen
class Condition(Generic[S_contra]):
    """A yes-or-no question that knows for a type checker which context it is about:
    `Condition[Ticket]("Does this ticket require immediate attention?")`."""

    text: str

    def __attrs_post_init__(self) -> None:
        condition_question(self.text)


@attrs.frozen
class ChoiceQuestion(Generic[S_contra, K_co]):
    """A question with its options, each with a description or None. A type checker knows the context and the keys:
    `ChoiceQuestion[Ticket, Literal["billing", "account"]]({"billing": "Payments", "account": None})`."""

    options: Mapping[K_co, str | None] = attrs.field(converter=_copied)
    ask: str = WHICH

    def __attrs_post_init__(self) -> None:
        choice_question(self.ask, self.options)


@attrs.frozen
class ScaleQuestion(Generic[S_contra, K_co]):
    """A question with its levels, lowest first."""

    levels: tuple[K_co, ...] = attrs.field(converter=_listed_levels)
    ask: str = HOW_MUCH

    def __attrs_post_init__(self) -> None:
        scale_question(self.ask, self.levels)


def named_question(name: str, asked: object) -> DecisionQuestion:
    """One of several questions of a call. A text is a condition."""
    if isinstance(asked, DecisionQuestion):
        question = asked
    elif isinstance(asked, ChoiceQuestion):
        question = choice_question(asked.ask, asked.options)
    elif isinstance(asked, ScaleQuestion):
        question = scale_question(asked.ask, asked.levels)
    else:
        question = condition_question(asked.text if isinstance(asked, Condition) else asked)
    return msgspec.structs.replace(question, id=name)


@attrs.frozen(kw_only=True)
class GetContextArgs(Generic[I_co]):
    """What a preset's `get_context` gets. `input` is the application's own and is never sent."""

    input: I_co
    signal: CancelHandle | None
    invocation_id: str


class ContextCache(Generic[I_contra]):
    """Keeps what a preset's `get_context` gave for `ttl` seconds, by the key of its input. Answers are never kept,
    nor is a failure; several who miss at once resolve once. One cache belongs to one preset.

    `now` is a clock in seconds. Raises `ConfigurationError` without a time or without a key.
    """

    def __init__(
        self,
        ttl: float | None = None,
        key: Callable[[I_contra], Hashable] | None = None,
        *,
        now: Callable[[], float] = time.monotonic,
    ) -> None:
        if isinstance(ttl, bool) or not isinstance(ttl, int | float) or not 0 < ttl < float("inf"):
            raise _misused("a context cache needs a time to live: `ttl`, in seconds, above 0")
        if not callable(key):
            raise _misused("a context cache needs a key: `key`, a function of the preset's input")
        self._key = key
        self.kept = KeptContexts(ttl, now)

    def key_of(self, input: I_contra) -> Hashable:
        """Keys of different types are different keys: 1 is not True."""
        key = self._key(input)
        try:
            hash(key)
        except TypeError:
            raise _misused(
                f"the key of a context cache must be hashable, this one is a {type(key).__name__}"
            ) from None
        if hasattr(key, "__await__"):
            if hasattr(key, "close"):
                key.close()
            raise _misused("the key of a context cache must be a plain function, not an async one")
        return type(key), key


@attrs.frozen(kw_only=True)
class _Preset(Generic[I_contra]):
    name: str | None = None
    get_context: Callable[[GetContextArgs[I_contra]], object] | None = None
    """Sync or async; called once for each evaluation, right before the provider."""
    confidence: Confidence[Any] | None = None
    cache: ContextCache[I_contra] | None = None

    def __attrs_post_init__(self) -> None:
        if self.get_context is not None and not callable(self.get_context):
            raise _misused("`get_context` must be a function")
        if self.cache is not None and not isinstance(self.cache, ContextCache):
            raise _misused("`cache` must be a ContextCache")
        if self.cache is not None and self.get_context is None:
            raise _misused("there is nothing to cache: the preset has no `get_context`")
        if self.confidence is not None and not isinstance(self.confidence, Confidence):
            raise _misused("`confidence` must be a Confidence")
        if self.confidence is not None and self.confidence.uncertain is not None:
            raise _misused("a preset's Confidence is the minimum alone: give `uncertain` where it is used")


@attrs.frozen(kw_only=True)
class BooleanPreset(_Preset[I_contra]):
    """A condition with its own context and bar, made once and used with an input each time."""

    condition: str | Condition[Any]
    kind: Literal["boolean"] = attrs.field(default="boolean", init=False)

    def __attrs_post_init__(self) -> None:
        super().__attrs_post_init__()
        if not isinstance(self.condition, Condition):
            condition_question(self.condition)


@attrs.frozen(kw_only=True)
class ChoicePreset(_Preset[I_contra], Generic[I_contra, K_co]):
    """A choice question with its own context and bar."""

    question: ChoiceQuestion[Any, K_co]
    kind: Literal["choice"] = attrs.field(default="choice", init=False)

    def __attrs_post_init__(self) -> None:
        super().__attrs_post_init__()
        if not isinstance(self.question, ChoiceQuestion):
            raise _misused("the question of a ChoicePreset must be a ChoiceQuestion")


AnyPreset = BooleanPreset[Any] | ChoicePreset[Any, Any]


def _misused(what: str) -> ConfigurationError:
    return ConfigurationError(what, code="decision.question")
