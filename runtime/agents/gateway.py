"""The way to models: which provider serves which model, what a call costs, and what to do when one fails."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from decimal import Decimal

import attrs
import msgspec

from ...dsl.plan import ModelPlan
from ..judge.errors import ModelKindError, ProviderContractError, ProviderError
from ..judge.protocol import Caller, ChatReply, ChatRequest, DecisionReply, DecisionRequest, Provider, Usage
from .messages import ChatCall, DecideCall, ProviderRef

_MILLION = Decimal(1_000_000)

ProviderHandler = Callable[[ChatCall | DecideCall], Awaitable[ChatReply | DecisionReply]]


@asynccontextmanager
async def provider_behaviour(
    provider: Provider, models: Mapping[str, ModelPlan], slugs: Mapping[str, str]
) -> AsyncIterator[ProviderHandler]:
    """A provider as an actor: its connections live and die with it. `slugs` are its own names of the models."""

    async def handle(call: ChatCall | DecideCall) -> ChatReply | DecisionReply:
        model, run = models[call.model], call.run
        caller = Caller(
            party=call.party,
            name=call.name,
            run=run.info.id,
            attempt=call.attempt,
            sample=call.sample if isinstance(call, ChatCall) else 0,
            values=call.values,
        )
        await run.guard.check()
        run.limits.check()
        run.guard.begin()
        run.limits.in_flight += 1
        try:
            reply: ChatReply | DecisionReply
            if isinstance(call, ChatCall):
                reply = await provider.chat(_chat_request(call, model, slugs[call.model], caller))
            else:
                reply = await provider.decide(
                    DecisionRequest(slugs[call.model], call.state, call.questions, caller, model.timeout)
                )
        except ProviderError as error:
            if error.usage is not None:
                # A refused, filtered or cut answer is no answer, but it was paid for.
                run.book(call.step, call.party, error.usage, price_of(error.usage, model))
            raise
        else:
            run.book(call.step, call.party, reply.usage, cost_of(reply, model))
            return reply
        finally:
            run.limits.in_flight -= 1
            run.guard.end()

    yield handle


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


def cost_of(reply: ChatReply | DecisionReply, model: ModelPlan) -> Decimal | None:
    """US dollars for one call: 0 for scripted and cached replies and for models inside the package, the service's own
    figure where it gave one, else price times tokens, else None: unknown."""
    if isinstance(reply, ChatReply) and (reply.scripted or reply.cached):
        return Decimal(0)
    if isinstance(reply, DecisionReply) and reply.origin == "scripted":
        return Decimal(0)
    return price_of(reply.usage, model)


def price_of(usage: Usage, model: ModelPlan) -> Decimal | None:
    """The service's own figure, else price times tokens; None where nobody knows."""
    if usage.cost is not None:
        return Decimal(usage.cost)
    if model.slug.startswith(("local/", "echo/", "script/")):
        return Decimal(0)
    if model.price_in is None or model.price_out is None:
        return None
    if usage.input_tokens is None or usage.output_tokens is None:
        return None
    spent = usage.input_tokens * Decimal(model.price_in) + usage.output_tokens * Decimal(model.price_out)
    return spent / _MILLION


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
        model = self.models[call.model]
        try:
            return await self.providers[call.model].ask(call)
        except ProviderContractError:
            raise
        except ProviderError as error:
            if not model.fallback:
                raise
            failed: ProviderError = error
        for name in model.fallback:
            call.run.warnings.append(f"{call.party}: {failed.message} ({failed.code}); asked {name} instead")
            await call.run.guard.check()
            try:
                return await self.providers[name].ask(msgspec.structs.replace(call, model=name))
            except ProviderContractError:
                raise
            except ProviderError as error:
                failed = error
        raise failed
