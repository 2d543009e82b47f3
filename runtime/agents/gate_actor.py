"""A gate as an actor: free checks first, a model only where they do not decide.

Order: `pass when`; the scorers; the judge or the asked agent; else a block.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from fractions import Fraction
from typing import Any

import attrs
import msgspec

from ...dsl.plan import GatePlan, Origin, ScorerPlan
from ...dsl.scorer_spec import ScorerSpec
from ...dsl.shapes import Shape, Text, TypeInfo
from ..expr import Compiler, Evaluate, ExpressionError, Scope, to_text
from ..judge.combine import Combined, combine
from ..judge.errors import StepError
from ..judge.fencing import fence
from ..judge.scorers import Scorer, ScorerResult, compile_scorer
from ..run import events
from ..store.records import GateRecord, ScorerRecord
from .decode import Decoder
from .gate_opinion import Opinion, opinion_of_judge, opinion_of_reply
from .gate_report import exact, report_of, value_of
from .messages import AgentRef, AgentTask, GateTask, JudgeRef, JudgeTask

_TEXT = Text()
GateHandler = Callable[[GateTask], Awaitable[dict[str, Any]]]


@attrs.frozen(eq=False)
class GateParts:
    """`agent` or `judge` is whom the gate may ask; `asked` makes the agent's arguments of the question, `reply` is the
    shape that the judge judges, `arguments` are its further arguments."""

    plan: GatePlan
    compiler: Compiler
    agent: AgentRef | None = None
    asked: Callable[[str], Mapping[str, Any]] | None = None
    judge: JudgeRef | None = None
    reply: Shape = _TEXT
    types: Mapping[str, TypeInfo] = attrs.field(factory=dict)
    arguments: Callable[[Scope], Mapping[str, Any]] | None = None


@asynccontextmanager
async def gate_behaviour(parts: GateParts) -> AsyncIterator[GateHandler]:
    yield _Gate(parts).handle


class _Gate:
    def __init__(self, parts: GateParts) -> None:
        plan, compiler = parts.plan, parts.compiler
        self.parts = parts
        self.plan = plan
        self.party = f"gate:{plan.name}"
        self.target = compiler.compile(plan.target, plan.origin) if plan.target is not None else None
        self.pass_when = (
            compiler.condition(plan.pass_when, plan.origin) if plan.pass_when is not None else None
        )
        self.scorers = [prepared(scorer, at, compiler, plan.origin) for at, scorer in enumerate(plan.scorers)]
        self.weights = (
            tuple(scorer.weight or "0" for scorer in plan.scorers) if plan.combine == "weighted" else None
        )
        self.judge_weight = plan.judge.weight if plan.judge is not None else None
        question = plan.judge.question if plan.judge is not None else plan.ask
        self.question = compiler.text(question, plan.origin) if question is not None else None
        self.decoder = Decoder(parts.types)

    async def handle(self, task: GateTask) -> dict[str, Any]:
        """The gate's value as the flow sees it, once the gate is in the step's record."""
        record = await self._decide(task)
        record = msgspec.structs.replace(record, report=report_of(record))
        task.step.gate = record
        return value_of(record)

    async def _decide(self, task: GateTask) -> GateRecord:
        scope = Scope({"run": task.run.value(), **task.values})
        if self.pass_when is not None and self.pass_when(scope):
            return GateRecord(verdict="pass", decided_by="pass_when")
        value, unresolved = self._target(scope)
        target = to_text(value)
        results = await self._score(scope, target, unresolved)
        combined = self._combined(results)
        record = self._record(results, combined)
        if (settled := self._settled(record, combined)) is not None:
            return settled
        if self.parts.agent is None and self.parts.judge is None:
            return record
        await task.run.guard.check()
        task.run.keep(task.step)
        opinion = await self._ask(task, scope, value, record)
        return self._decided(record, results, opinion)

    def _settled(self, record: GateRecord, combined: Combined) -> GateRecord | None:
        """The gate as it is decided without asking anybody, if it is."""
        judge = self.plan.judge
        if judge is not None and judge.always:
            return None
        if combined.decided is not None:
            # Without a judge's score the gate stands at its lower bound.
            return msgspec.structs.replace(
                record, verdict=combined.decided, decided_by="bounds", combined=record.lower
            )
        if combined.passed:
            return msgspec.structs.replace(record, verdict="pass", decided_by="scorers")
        return None

    def _decided(self, record: GateRecord, results: Sequence[ScorerResult], opinion: Opinion) -> GateRecord:
        """The gate with an opinion: in a weighted gate its score joins the sum, else its verdict decides."""
        record = msgspec.structs.replace(
            record,
            verdict="pass" if opinion.passed else "block",
            decided_by="ask" if self.plan.judge is None else "judge",
            judge=opinion.record,
        )
        if self.judge_weight is None:
            return record
        # A verdict without a score counts 1 or 0, and so does what the policy makes of an unreadable one.
        score = opinion.score if opinion.score is not None else Fraction(int(opinion.passed))
        final = self._combined(results, score)
        return msgspec.structs.replace(
            record, verdict="pass" if final.passed else "block", combined=exact(final.combined)
        )

    def _combined(self, results: Sequence[ScorerResult], score: Fraction | None = None) -> Combined:
        return combine(
            self.plan.combine,
            [result.passed for result in results],
            self.weights,
            self.plan.threshold,
            self.judge_weight,
            score,
        )

    def _target(self, scope: Scope) -> tuple[Any, str | None]:
        """What is judged, or why there is nothing to judge."""
        if self.target is None:
            return scope.values.get(self.plan.params[0].name), None
        try:
            value = self.target(scope)
        except ExpressionError as error:
            return "", f"the target cannot be read: {error.message}"
        return ("", "the target is not there") if value is None else (value, None)

    async def _score(self, scope: Scope, target: str, unresolved: str | None) -> list[ScorerResult]:
        results = []
        for prepare in self.scorers:
            scorer = prepare(scope)
            if unresolved is not None:
                results.append(ScorerResult(scorer.name, False, 0, unresolved))
            elif scorer.needs_process:
                results.append(await scorer.run_async(target))
            else:
                results.append(scorer.run(target))
        if unresolved is not None and not results:
            results.append(ScorerResult("target", False, 0, unresolved))
        return results

    async def _ask(self, task: GateTask, scope: Scope, target: Any, record: GateRecord) -> Opinion:
        plan, judge = self.plan, self.plan.judge
        if judge is not None and judge.judge is not None:
            self._tell_asked(task, record, judge.judge.judge)
            return await self._ask_judge(task, scope, target, judge.judge.judge)
        party = (judge.agent if judge is not None else plan.ask_agent) or ""
        self._tell_asked(task, record, party)
        question = self.question(scope) if self.question is not None else ""
        text = f"{question}\n\n{fence(to_text(target), 'input')}\n\n{report_of(record)}"
        assert self.parts.agent is not None
        assert self.parts.asked is not None
        answer = await self.parts.agent.ask(
            AgentTask(task.run, task.step, self.parts.asked(text), text, party=self.party)
        )
        return opinion_of_reply(plan, party, to_text(answer.value))

    async def _ask_judge(self, task: GateTask, scope: Scope, target: Any, name: str) -> Opinion:
        assert self.parts.judge is not None
        reply = self._judged(target, name)
        verdict = await self.parts.judge.ask(
            JudgeTask(
                run=task.run,
                step=task.step,
                agent=None,
                reply=reply,
                variant=getattr(reply, "variant", None),
                task="",
                attempt=0,
                values=self.parts.arguments(scope) if self.parts.arguments is not None else {},
                party=self.party,
            )
        )
        return opinion_of_judge(self.plan, name, verdict)

    def _judged(self, target: Any, name: str) -> Any:
        """The target in the shape that the judge judges; what the checker could not see ends here."""
        shape = self.parts.reply
        if isinstance(shape, Text):
            return to_text(target)
        value, violations = self.decoder.decode(shape, target)
        if violations:
            raise StepError(
                f"{self.plan.name}: the target is not what {name} judges: {'; '.join(violations)}",
                code="step.gate.target",
                step=self.plan.name,
            )
        return value

    def _tell_asked(self, task: GateTask, record: GateRecord, party: str) -> None:
        run = task.run
        if run.hooks:
            run.emit(
                events.GateAsked(
                    run=run.info.id,
                    at=run.now(),
                    step=task.step.id,
                    gate=self.plan.name,
                    passed=sum(result.passed for result in record.results),
                    total=len(record.results),
                    party=party,
                )
            )

    def _record(self, results: Sequence[ScorerResult], combined: Combined) -> GateRecord:
        """The gate so far: blocked, unless somebody decides otherwise."""
        weights = self.weights or (None,) * len(results)
        return GateRecord(
            verdict="block",
            decided_by="default",
            results=tuple(
                ScorerRecord(
                    name=result.name,
                    passed=result.passed,
                    score=result.score,
                    detail=result.detail,
                    weight=weight,
                )
                for result, weight in zip(results, weights, strict=True)
            ),
            combined=exact(combined.combined),
            lower=exact(combined.lower),
            upper=exact(combined.upper),
            threshold=self.plan.threshold,
        )


def prepared(plan: ScorerPlan, at: int, compiler: Compiler, origin: Origin) -> Callable[[Scope], Scorer]:
    """A scorer that is compiled once where its text is fixed, and per use where it is a template."""

    def spec(text: str | None) -> ScorerSpec:
        return ScorerSpec(
            kind=plan.kind,
            negated=plan.negated,
            name=plan.name,
            value=text if plan.kind in ("contains", "equals") else None,
            pattern=text if plan.kind == "regex" else None,
            schema=plan.schema,
            minimum=plan.low,
            maximum=plan.high,
            language=plan.language,
        )

    if plan.text is None or plan.text.plain is not None:
        fixed = compile_scorer(spec(plan.text.plain if plan.text is not None else None), at)
        return lambda scope: fixed
    render: Evaluate = compiler.text(plan.text, origin)
    return lambda scope: compile_scorer(spec(render(scope)), at)
