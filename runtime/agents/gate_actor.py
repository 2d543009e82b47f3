"""A gate as an actor: free checks first, a model only where they do not decide.

Order: `pass when`; the scorers; the judge or the asked agent; else a block.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from fractions import Fraction
from typing import Any

import attrs

from ...dsl.plan import GatePlan, ScorerPlan
from ...dsl.scorer_spec import ScorerSpec
from ..expr import Compiler, Evaluate, ExpressionError, Scope, to_text
from ..judge.combine import Combined, combine
from ..judge.fencing import fence
from ..judge.reading import read_gate_judge, read_verdict
from ..judge.scorers import Scorer, ScorerResult, compile_scorer
from ..run import events
from ..store.records import GateJudgeRecord, GateRecord, ScorerRecord
from .messages import AgentRef, AgentTask, GateTask, JudgeRef, JudgeTask, Verdict

GateHandler = Callable[[GateTask], Awaitable[dict[str, Any]]]


@attrs.frozen(eq=False)
class GateParts:
    """`agent` or `judge` is whom the gate may ask; `arguments` are a judge's further arguments."""

    plan: GatePlan
    compiler: Compiler
    agent: AgentRef | None = None
    judge: JudgeRef | None = None
    arguments: Callable[[Scope], Mapping[str, Any]] | None = None


@asynccontextmanager
async def gate_behaviour(parts: GateParts) -> AsyncIterator[GateHandler]:
    yield _Gate(parts).handle


