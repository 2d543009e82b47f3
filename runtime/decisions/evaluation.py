"""One evaluation: context, the provider, validation, the event, and whether the answer is sure enough.

The three checks stand here. What follows the third, a callback, is called by the asker without an await between.
"""

from __future__ import annotations

import traceback
from collections.abc import Awaitable, Callable
from inspect import isawaitable
from time import perf_counter
from typing import Any
from uuid import uuid4

import attrs

from ..judge.confidence import accepts
from ..judge.decisions import Refused
from ..judge.errors import JudgeflowError, ProviderContractError, ProviderError
from ..judge.protocol import DecisionQuestion
from ..judge.serialise import merge_layers, sendable, sendable_layer
from ..needs_trio import require_trio
from .cancel import CancelHandle, abortable, check
from .contract import METHODS, checked, readable
from .decision import AnyDecision, BooleanDecision, ChoiceDecision, ProviderMetadata
from .events import Captured, DecisionEvent, Hooks
from .provider import BooleanInput, ChoiceInput, DecisionProvider, ScoreInput, name_of
from .questions import AnyPreset, GetContextArgs


def new_id() -> str:
    return uuid4().hex


@attrs.frozen(eq=False)
class Client:
    """What all evaluations of one judge share. `layers` are the global and the scoped ones, lowest first."""

    provider: DecisionProvider
    layers: tuple[dict[str, Any], ...] = attrs.field(repr=False)
    hooks: Hooks
    capture: bool = False
    clock: Callable[[], float] = perf_counter
    new_id: Callable[[], str] = new_id


@attrs.frozen(eq=False, kw_only=True)
class Asked:
    """One use, checked: nothing in it can still be a mistake of the application."""

    question: DecisionQuestion
    layer: dict[str, Any] | None = attrs.field(default=None, repr=False)
    """The use's own context."""
    preset: AnyPreset | None = None
    input: Any = attrs.field(default=None, repr=False)
    signal: CancelHandle | None = None
    minimum: float | None = None


@attrs.frozen(eq=False)
class Outcome:
    """`decision` is None where the service refused the question."""

    id: str
    decision: AnyDecision | None
    uncertain: bool
    refusal: ProviderError | None = None


async def evaluate(client: Client, asked: Asked) -> Outcome:
    """Raises `SerializationError`, what `get_context` raised, `ProviderError`, `ProviderContractError`, and
    `AbortError` where the use's own handle ended it; `RuntimeError` where no Trio loop runs."""
    require_trio("a decision", "start with trio.run(main)", "trio.run, main")
    id = client.new_id()
    with abortable(asked.signal):
        await check()
        context = await _context(client, asked, id)
        await check()
        began = client.clock()
        try:
            decision = await _ask(client, asked, context, id)
        except ProviderError as refusal:
            if refusal.code != Refused.code:
                raise
            outcome = Outcome(id, None, True, refusal)
        else:
            uncertain = asked.minimum is not None and not accepts(decision.confidence, asked.minimum)
            outcome = Outcome(id, decision, uncertain)
            if client.hooks.on_decision is not None:
                client.hooks.tell(_event(client, outcome, context, (client.clock() - began) * 1000))
        await check()
    return outcome


async def _context(client: Client, asked: Asked, id: str) -> dict[str, Any]:
    """Global, scoped, the preset's own, then the use's."""
    layers = list(client.layers)
    if asked.preset is not None and asked.preset.get_context is not None:
        layers.append(await _own_context(asked.preset, asked, id))
    if asked.layer is not None:
        layers.append(asked.layer)
    return merge_layers(layers)


async def _own_context(preset: AnyPreset, asked: Asked, id: str) -> dict[str, Any]:
    get_context = preset.get_context
    assert get_context is not None

    async def resolve() -> dict[str, Any]:
        found = get_context(GetContextArgs(input=asked.input, signal=asked.signal, invocation_id=id))
        return sendable_layer(await found if isawaitable(found) else found)

    async def resolve_checked() -> dict[str, Any]:
        await check()  # it may have waited for another one's
        return await resolve()

    if preset.cache is None:
        return await resolve()
    kept: dict[str, Any] = await preset.cache.kept.get(preset.cache.key_of(asked.input), resolve_checked)
    return kept


async def _ask(client: Client, asked: Asked, context: dict[str, Any], id: str) -> AnyDecision:
    name = name_of(client.provider)
    try:
        answer = _called(client, asked, sendable(context) if client.capture else context, id)
        if not isawaitable(answer):
            raise ProviderContractError(f"{name}: {METHODS[asked.question.kind]}() must be async")
        found = await answer
    except Exception as error:
        failure = _alone(error)
        if isinstance(failure, JudgeflowError):
            raise failure from None
        raise _failed(name, failure) from (failure if client.capture else None)
    decision = checked(asked.question, found, provider=name, capture=client.capture)
    metadata = readable(decision.metadata)
    if metadata is None and decision.metadata is not None:
        client.hooks.failed(f"what {name} tells of itself cannot be read", id)
    return attrs.evolve(decision, metadata=metadata)


def _called(client: Client, asked: Asked, context: dict[str, Any], id: str) -> Awaitable[object]:
    provider, question = client.provider, asked.question
    if question.kind == "condition":
        return provider.boolean(
            BooleanInput(
                condition=question.text,
                context=context,
                invocation_id=id,
                signal=asked.signal,
                capture=client.capture,
            )
        )
    if question.kind == "choice":
        return provider.choice(
            ChoiceInput(
                question=question.text,
                options=question.choices,
                descriptions=question.descriptions,
                context=context,
                invocation_id=id,
                signal=asked.signal,
                capture=client.capture,
            )
        )
    return provider.score(
        ScoreInput(
            question=question.text,
            levels=question.choices,
            context=context,
            invocation_id=id,
            signal=asked.signal,
            capture=client.capture,
        )
    )


def _alone(error: Exception) -> Exception:
    """What a provider with tasks of its own failed of, where that is one thing."""
    while isinstance(error, ExceptionGroup) and len(error.exceptions) == 1:
        error = error.exceptions[0]
    return error


def _failed(name: str, error: Exception) -> ProviderError:
    """A provider's own exception is not part of the contract, and its text may hold what nobody should log: its type
    and its place are told."""
    place = ""
    for frame, line in traceback.walk_tb(error.__traceback__):
        place = f" at {frame.f_code.co_filename}:{line}"
    return ProviderError(f"{name} failed: {type(error).__name__}{place}", code="provider.failed")


def _event(client: Client, outcome: Outcome, context: dict[str, Any], milliseconds: float) -> DecisionEvent:
    decision = outcome.decision
    assert decision is not None
    metadata = decision.metadata or ProviderMetadata(name_of(client.provider))
    selected = decision.value if isinstance(decision, BooleanDecision | ChoiceDecision) else decision.label
    return DecisionEvent(
        id=outcome.id,
        kind=decision.kind,
        selected=selected,
        confidence=decision.confidence,
        outcome="uncertain" if outcome.uncertain else "accepted",
        duration_ms=milliseconds,
        provider=metadata.provider,
        gateway=metadata.gateway,
        model=metadata.model,
        usage=metadata.usage,
        captured=Captured(context, decision.raw) if client.capture else None,
    )
