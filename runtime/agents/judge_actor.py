"""A declared judge as an actor: from one answer to one verdict.

Each form adds its own values to what every judge sees (`reply`, `variant`, `task`, `attempt`, `calls()`, `run`):
`ask` adds `answer`, `rate` adds `score`, `decide` adds its questions by name.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from fractions import Fraction
from typing import Any

import attrs
import msgspec

from ...dsl import ast
from ...dsl.plan import JudgePlan
from ..expr import Compiler, Evaluate, Scope, to_text
from ..judge.decisions import answers_as_values, check_serialisable
from ..judge.errors import JudgeflowError, StepError, ValidationError
from ..judge.protocol import DecisionQuestion, Message
from ..judge.reading import read_rate
from ..judge.rubrics import rate_messages
from .gateway import Gateway
from .hooks import JudgeHook
from .messages import ChatCall, DecideCall, JudgeTask, Verdict
from .rules import Ruling, compile_rules

JudgeHandler = Callable[[JudgeTask], Awaitable[Verdict]]

PASSES = "PASS"
RATE_TEMPERATURE = 0.0
RATE_TOKENS = 10


@attrs.frozen(eq=False)
class JudgeParts:
    plan: JudgePlan
    compiler: Compiler
    gateway: Gateway
    hook: JudgeHook | None = None


@asynccontextmanager
async def judge_behaviour(parts: JudgeParts) -> AsyncIterator[JudgeHandler]:
    """A judge as an actor. What a Python judge keeps in its module is renewed with it."""
    plan = parts.plan
    if plan.form == "python":
        assert parts.hook is not None
        async with parts.hook.opened(parts.gateway) as decide:
            yield decide
        return
    forms: dict[str, Callable[[JudgeParts], _Form]] = {
        "code": _Form,
        "ask": _Ask,
        "rate": _Rate,
        "decide": _Decide,
    }
    yield forms[plan.form](parts).handle


class _Form:
    """A code judge: rules over the answer, no model, no cost."""

    def __init__(self, parts: JudgeParts) -> None:
        self.parts = parts
        self.plan = parts.plan
        self.reply_name = parts.plan.params[0].name
        compiler, origin = parts.compiler, parts.plan.origin
        self.ruling: Ruling = compile_rules(parts.plan.rules, compiler, origin)
        self.metrics: Evaluate | None = (
            compiler.compile(parts.plan.metrics, origin) if parts.plan.metrics else None
        )
        self.defaults = [
            (param.name, compiler.compile(param.default, origin))
            for param in parts.plan.params[1:]
            if param.default is not None
        ]

    async def handle(self, task: JudgeTask) -> Verdict:
        return self.rule(task, self.scope(task))

    def scope(self, task: JudgeTask) -> Scope:
        values: dict[str, Any] = {
            "reply": task.reply,
            "variant": task.variant,
            "task": task.task,
            "attempt": task.attempt,
            "run": task.run.info.as_value(task.agent),
            **task.values,
            self.reply_name: task.reply,
        }
        scope = Scope(values, {"calls": lambda tool=None: _calls(task, tool)})
        for name, default in self.defaults:
            if name not in values:
                values[name] = default(scope)
        return scope

    def rule(self, task: JudgeTask, scope: Scope) -> Verdict:
        reason = self.ruling(scope)
        metrics: Mapping[str, Any] = self.metrics(scope) if self.metrics is not None else {}
        if reason is None:
            return Verdict(True, metrics=metrics)
        text = to_text(reason).strip()
        if not text:
            raise StepError(
                f"{self.plan.name}: a rule failed with a blank reason, and the agent would learn nothing from it",
                code="judge.no-reason",
                step=self.plan.name,
            )
        return Verdict(False, text, metrics)

    def party(self, task: JudgeTask) -> str:
        return task.party or f"judge:{self.plan.name}"

    def model(self) -> str:
        if self.plan.model is None:
            raise StepError(f"{self.plan.name} has no model", code="judge.no-model", step=self.plan.name)
        return self.plan.model


class _Ask(_Form):
    """A chat model's opinion. Its rules read `answer`; without rules PASS at the start passes."""

    def __init__(self, parts: JudgeParts) -> None:
        super().__init__(parts)
        assert self.plan.ask is not None
        self.question = parts.compiler.text(self.plan.ask, self.plan.origin)
        self.has_rules = any(not isinstance(rule, ast.Let) for rule in self.plan.rules)

    async def handle(self, task: JudgeTask) -> Verdict:
        scope = self.scope(task)
        reply = await self.parts.gateway.chat(
            ChatCall(
                run=task.run,
                step=task.step,
                party=self.party(task),
                name=self.plan.name,
                model=self.model(),
                messages=(Message("user", self.question(scope)),),
                attempt=task.attempt,
                values={**task.values, "task": task.task, "attempt": task.attempt, "reply": task.reply},
            )
        )
        await task.run.guard.check()
        answer = reply.text.strip()
        if not answer:
            raise StepError(
                f"{self.plan.name}: the judge's model answered with nothing",
                code="judge.blank",
                step=self.plan.name,
            )
        if not self.has_rules:
            return Verdict(True) if answer.startswith(PASSES) else Verdict(False, answer)
        scope.values["answer"] = answer
        return self.rule(task, scope)


