"""The way to models: which provider serves which model, what a call costs, and what to do when one fails."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from decimal import Decimal
from itertools import pairwise

import attrs
import msgspec

from ...dsl.plan import ModelPlan
from ..judge.errors import ModelKindError, ProviderContractError, ProviderError
from ..judge.protocol import Caller, ChatReply, ChatRequest, DecisionReply, DecisionRequest, Provider, Usage
from ..run import Turn
from .messages import ChatCall, DecideCall, ProviderRef
from .price import cost, price_of

_MILLION = Decimal(1_000_000)
_FREE = Decimal(0)
BROKEN_OFF = Usage(incomplete=True)
"""What is known of a call that never came back."""


@attrs.frozen
class Served:
    """A model as its provider knows it. `vendor` answers, where the provider is a gateway that passes questions on."""

    slug: str
    vendor: str | None = None


ProviderHandler = Callable[[ChatCall | DecideCall], Awaitable[ChatReply | DecisionReply]]


@asynccontextmanager
async def provider_behaviour(
    provider: Provider, models: Mapping[str, ModelPlan], served: Mapping[str, Served]
) -> AsyncIterator[ProviderHandler]:
    """A provider as an actor: its connections live and die with it."""

    async def handle(call: ChatCall | DecideCall) -> ChatReply | DecisionReply:
        model, run = models[call.model], call.run
        claim = await run.limits.claim(*_most(call, model)) if run.limits.counts else None
        try:
            turn = Turn(run, call.party)
            await turn.take()
            try:
                reply = await _send(provider, call, model, served[call.model], turn)
            except ProviderError as error:
                if error.usage is not None:
                    # A refused, filtered or cut answer is no answer, but it was paid for.
                    _book(call, error.usage, model)
                raise
            except BaseException:
                # Cancelled, or a bug: what was sent may have been paid for, and nobody will say how much.
                _book(call, BROKEN_OFF, model)
                raise
            else:
                if _is_free(reply):
                    call.run.book(call.step, call.party, reply.usage, _FREE, from_cache=reply.cached)
                else:
                    _book(call, reply.usage, model)
                _tell_left_out(call, reply, model)
                return reply
            finally:
                turn.give()
        finally:
            if claim is not None:
                run.limits.release(claim)

    yield handle


async def _send(
    provider: Provider, call: ChatCall | DecideCall, model: ModelPlan, served: Served, turn: Turn
) -> ChatReply | DecisionReply:
    caller = Caller(
        party=call.party,
        name=call.name,
        run=call.run.info.id,
        step=call.step.id,
        attempt=call.attempt,
        sample=call.draw.number,
        draws=call.draw.of,
        values=call.values,
        turn=turn,
    )
    if isinstance(call, ChatCall):
        return await provider.chat(_chat_request(call, model, served.slug, caller))
    request = DecisionRequest(served.slug, call.state, call.questions, caller, model.timeout)
    reply = await provider.decide(request)
    if served.vendor is None:
        return msgspec.structs.replace(reply, provider=provider.name)
    return msgspec.structs.replace(reply, provider=served.vendor, gateway=provider.name)


def _chat_request(call: ChatCall, model: ModelPlan, slug: str, caller: Caller) -> ChatRequest:
    return ChatRequest(
        model=slug,
        messages=call.messages,
        caller=caller,
        tools=call.tools,
        tool_choice=call.tool_choice,
        temperature=model.temperature if model.temperature is not None else call.temperature,
        max_tokens=model.max_tokens if model.max_tokens is not None else call.max_tokens,
        timeout=model.timeout,
    )


def _most(call: ChatCall | DecideCall, model: ModelPlan) -> tuple[int, Decimal]:
    """The tokens and US dollars of the longest answer to a call, as far as that is known."""
    if isinstance(call, DecideCall):
        return 0, _FREE
    tokens = model.max_tokens if model.max_tokens is not None else call.max_tokens or 0
    price = None if is_free(model) else price_of(model)
    return tokens, _FREE if price is None else tokens * price.output / _MILLION


def _book(call: ChatCall | DecideCall, usage: Usage, model: ModelPlan) -> None:
    if is_free(model):
        call.run.book(call.step, call.party, usage, _FREE)
        return
    amount = cost(usage, price_of(model))
    certain = amount is not None and not usage.incomplete
    call.run.book(call.step, call.party, usage, amount or _FREE, certain=certain)


def _tell_left_out(call: ChatCall | DecideCall, reply: ChatReply | DecisionReply, model: ModelPlan) -> None:
    for setting in reply.left_out if isinstance(reply, ChatReply) else ():
        told = f"{call.party}: {model.slug} takes no {setting}; it was asked without"
        if told not in call.run.warnings:
            call.run.warnings.append(told)


def _is_free(reply: ChatReply | DecisionReply) -> bool:
    """Scripted and cached replies cost nothing."""
    scripted = reply.scripted if isinstance(reply, ChatReply) else reply.origin == "scripted"
    return scripted or reply.cached


def is_free(model: ModelPlan) -> bool:
    """Scripts, echoes and the model inside the package cost nothing."""
    return model.via is None and model.slug.startswith(("local/", "echo/", "script/"))


@attrs.frozen(eq=False)
class Gateway:
    """Sends a call to the provider of its model, and to its fallbacks when that one gives no whole answer."""

    models: Mapping[str, ModelPlan]
    providers: Mapping[str, ProviderRef]
    """By the Plan's name of the model."""

    async def chat(self, call: ChatCall) -> ChatReply:
        if self.models[call.model].kind == "decision":
            raise ModelKindError(f"{call.party}: {call.model} is a decision model, it cannot chat")
        reply = await self._first(call)
        assert isinstance(reply, ChatReply)
        return reply

    async def decide(self, call: DecideCall) -> DecisionReply:
        if self.models[call.model].kind != "decision":
            raise ModelKindError(f"{call.party}: {call.model} is a chat model, it cannot decide")
        reply = await self._first(call)
        assert isinstance(reply, DecisionReply)
        return reply

    async def _first(self, call: ChatCall | DecideCall) -> ChatReply | DecisionReply:
        """The first whole answer of the model and its fallbacks. A broken contract is no reason to ask another one:
        it would hide a service that answers nonsense."""
        fallback = self.models[call.model].fallback
        if not fallback:
            return await self._ask(call, call.model)
        names = (call.model, *fallback)
        for name, after in pairwise(names):
            try:
                return await self._ask(call, name)
            except ProviderContractError:
                raise
            except ProviderError as error:
                call.run.warnings.append(
                    f"{call.party}: {error.message} ({error.code}); asked {after} instead"
                )
        return await self._ask(call, names[-1])

    def _ask(self, call: ChatCall | DecideCall, model: str) -> Awaitable[ChatReply | DecisionReply]:
        asked = call if model == call.model else msgspec.structs.replace(call, model=model)
        return self.providers[model].ask(asked)
