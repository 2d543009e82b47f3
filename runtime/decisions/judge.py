"""The decision core from Python: an application asks, a provider answers, and the application's own code runs on what
was validated and sure enough."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from inspect import isawaitable
from time import perf_counter
from types import TracebackType
from typing import Any, TypeVar, cast, overload

import attrs

from ..judge.serialise import sendable_layer
from ..store.canonical import UNSET
from .cancel import CancelHandle
from .confidence import BranchMeta, Confidence, UncertainMeta
from .decision import BooleanDecision, ChoiceDecision, ScoreDecision
from .evaluation import Asked, Client, Outcome, evaluate, new_id
from .events import Hooks, OnDecision, OnError, check_hooks
from .provider import DecisionProvider, check_provider
from .questions import (
    WHICH,
    BooleanPreset,
    ChoicePreset,
    ChoiceQuestion,
    Condition,
    ScaleQuestion,
)
from .scoped import AsyncBranch, AsyncCase, Branch, Case, ScopedJudge
from .use import (
    UnsetType,
    asked_choice,
    asked_condition,
    asked_scale,
    asked_switch,
    bar_of,
    check_callback,
)

S = TypeVar("S")
I = TypeVar("I")  # noqa: E741  # an input, as in presets
K = TypeVar("K", bound=str)
T = TypeVar("T")
E = TypeVar("E")
U = TypeVar("U")


def create_judge(
    provider: DecisionProvider,
    *,
    context: Mapping[str, Any] | None = None,
    on_decision: OnDecision | None = None,
    on_error: OnError | None = None,
    capture: bool = False,
    clock: Callable[[], float] = perf_counter,
    ids: Callable[[], str] = new_id,
) -> Judge:
    """A judge that asks `provider`. `context` is the lowest layer of every question.

    `on_decision` gets each `DecisionEvent` before its branch runs, `on_error` what went wrong while telling. `capture`
    puts contexts and raw answers into events and decisions: they are sensitive. `clock` measures durations in seconds,
    `ids` names invocations.

    Raises `ConfigurationError` for a provider that lacks `boolean`, `choice` or `score`, and `SerializationError` for a
    context that cannot be sent.
    """
    check_provider(provider)
    check_hooks(on_decision, on_error)
    layers = () if context is None else (sendable_layer(context),)
    return Judge(Client(provider, layers, Hooks(on_decision, on_error), bool(capture), clock, ids))


class Judge:
    """Made by `create_judge`. Frozen: `with_context` gives another one. As an async context manager it closes its
    provider at the end.

    In every method `context` is the topmost layer, `input` what a preset's `get_context` is called with, and `signal`
    a handle that ends the call with `AbortError`. Mistakes raise `ConfigurationError` before any context is resolved.
    """

    __slots__ = ("_client",)

    def __init__(self, client: Client) -> None:
        self._client = client

    # decisions without branches

    async def boolean(
        self,
        *,
        condition: str | Condition[S] | BooleanPreset[I],
        context: S | UnsetType = UNSET,
        input: I | UnsetType = UNSET,
        signal: CancelHandle | None = None,
    ) -> BooleanDecision:
        """Yes or no. Raises `ProviderError`, code `decision.refused`, where the service refused."""
        asked = asked_condition(condition, context, input, signal)
        return cast(BooleanDecision, _decided(await evaluate(self._client, asked)))

    @overload
    async def choice(
        self,
        *,
        question: str,
        options: Sequence[K] | Mapping[K, str | None],
        context: object = ...,
        signal: CancelHandle | None = ...,
    ) -> ChoiceDecision[K]: ...

    @overload
    async def choice(
        self,
        *,
        question: ChoiceQuestion[S, K] | ChoicePreset[I, K],
        context: S | UnsetType = ...,
        input: I | UnsetType = ...,
        signal: CancelHandle | None = ...,
    ) -> ChoiceDecision[K]: ...

    async def choice(
        self,
        *,
        question: object,
        options: object = UNSET,
        context: object = UNSET,
        input: object = UNSET,
        signal: CancelHandle | None = None,
    ) -> ChoiceDecision[Any]:
        """One of `options`, which may have descriptions, or of the question's own."""
        asked = asked_choice(question, options, context, input, signal)
        return cast("ChoiceDecision[Any]", _decided(await evaluate(self._client, asked)))

    @overload
    async def score(
        self,
        *,
        question: str,
        levels: Sequence[K],
        context: object = ...,
        signal: CancelHandle | None = ...,
    ) -> ScoreDecision[K]: ...

    @overload
    async def score(
        self,
        *,
        question: ScaleQuestion[S, K],
        context: S | UnsetType = ...,
        signal: CancelHandle | None = ...,
    ) -> ScoreDecision[K]: ...

    async def score(
        self,
        *,
        question: object,
        levels: object = UNSET,
        context: object = UNSET,
        signal: CancelHandle | None = None,
    ) -> ScoreDecision[Any]:
        """A place on a scale of at least two levels, lowest first. A score has no branches."""
        asked = asked_scale(question, levels, context, signal)
        return cast("ScoreDecision[Any]", _decided(await evaluate(self._client, asked)))

    # decisions with branches

    @overload
    async def judge_if(
        self,
        *,
        condition: str | Condition[S] | BooleanPreset[I],
        then: AsyncBranch[T],
        otherwise: AsyncBranch[E],
        context: S | UnsetType = ...,
        input: I | UnsetType = ...,
        confidence: Confidence[U] | None = ...,
        signal: CancelHandle | None = ...,
    ) -> T | E | U: ...

    @overload
    async def judge_if(
        self,
        *,
        condition: str | Condition[S] | BooleanPreset[I],
        then: AsyncBranch[T],
        otherwise: Branch[E],
        context: S | UnsetType = ...,
        input: I | UnsetType = ...,
        confidence: Confidence[U] | None = ...,
        signal: CancelHandle | None = ...,
    ) -> T | E | U: ...

    @overload
    async def judge_if(
        self,
        *,
        condition: str | Condition[S] | BooleanPreset[I],
        then: Branch[T],
        otherwise: AsyncBranch[E],
        context: S | UnsetType = ...,
        input: I | UnsetType = ...,
        confidence: Confidence[U] | None = ...,
        signal: CancelHandle | None = ...,
    ) -> T | E | U: ...

    @overload
    async def judge_if(
        self,
        *,
        condition: str | Condition[S] | BooleanPreset[I],
        then: Branch[T],
        otherwise: Branch[E],
        context: S | UnsetType = ...,
        input: I | UnsetType = ...,
        confidence: Confidence[U] | None = ...,
        signal: CancelHandle | None = ...,
    ) -> T | E | U: ...

    async def judge_if(
        self,
        *,
        condition: object,
        then: Callable[[Any], Any],
        otherwise: Callable[[Any], Any],
        context: object = UNSET,
        input: object = UNSET,
        confidence: Confidence[Any] | None = None,
        signal: CancelHandle | None = None,
    ) -> Any:
        """Calls exactly one of `then`, `otherwise` and the confidence's `uncertain`, sync or async, and gives what it
        gave. What it raises is raised as it is. The signal ends the decision, never a callback that has begun."""
        asked = asked_condition(condition, context, input, signal)
        check_callback("`then`", then)
        check_callback("`otherwise`", otherwise)
        asked, uncertain = _with_bar(asked, confidence)
        outcome = await evaluate(self._client, asked)
        if outcome.uncertain:
            return await _uncertain(outcome, asked, uncertain)
        decision = cast(BooleanDecision, outcome.decision)
        return await _call(then if decision.value else otherwise, BranchMeta(outcome.id, decision))

    @overload
    async def judge_switch(
        self,
        *,
        question: str | ChoiceQuestion[S, K] | ChoicePreset[I, K],
        cases: Mapping[K, AsyncCase[K, T]],
        context: S | UnsetType = ...,
        input: I | UnsetType = ...,
        confidence: Confidence[U] | None = ...,
        signal: CancelHandle | None = ...,
    ) -> T | U: ...

    @overload
    async def judge_switch(
        self,
        *,
        question: str | ChoiceQuestion[S, K] | ChoicePreset[I, K],
        cases: Mapping[K, Case[K, T]],
        context: S | UnsetType = ...,
        input: I | UnsetType = ...,
        confidence: Confidence[U] | None = ...,
        signal: CancelHandle | None = ...,
    ) -> T | U: ...

    async def judge_switch(
        self,
        *,
        question: object,
        cases: Mapping[Any, Callable[[Any], Any]],
        context: object = UNSET,
        input: object = UNSET,
        confidence: Confidence[Any] | None = None,
        signal: CancelHandle | None = None,
    ) -> Any:
        """Calls the case of the chosen option, or `uncertain`. The keys are the options, in their order; those of a
        `ChoiceQuestion` must be its own, all of them and no other."""
        asked, callbacks = asked_switch(question, cases, context, input, signal)
        asked, uncertain = _with_bar(asked, confidence)
        outcome = await evaluate(self._client, asked)
        if outcome.uncertain:
            return await _uncertain(outcome, asked, uncertain)
        decision = cast("ChoiceDecision[Any]", outcome.decision)
        return await _call(callbacks[decision.value], BranchMeta(outcome.id, decision))

    # what is made once

    def with_context(self, context: Mapping[str, Any]) -> Judge:
        """Another judge with one more layer; this one stays as it is."""
        layers = (*self._client.layers, sendable_layer(context))
        return Judge(attrs.evolve(self._client, layers=layers))

    def scope(self, context: type[S]) -> ScopedJudge[S]:
        """The same judge, for a type checker: every context must be of this type. Nothing is checked as it runs."""
        return cast("ScopedJudge[S]", self)

    @overload
    def condition(self, text: str) -> Condition[Any]: ...

    @overload
    def condition(self, text: str, context: type[S]) -> Condition[S]: ...

    def condition(self, text: str, context: type[Any] | None = None) -> Condition[Any]:
        """A condition to be used again; for a type checker it is about a context of this type."""
        return Condition(text)

    @overload
    def choice_question(
        self, options: Mapping[K, str | None], *, ask: str = ...
    ) -> ChoiceQuestion[Any, K]: ...

    @overload
    def choice_question(
        self, options: Mapping[K, str | None], *, ask: str = ..., context: type[S]
    ) -> ChoiceQuestion[S, K]: ...

    def choice_question(
        self, options: Mapping[K, str | None], *, ask: str = WHICH, context: type[Any] | None = None
    ) -> ChoiceQuestion[Any, K]:
        """A question to be used again: its options, each with a description or None."""
        return ChoiceQuestion(options, ask)

    # the provider's connections

    async def aclose(self) -> None:
        """Closes the provider, where it has something to close."""
        close = getattr(self._client.provider, "aclose", None)
        if close is not None:
            await close()

    async def __aenter__(self) -> Judge:
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        await self.aclose()


def _with_bar(asked: Asked, confidence: Confidence[Any] | None) -> tuple[Asked, Callable[[Any], Any] | None]:
    minimum, uncertain = bar_of(asked, confidence)
    return attrs.evolve(asked, minimum=minimum), uncertain


def _decided(outcome: Outcome) -> object:
    if outcome.refusal is not None:
        raise outcome.refusal
    return outcome.decision


async def _uncertain(outcome: Outcome, asked: Asked, uncertain: Callable[[Any], Any] | None) -> Any:
    if uncertain is None or asked.minimum is None:
        return _decided(outcome)
    refusal = outcome.refusal.message if outcome.refusal is not None else None
    return await _call(uncertain, UncertainMeta(outcome.id, outcome.decision, asked.minimum, refusal))


async def _call(callback: Callable[[Any], Any], meta: object) -> Any:
    """The third check has just been made: nothing is awaited before the callback begins."""
    result = callback(meta)
    return await result if isawaitable(result) else result