@attrs.frozen
class _Opinion:
    """What the judge or the asked agent said, with the policy for an unreadable reply already in `passed`."""

    passed: bool
    score: Fraction | None
    record: GateJudgeRecord


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
        self.scorers = [_prepared(scorer, at, compiler, parts.plan) for at, scorer in enumerate(plan.scorers)]
        self.weights = (
            tuple(scorer.weight or "0" for scorer in plan.scorers) if plan.combine == "weighted" else None
        )
        self.judge_weight = plan.judge.weight if plan.judge is not None else None
        question = plan.judge.question if plan.judge is not None else plan.ask
        self.question = compiler.text(question, plan.origin) if question is not None else None

    async def handle(self, task: GateTask) -> dict[str, Any]:
        scope = Scope({**task.values, "run": task.run.info.as_value()})
        if self.pass_when is not None and self.pass_when(scope):
            return self._value(task, GateRecord(verdict="pass", decided_by="pass_when"))
        target, unresolved = self._target(scope)
        results = await self._score(scope, target, unresolved)
        combined = combine(
            self.plan.combine,
            [result.passed for result in results],
            self.weights,
            self.plan.threshold,
            self.judge_weight,
        )
        record = self._record(results, combined)
        settled = self._settled(combined)
        if settled is not None:
            return self._value(task, settled(record))
        if self.parts.agent is None and self.parts.judge is None:
            return self._value(task, _with(record, verdict="block", decided_by="default"))
        await task.run.guard.check()
        opinion = await self._ask(task, scope, target, record)
        await task.run.guard.check()
        return self._value(task, self._decided(record, results, opinion))

    def _settled(self, combined: Combined) -> Callable[[GateRecord], GateRecord] | None:
        """How the gate is decided without asking anybody, if it is."""
        judge = self.plan.judge
        if judge is not None and judge.always:
            return None
        if combined.decided is not None and self.judge_weight is not None:
            verdict = combined.decided
            return lambda record: _with(record, verdict=verdict, decided_by="bounds")
        if self.judge_weight is None and combined.passed:
            return lambda record: _with(record, verdict="pass", decided_by="scorers")
        return None

    def _decided(self, record: GateRecord, results: Sequence[ScorerResult], opinion: _Opinion) -> GateRecord:
        by = "judge" if self.plan.judge is not None else "ask"
        if self.plan.combine != "weighted" or self.plan.judge is None:
            return _with(record, verdict=_verdict(opinion.passed), decided_by=by, judge=opinion.record)
        score = opinion.score if opinion.score is not None else Fraction(int(opinion.passed))
        final = combine(
            "weighted",
            [result.passed for result in results],
            self.weights,
            self.plan.threshold,
            self.judge_weight,
            score,
        )
        return _with(
            record,
            verdict=_verdict(bool(final.passed)),
            decided_by=by,
            judge=opinion.record,
            combined=_exact(final.combined),
        )

    def _target(self, scope: Scope) -> tuple[str, str | None]:
        """What is judged, or why there is nothing to judge."""
        if self.target is None:
            return to_text(scope.values.get(self.plan.params[0].name)), None
        try:
            value = self.target(scope)
        except ExpressionError as error:
            return "", f"the target cannot be read: {error.message}"
        if value is None:
            return "", "the target is not there"
        return to_text(value), None

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
        return results

    async def _ask(self, task: GateTask, scope: Scope, target: str, record: GateRecord) -> _Opinion:
        plan = self.plan
        judge = plan.judge.judge if plan.judge is not None else None
        party = (
            judge.judge if judge is not None else (plan.judge.agent if plan.judge else plan.ask_agent) or ""
        )
        if task.run.hooks:
            task.run.emit(
                events.GateAsked(
                    run=task.run.info.id,
                    at=task.run.now(),
                    step=task.step.id,
                    gate=plan.name,
                    passed=sum(result.passed for result in record.results),
                    total=len(record.results),
                    party=party,
                )
            )
        if judge is not None:
            return await self._ask_judge(task, scope, target, judge.judge)
        question = self.question(scope) if self.question is not None else ""
        text = f"{question}\n\n{fence(target, 'input')}\n\n{report_of(record)}"
        assert self.parts.agent is not None
        answer = await self.parts.agent.ask(
            AgentTask(task.run, task.step, {"task": text}, text, party=self.party)
        )
        reply = to_text(answer.value)
        if plan.judge is None:
            said = read_verdict(reply)
            return self._opinion(party, said.readable, said.verdict, None, None)
        judged = read_gate_judge(reply)
        return self._opinion(party, judged.readable, judged.verdict, judged.score, None)

    async def _ask_judge(self, task: GateTask, scope: Scope, target: str, name: str) -> _Opinion:
        assert self.parts.judge is not None
        verdict: Verdict = await self.parts.judge.ask(
            JudgeTask(
                run=task.run,
                step=task.step,
                agent=self.plan.name,
                reply=target,
                variant=None,
                task=target,
                attempt=0,
                values=self.parts.arguments(scope) if self.parts.arguments is not None else {},
                party=self.party,
            )
        )
        score = Fraction(verdict.score) if verdict.score is not None else None
        word = "pass" if verdict.passed else "block"
        return self._opinion(name, verdict.readable, word, score, verdict.reason)

    def _opinion(
        self, party: str, readable: bool, verdict: Any, score: Fraction | None, reason: str | None
    ) -> _Opinion:
        needs_score = self.plan.combine == "weighted" and self.plan.judge is not None
        if needs_score and readable and score is None and self.plan.judge and self.plan.judge.judge is None:
            readable = False
        passed = verdict == "pass" if readable else self.plan.unreadable == "pass"
        record = GateJudgeRecord(
            party=party,
            verdict=verdict if readable else None,
            score=_exact(score) if readable and score is not None else None,
            readable=readable,
            reason=reason,
        )
        return _Opinion(passed, score if readable else None, record)

    def _record(self, results: Sequence[ScorerResult], combined: Combined) -> GateRecord:
        return GateRecord(
            verdict="block",
            decided_by="default",
            results=tuple(
                ScorerRecord(
                    name=result.name,
                    passed=result.passed,
                    score=result.score,
                    detail=result.detail,
                    weight=scorer.weight,
                )
                for result, scorer in zip(results, self.plan.scorers, strict=True)
            ),
            combined=_exact(combined.combined),
            lower=_exact(combined.lower),
            upper=_exact(combined.upper),
            threshold=self.plan.threshold,
        )

    def _value(self, task: GateTask, record: GateRecord) -> dict[str, Any]:
        """The gate's value as the flow sees it, once it is in the record."""
        report = report_of(record)
        task.step.gate = _with(record, report=report)
        judge = record.judge
        return {
            "passed": record.verdict == "pass",
            "verdict": record.verdict,
            "combined": float(Fraction(record.combined)) if record.combined is not None else None,
            "results": [
                {"name": r.name, "passed": r.passed, "score": r.score, "detail": r.detail}
                for r in record.results
            ],
            "report": report,
            "judge": {
                "party": judge.party,
                "verdict": judge.verdict,
                "score": float(Fraction(judge.score)) if judge.score is not None else None,
                "readable": judge.readable,
                "reason": judge.reason,
            }
            if judge is not None
            else None,
        }


def _prepared(plan: ScorerPlan, at: int, compiler: Compiler, gate: GatePlan) -> Callable[[Scope], Scorer]:
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
    render: Evaluate = compiler.text(plan.text, gate.origin)
    return lambda scope: compile_scorer(spec(render(scope)), at)


def report_of(record: GateRecord) -> str:
    """The scorer report that ends judge and ask prompts, and that a flow reads as `.report`."""
    lines = []
    for result in record.results:
        mark = "passed" if result.passed else "failed"
        lines.append(f"- {result.name}: {mark}" + (f" ({result.detail})" if result.detail else ""))
    if record.judge is not None:
        said = record.judge.verdict if record.judge.readable else "could not be read"
        reason = f" ({record.judge.reason})" if record.judge.reason else ""
        lines.append(f"- {record.judge.party}: {said}{reason}")
    return "\n".join(["Checks:", *lines]) if lines else "Checks: none"


def _with(record: GateRecord, **changes: Any) -> GateRecord:
    fields = {name: getattr(record, name) for name in GateRecord.__struct_fields__}
    return GateRecord(**{**fields, **changes})


def _verdict(passed: bool) -> str:
    return "pass" if passed else "block"


def _exact(value: Fraction | None) -> str | None:
    return None if value is None else str(value)