class _Rate(_Form):
    """One number between 0 and 1 against a bar. What cannot be read is a failure, never a pass."""

    def __init__(self, parts: JudgeParts) -> None:
        super().__init__(parts)
        compiler, origin = parts.compiler, self.plan.origin
        self.criteria = compiler.text(self.plan.rate, origin) if self.plan.rate is not None else None
        self.literal = self.plan.threshold.text if isinstance(self.plan.threshold, ast.Number) else None
        self.threshold = (
            compiler.compile(self.plan.threshold, origin) if self.plan.threshold is not None else None
        )
        self.has_rules = any(not isinstance(rule, ast.Let) for rule in self.plan.rules)

    async def handle(self, task: JudgeTask) -> Verdict:
        scope = self.scope(task)
        bar = self._bar(scope)
        criteria = self.criteria(scope) if self.criteria is not None else None
        reply = await self.parts.gateway.chat(
            ChatCall(
                run=task.run,
                step=task.step,
                party=self.party(task),
                name=self.plan.name,
                model=self.model(),
                messages=rate_messages(criteria, self.plan.rubric, task.task, to_text(task.reply)),
                temperature=RATE_TEMPERATURE,
                max_tokens=RATE_TOKENS,
                attempt=task.attempt,
                values={**task.values, "task": task.task, "attempt": task.attempt, "reply": task.reply},
            )
        )
        await task.run.guard.check()
        reading = read_rate(reply.text)
        if not reading.readable or reading.score is None:
            return Verdict(
                False,
                f"{self.plan.name} could not read a rating between 0 and 1 in its model's reply",
                readable=False,
                field="llm_response",
            )
        metrics = {"score": float(reading.score)}
        if self.has_rules:
            scope.values["score"] = float(reading.score)
            verdict = self.rule(task, scope)
            return msgspec.structs.replace(
                verdict, metrics={**metrics, **verdict.metrics}, score=str(reading.score)
            )
        if reading.score >= bar:
            return Verdict(True, metrics=metrics, score=str(reading.score))
        return Verdict(
            False,
            f"score ({float(reading.score):.2f}) below threshold ({float(bar):.2f}) for {self.plan.name}",
            metrics,
            field="output",
            score=str(reading.score),
        )

    def _bar(self, scope: Scope) -> Fraction:
        """The threshold, checked before any call."""
        value = (
            self.literal if self.literal is not None else self.threshold(scope) if self.threshold else "0.7"
        )
        try:
            bar = Fraction(str(value))
        except (ValueError, ZeroDivisionError):
            bar = Fraction(-1)
        if isinstance(value, bool) or not 0 <= bar <= 1:
            raise ValidationError(
                f"{self.plan.name}: the threshold must be between 0 and 1, it is {value}", field="threshold"
            )
        return bar


class _Decide(_Form):
    """Typed questions to a decision model, all in one call."""

    def __init__(self, parts: JudgeParts) -> None:
        super().__init__(parts)
        compiler, origin = parts.compiler, self.plan.origin
        self.texts = [compiler.text(question.text, origin) for question in self.plan.questions]
        self.state = compiler.compile(self.plan.state, origin) if self.plan.state is not None else None

    async def handle(self, task: JudgeTask) -> Verdict:
        scope = self.scope(task)
        state = self.state(scope) if self.state is not None else {"task": task.task, "reply": task.reply}
        check_serialisable(state)
        questions = tuple(
            DecisionQuestion(q.name, q.kind, text(scope), q.choices, q.descriptions)
            for q, text in zip(self.plan.questions, self.texts, strict=True)
        )
        await task.run.guard.check()
        reply = await self.parts.gateway.decide(
            DecideCall(
                run=task.run,
                step=task.step,
                party=self.party(task),
                name=self.plan.name,
                model=self.model(),
                state=state,
                questions=questions,
                attempt=task.attempt,
                values={**task.values, "task": task.task, "attempt": task.attempt, "reply": task.reply},
            )
        )
        await task.run.guard.check()
        scope.values.update(answers_as_values(questions, reply))
        return self.rule(task, scope)


def _calls(task: JudgeTask, tool: str | None) -> list[Any]:
    """`calls()` and `calls(tool)`: an MCP tool's name stands for all its functions."""
    if tool is None:
        return list(task.calls)
    return [call for call in task.calls if call["tool"] == tool or call["tool"].startswith(f"{tool}.")]


__all__ = ["JudgeHandler", "JudgeParts", "JudgeflowError", "judge_behaviour"]
