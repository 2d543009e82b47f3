"""An agent's visit: model, tool calls, a typed answer, judges, and back to the model with the reasons.

Failed attempts stay inside the visit: nothing of them reaches the thread. Their cost counts.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from typing import Any

import attrs
import trio

from ...dsl.plan import AgentPlan
from ..core import StepFailure
from ..expr import Scope
from ..judge.errors import EndsRun, ProviderError, QualityGateError, StepError, failed_step
from ..judge.protocol import ChatReply, Message, ToolCall, ToolSpec
from ..judge.reading.text import strip_blanks
from ..run import Run, Step, events
from ..store.history import render_history, shortened
from ..store.records import VerdictRecord
from .answers import AnswerReader, TypedAnswer
from .attempt import Attempt
from .gateway import Gateway
from .messages import AgentAnswer, AgentTask, ChatCall, JudgeTask
from .panel import JudgeBroke, Panel
from .tool_use import ToolBox, ToolUse

INVALID_ANSWERS = 2
"""How often an answer of the wrong shape goes back in one attempt, apart from the agent's retries."""
TOOL_TURNS = 24
"""Turns with tool calls in one attempt, so that a model that never answers cannot spend without end."""

CONTEXT_LIMIT = "provider.context-limit"

AgentHandler = Callable[[AgentTask], Awaitable[AgentAnswer]]
Rejections = tuple[tuple[str, str], ...]
"""(judge, reason) of each that rejected; the judge is empty for a violated shape."""


@attrs.frozen(eq=False)
class AgentParts:
    """What an agent is made of, once its names are resolved."""

    plan: AgentPlan
    prompt: Callable[[Scope], str] | str
    """A template, or the text itself where it has no values in it."""
    reader: AnswerReader
    panel: Panel
    tools: ToolBox
    gateway: Gateway


@asynccontextmanager
async def agent_behaviour(parts: AgentParts) -> AsyncIterator[AgentHandler]:
    """An agent as an actor. It keeps nothing between visits."""
    name, seconds = parts.plan.name, parts.plan.timeout

    async def handle(task: AgentTask) -> AgentAnswer:
        if seconds is None:
            return await _Visit(parts, task).answer()
        with trio.move_on_after(seconds):
            return await _Visit(parts, task).answer()
        raise StepError(
            f"{name}: there was no accepted answer within {seconds:g} s", code="step.agent.timeout", step=name
        )

    yield handle


