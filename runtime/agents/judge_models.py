"""The judges that ask a model: for an opinion in words, for a number, or for answers to typed questions."""

from __future__ import annotations

import re
from fractions import Fraction

import msgspec

from ...dsl import ast
from ..expr import Scope, to_text
from ..judge.contract import decisions_of
from ..judge.errors import JudgeflowError, ValidationError
from ..judge.protocol import DecisionQuestion, Message
from ..judge.reading import exact_number, read_rate
from ..judge.reading.text import EMPHASIS, joins_after, strip_blanks
from ..judge.rubrics import rate_messages
from ..judge.serialise import sendable
from .judge_form import Form, JudgeParts
from .messages import ChatCall, DecideCall, JudgeTask, Verdict

_PASSES = re.compile(rf"[{EMPHASIS}]*PASS(?:ED)?")
RATE_TEMPERATURE = 0.0
RATE_TOKENS = 10


class AskForm(Form):
    """A chat model's opinion. Its rules read `answer`; without rules the word PASS at the start passes."""

    def __init__(self, parts: JudgeParts) -> None:
        super().__init__(parts)
        assert self.plan.ask is not None
        self.question = parts.compiler.text(self.plan.ask, self.plan.origin)

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
                draw=task.draw,
                values=task.visible,
            )
        )
        await task.run.proceed()
        answer = strip_blanks(reply.text)
        if not answer:
            raise JudgeflowError(
                f"{self.plan.name}: the judge's model answered with nothing", code="judge.blank"
            )
        scope.values["answer"] = answer
        return self.rule(scope, None if _passes(answer) else answer)


def _passes(answer: str) -> bool:
    word = _PASSES.match(answer)
    return word is not None and not joins_after(answer, word.end())


class RateForm(Form):
    """One number between 0 and 1 against a bar. What cannot be read is a failure, never a pass."""

    def __init__(self, parts: JudgeParts) -> None:
        super().__init__(parts)
        compiler, origin = parts.compiler, self.plan.origin
        self.criteria = compiler.text(self.plan.rate, origin) if self.plan.rate is not None else None
        self.literal = self.plan.threshold.text if isinstance(self.plan.threshold, ast.Number) else None
        self.threshold = (
            compiler.compile(self.plan.threshold, origin) if self.plan.threshold is not None else None
        )

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
                draw=task.draw,
                values=task.visible,
            )
        )
        await task.run.proceed()
        reading = read_rate(reply.text)
        if not reading.readable or reading.score is None:
            return Verdict(
                False,
                "no rating between 0 and 1 could be read in its model's reply",
                readable=False,
                field="llm_response",
            )
        score = float(reading.score)
        scope.values["score"] = score
        below = f"score ({score:.2f}) below threshold ({float(bar):.2f}) for {self.plan.name}"
        verdict = self.rule(scope, None if reading.score >= bar else below)
        return msgspec.structs.replace(
            verdict,
            metrics={"score": score, **verdict.metrics},
            field=None if verdict.passed or self.has_rules else "output",
            score=str(reading.score),
        )

    def _bar(self, scope: Scope) -> Fraction:
        """The threshold, checked before any call."""
        value = (
            self.literal if self.literal is not None else self.threshold(scope) if self.threshold else "0.7"
        )
        known = isinstance(value, str | int | float) and not isinstance(value, bool)
        bar = exact_number(value) if known else None
        if bar is None or not 0 <= bar <= 1:
            raise ValidationError(
                f"{self.plan.name}: the threshold must be between 0 and 1, it is {value}", field="threshold"
            )
        return bar


class DecideForm(Form):
    """Typed questions to a decision model, all in one call."""

    def __init__(self, parts: JudgeParts) -> None:
        super().__init__(parts)
        compiler, origin = parts.compiler, self.plan.origin
        self.texts = [compiler.text(question.text, origin) for question in self.plan.questions]
        self.state = compiler.compile(self.plan.state, origin) if self.plan.state is not None else None

    async def handle(self, task: JudgeTask) -> Verdict:
        await task.run.guard.check()
        scope = self.scope(task)
        state = self.state(scope) if self.state is not None else {"task": task.task, "reply": task.reply}
        state = sendable(state)
        questions = tuple(
            DecisionQuestion(q.name, q.kind, text(scope), q.choices, q.descriptions)
            for q, text in zip(self.plan.questions, self.texts, strict=True)
        )
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
                draw=task.draw,
                values=task.visible,
            )
        )
        await task.run.proceed()
        scope.values.update(decisions_of(questions, reply).as_values())
        return self.rule(scope)
