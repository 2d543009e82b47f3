"""A condition, choice or scale as an actor: context, one call, validation, an event, and a decision.

Nothing runs on an answer before it has been validated, booked and announced.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Any, Literal, TypeAlias

import attrs

from ...dsl.plan import DecisionPlan
from ..core import ActorRef
from ..expr import Compiler, Scope, to_json
from ..judge.confidence import accepts
from ..judge.context_cache import KeptContexts
from ..judge.contract import decisions_of
from ..judge.decisions import Decision, Refused, check_question
from ..judge.protocol import DecisionQuestion, DecisionReply
from ..judge.serialise import merge_layers
from ..run import events
from ..store.history import render_earlier
from ..store.records import DecisionRecord
from .gateway import Gateway
from .messages import DecideCall, DecisionTask

DecisionHandler = Callable[[DecisionTask], Awaitable["Decided"]]
ContextOf = Callable[[Scope, DecisionTask], Awaitable[Mapping[str, Any]]]


@attrs.frozen
class Decided:
    """`uncertain` where the confidence is below the bar of this use, or the service refused the question."""

    decision: Decision | None
    uncertain: bool
    minimum: float | None
    id: str
    refusal: Refused | None = None

    def as_value(self) -> dict[str, Any]:
        """`decision` as a branch sees it: never the context."""
        found: dict[str, Any] = self.decision.as_value() if self.decision is not None else {}
        found["id"] = self.id
        if self.uncertain:
            found["minimum"] = self.minimum
        return found


@attrs.frozen(eq=False)
class DecisionParts:
    """`context` resolves the declaration's own layer (it may call tools); None where it has none."""

    plan: DecisionPlan
    compiler: Compiler
    gateway: Gateway
    global_context: Callable[[Scope], Any] | None
    context: ContextOf | None
    cache_key: Callable[[Scope], Any] | None
    now: Callable[[], float]


@asynccontextmanager
async def decision_behaviour(parts: DecisionParts) -> AsyncIterator[DecisionHandler]:
    """The context cache lives in the actor: per process and declaration, keyed by tenant."""
    yield _Decider(parts).handle


DecisionRef: TypeAlias = ActorRef[DecisionTask, Decided]


class _Decider:
    def __init__(self, parts: DecisionParts) -> None:
        self.parts = parts
        self.plan = parts.plan
        self.ask = parts.compiler.text(parts.plan.ask, parts.plan.origin)
        self.sent = [param.name for param in parts.plan.params if not param.hidden]
        self.cache: KeptContexts | None = None
        if parts.plan.cache_seconds is not None:
            self.cache = KeptContexts(parts.plan.cache_seconds, parts.now)

    async def handle(self, task: DecisionTask) -> Decided:
        """The third check is the asker's: the branch runs in its task."""
        run, plan = task.run, self.plan
        await run.guard.check()
        visible = {name: task.values.get(name) for name in self.sent}
        text = self.ask(Scope({**visible, "run": run.value()}))
        question = DecisionQuestion("decision", plan.kind, text, plan.choices, plan.descriptions)
        check_question(question)
        state = await self._state(task)
        began = self.parts.now()
        reply = await self.parts.gateway.decide(
            DecideCall(
                run=run,
                step=task.step,
                party=f"decision:{plan.name}",
                name=plan.name,
                model=plan.model,
                state=state,
                questions=(question,),
                draw=task.draw,
                values=task.values,
            )
        )
        decided = self._decided(question, reply, task)
        self._announce(task, decided, reply, (self.parts.now() - began) * 1000)
        if decided.refusal is not None and not task.uncertain:
            raise decided.refusal
        return decided

    async def _state(self, task: DecisionTask) -> dict[str, Any]:
        """The thread's turns, then global, scoped and own context, then the arguments by name."""
        scope = Scope({**task.values, "run": task.run.value()})
        layers: list[Any] = []
        if task.run.history:
            layers.append({"previous_turns": render_earlier(task.run.history)})
        if self.parts.global_context is not None:
            layers.append(self.parts.global_context(scope))
        layers.extend(task.layers)
        if self.parts.context is not None:
            layers.append(await self._own_context(scope, task))
        layers.append({name: task.values.get(name) for name in self.sent})
        return merge_layers(layers)

    async def _own_context(self, scope: Scope, task: DecisionTask) -> Any:
        """Resolved once per evaluation, or once per key and time where it is cached."""
        context, key = self.parts.context, self.parts.cache_key
        assert context is not None
        if self.cache is None or key is None:
            return await context(scope, task)
        wanted = to_json([task.run.info.tenant, key(scope)])

        async def resolve() -> Any:
            await task.run.guard.check()  # it may have waited for another one's
            return await context(scope, task)

        return await self.cache.get(wanted, resolve)

    def _decided(self, question: DecisionQuestion, reply: DecisionReply, task: DecisionTask) -> Decided:
        id = f"{task.run.info.id}/{task.step.id}"
        minimum = float(task.minimum) if task.minimum is not None else None
        try:
            decision = decisions_of((question,), reply)[question.id]
        except Refused as refusal:
            return Decided(None, True, minimum, id, refusal)
        uncertain = task.minimum is not None and not accepts(decision.confidence, task.minimum)
        return Decided(decision, uncertain, minimum, id)

    def _announce(
        self, task: DecisionTask, decided: Decided, reply: DecisionReply, milliseconds: float
    ) -> None:
        decision = decided.decision
        outcome = "refused" if decision is None else "uncertain" if decided.uncertain else "accepted"
        task.step.decision = DecisionRecord(
            kind=self.plan.kind,
            selected=decision.label if decision else "",
            outcome=outcome,  # type: ignore[arg-type]
            value=decision.value if decision else None,
            probabilities=dict(decision.probabilities) if decision else {},
            confidence=decision.confidence if decision else None,
            origin=_origin(decision, reply),
            minimum=decided.minimum,
            normalized=decision.normalized if decision else False,
            provider=reply.provider or None,
            gateway=reply.gateway,
            model=reply.model or None,
        )
        if not task.run.hooks or decision is None:
            return
        selected = decision.value if isinstance(decision.value, bool) else decision.label
        task.run.emit(
            events.Decided(
                run=task.run.info.id,
                at=task.run.now(),
                step=task.step.id,
                id=decided.id,
                kind={"condition": "boolean", "choice": "choice", "scale": "score"}[self.plan.kind],
                name=self.plan.name,
                selected=selected,
                confidence=decision.confidence,
                outcome="uncertain" if decided.uncertain else "accepted",
                duration_ms=milliseconds,
                provider=reply.provider,
                gateway=reply.gateway,
                model=reply.model or None,
                input_tokens=reply.usage.input_tokens,
                output_tokens=reply.usage.output_tokens,
            )
        )


def _origin(
    decision: Decision | None, reply: DecisionReply
) -> Literal["reported", "logprobs", "json", "scripted", "derived"]:
    """What was read from log-probabilities, stated in JSON or written in a script stays that; `derived` is said of a
    service that reports probabilities and leaves their confidence to us."""
    if decision is not None and decision.derived and reply.origin == "reported":
        return "derived"
    return reply.origin