class _Visit:
    """One visit: the conversation so far, and the tool calls that judges may read."""

    def __init__(self, parts: AgentParts, task: AgentTask) -> None:
        self.parts = parts
        self.task = task
        self.run: Run = task.run
        self.step: Step = task.step
        self.party = task.party or f"agent:{parts.plan.name}"
        self.calls: list[Mapping[str, Any]] = []
        self.secrets: set[str] = set()
        self.tools = ToolUse(task.run, task.step, parts.tools.functions, self.calls, self.secrets)
        self.specs: tuple[ToolSpec, ...] = ()
        self.values = {"task": task.task, **task.values}
        system = parts.prompt
        if not isinstance(system, str):
            system = system(Scope({"run": task.run.value(parts.plan.name), **self.values}))
        self.messages: list[Message] = [Message("system", system)] if system else []
        self.history = self.run.history
        self.task_at = len(self.messages)
        self.messages.append(Message("user", render_history(self.history, task.task)))

    async def answer(self) -> AgentAnswer:
        plan = self.parts.plan
        await self._learn_tools()
        for number in range(plan.retries + 1):
            with Attempt(self.run, self.step, number, self.messages, self.secrets) as attempt:
                typed, rejections = await self._attempt(attempt)
            if not rejections:
                return AgentAnswer(typed.value, typed.variant)
            self._tell_rejected(number, rejections)
            if number < plan.retries:
                await self.run.guard.check()
                self._send_back(attempt.replied, _reasons(rejections))
        usage, cost = self.step.ledger.usage(), self.step.ledger.cost()
        raise QualityGateError(plan.name, rejections, plan.retries, usage, cost)

    async def _learn_tools(self) -> None:
        """What the model may call, the answer tools among it."""
        offer = await self.parts.tools.offer()
        self.tools = attrs.evolve(self.tools, offer=offer)
        self.specs = (*(offered.spec for offered in offer.values()), *self.parts.reader.tools)

    async def _attempt(self, attempt: Attempt) -> tuple[TypedAnswer, Rejections]:
        """One answer and what its judges say of it. Whatever breaks is the step's own failure."""
        try:
            typed = await self._complete(attempt)
            verdicts = await self._judge(typed, attempt.number)
        except EndsRun as end:
            attempt.failed(end.message)
            raise
        except (StepFailure, JudgeBroke) as error:
            judge, cause = (error.judge, error.failure) if isinstance(error, JudgeBroke) else (None, error)
            failure = failed_step(self.parts.plan.name, "step.agent", cause, judge=judge)
            attempt.failed(failure.message)
            raise failure from cause
        rejections = tuple((v.judge, v.reason or "") for v in verdicts if not v.passed)
        attempt.judged(_reasons(rejections))
        return typed, rejections

    def _judge(self, typed: TypedAnswer, attempt: int) -> Awaitable[list[VerdictRecord]]:
        task = self.task
        return self.parts.panel.verdicts(
            JudgeTask(
                run=task.run,
                step=task.step,
                agent=self.parts.plan.name,
                reply=typed.value,
                variant=typed.variant,
                task=task.task,
                attempt=attempt,
                calls=tuple(self.calls),
                draw=task.draw,
            ),
            task.values,
        )

    async def _complete(self, attempt: Attempt) -> TypedAnswer:
        """Turns with the model until it has given an answer of the agent's shape."""
        invalid = 0
        for _ in range(TOOL_TURNS):
            reply = await self._chat(attempt.number)
            answers = [call for call in reply.tool_calls if self.parts.reader.owns(call)]
            others = [call for call in reply.tool_calls if not self.parts.reader.owns(call)]
            typed, violations = (None, []) if others else self._read(reply, answers)
            # In the record before the check: what was paid for is kept however the run ends.
            attempt.came(reply, typed)
            await self.run.proceed()
            if typed is not None:
                self._check_not_blank(typed)
                return typed
            if others:
                await self._use_tools(reply, others, attempt.number)
                continue
            invalid += 1
            if invalid > INVALID_ANSWERS:
                raise StepError(
                    f"the answer still has the wrong shape after {INVALID_ANSWERS} corrections: "
                    f"{'; '.join(violations)}",
                    code="step.agent.invalid-answer",
                    step=self.parts.plan.name,
                )
            self._invalid(reply, violations, attempt.number)
        raise StepError(
            f"there was no answer after {TOOL_TURNS} turns of tool calls",
            code="step.agent.no-answer",
            step=self.parts.plan.name,
        )

    def _check_not_blank(self, typed: TypedAnswer) -> None:
        """A reply without a text is no answer. Where there are judges they are asked and say why not; to a gate it is a
        verdict that cannot be read."""
        asked_by_gate = self.task.party is not None
        if asked_by_gate or self.parts.plan.judges or not self.parts.reader.is_text:
            return
        if not strip_blanks(typed.value):
            raise StepError(
                "the model ended its turn without a text",
                code="step.agent.empty-answer",
                step=self.parts.plan.name,
            )

    def _read(self, reply: ChatReply, answers: list[ToolCall]) -> tuple[TypedAnswer | None, list[str]]:
        """The answer in a reply without other tool calls, or what is wrong with it."""
        if self.parts.reader.is_text:
            return TypedAnswer(reply.text, None), []
        if len(answers) == 1:
            return self.parts.reader.read(answers[0])
        names = " or ".join(f"`{tool.name}`" for tool in self.parts.reader.tools)
        if answers:
            return None, [f"give one answer, not {len(answers)}: call {names} once"]
        return None, [f"give the answer by calling {names}, not as text"]

    async def _chat(self, attempt: int) -> ChatReply:
        """The model's reply; where the thread makes the request longer than its context, one more try without the
        older half of the thread. Only whole turns go: calls of this visit stay with their results."""
        if not self.history:
            return await self._ask(attempt)
        try:
            return await self._ask(attempt)
        except ProviderError as error:
            if error.code != CONTEXT_LIMIT:
                raise
            self._shorten(error)
        return await self._ask(attempt)

    def _shorten(self, error: ProviderError) -> None:
        before, self.history = self.history, shortened(self.history)
        left_out = len(before.turns) - len(self.history.turns)
        summaries = len(before.summaries) - len(self.history.summaries)
        self.messages[self.task_at] = Message("user", render_history(self.history, self.task.task))
        self.run.warnings.append(
            f"{self.parts.plan.name}: {error.message}; asked again without the oldest of the thread "
            f"(turns: {left_out}, summaries: {summaries})"
        )

    def _ask(self, attempt: int) -> Awaitable[ChatReply]:
        return self.parts.gateway.chat(
            ChatCall(
                run=self.run,
                step=self.step,
                party=self.party,
                name=self.parts.plan.name,
                model=self.parts.plan.model,
                messages=tuple(self.messages),
                tools=self.specs,
                tool_choice="required" if self.parts.reader.tools else None,
                attempt=attempt,
                draw=self.task.draw,
                values=self.values,
            )
        )

    async def _use_tools(self, reply: ChatReply, calls: list[ToolCall], attempt: int) -> None:
        self.messages.append(Message("assistant", reply.text, tool_calls=reply.tool_calls))
        answered = {call.id for call in calls}
        for call in calls:
            result = await self.tools.use(call, attempt)
            self.messages.append(Message("tool", result, tool_call_id=call.id))
        for call in reply.tool_calls:
            if call.id not in answered:
                note = "Not taken: look at the tool results first, then give the answer."
                self.messages.append(Message("tool", note, tool_call_id=call.id))

    def _invalid(self, reply: ChatReply, violations: list[str], attempt: int) -> None:
        self._tell_rejected(attempt, tuple(("", violation) for violation in violations))
        lines = "\n".join(f"- {violation}" for violation in violations)
        self._send_back(reply, f"The answer is not valid:\n{lines}")

    def _send_back(self, reply: ChatReply, text: str) -> None:
        """The rejected answer and why, as the next turn of the conversation."""
        if not reply.tool_calls:
            self.messages.append(Message("assistant", reply.text))
            self.messages.append(Message("user", text))
            return
        self.messages.append(Message("assistant", reply.text, tool_calls=reply.tool_calls))
        self.messages.extend(Message("tool", text, tool_call_id=call.id) for call in reply.tool_calls)

    def _tell_rejected(self, attempt: int, reasons: Rejections) -> None:
        run = self.run
        if run.hooks:
            run.emit(
                events.AttemptRejected(
                    run=run.info.id,
                    at=run.now(),
                    step=self.step.id,
                    agent=self.parts.plan.name,
                    attempt=attempt,
                    reasons=reasons,
                )
            )


def _reasons(rejections: Rejections) -> str:
    """What goes back to the model: a line per judge that rejected."""
    return "\n".join(f"- [{judge}] {reason}" for judge, reason in rejections)
