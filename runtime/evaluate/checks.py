"""Checks of an answer outside of its run: a judge, a code judge or a scorer, each with a result that says if it could
be read and what it cost."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from fractions import Fraction
from typing import Any, Literal

import attrs
import msgspec
import trio

from ...dsl import ast
from ...dsl.plan import Origin, UsePlan
from ...dsl.shapes import Text
from ..agents.decode import Decoder
from ..agents.gate_actor import prepared
from ..agents.gateway import is_free
from ..agents.messages import JudgeTask, Verdict
from ..agents.price import price_of
from ..core import StepFailure
from ..expr import Scope, to_text
from ..flow.binding import bind
from ..judge.errors import ConfigurationError, JudgeflowError, LimitReached
from ..run import Run, RunGuard, RunInfo
from ..session import Session
from ..store.money import Cost
from ..store.records import Json, Usage, new_id
from .account import BudgetSpent, EvalAccount
from .measure import ADEQUATE, SHARE

NOWHERE = Origin("", 0, 0)


class Subject(msgspec.Struct, frozen=True, kw_only=True):
    """An answer to be checked, and what it answers."""

    flow: str
    task: str
    answer: Any
    case: Mapping[str, Json] = {}
    """The columns of its case, as `case.…` in the arguments of checks."""
    thread: str = ""
    tenant: str = ""

    @property
    def variant(self) -> str | None:
        return getattr(self.answer, "variant", None)


class CheckResult(msgspec.Struct, frozen=True, kw_only=True):
    """What one check says of one answer."""

    check: str
    passed: bool | None = None
    """None: there is no judgement, since the check was skipped, could not be read or did not come about."""
    score: float | None = None
    """0 … 1: a rating, a probability, else 1 for a pass and 0 for a failure."""
    reason: str | None = None
    readable: bool = True
    error: str | None = None
    """Code and message of a call that failed."""
    skipped: bool = False
    metrics: Mapping[str, Json] = {}
    cost: Cost = Cost()
    usage: Usage = Usage()

    @property
    def state(self) -> Literal["passed", "failed", "skipped", "unreadable", "error"]:
        if self.skipped:
            return "skipped"
        if self.error is not None:
            return "error"
        if not self.readable:
            return "unreadable"
        return "passed" if self.passed else "failed"


@attrs.frozen(eq=False)
class Checks:
    """The checks of a suite, or one judge alone, ready to be held against answers of a session's program."""

    session: Session
    uses: Sequence[UsePlan]
    account: EvalAccount
    """Who pays."""
    cascade: Literal["stop", "all"] = "all"

    def __attrs_post_init__(self) -> None:
        """A judge whose model nobody serves, or whose price nobody knows under a limit on cost, is told before
        anything is paid for."""
        system = self.session.system
        for use in self.uses:
            judge = system.plan.judges.get(use.judge)
            for model in judge.models if judge is not None else ():
                if model in system.unavailable:
                    raise system.unavailable[model]
                self._refuse_unpriced(model)

    def _refuse_unpriced(self, name: str) -> None:
        model = self.session.plan.models[name]
        known = name in self.session.scripted or is_free(model) or price_of(model) is not None
        if "cost" in self.account.today.allowed and not known:
            raise ConfigurationError(
                f"{model.slug} has no price, so the limit on cost of {self.account.name} could not be kept: "
                "declare it with `price $… in, $… out`",
                code="model.no-price",
            )

    @property
    def names(self) -> list[str]:
        """A name for each check: a judge that is used twice, with other arguments, makes two checks."""
        return told_apart([use.judge for use in self.uses])

    async def of(self, subject: Subject) -> tuple[CheckResult, ...]:
        """Every check's result, in order. Under `cascade stop` those after the first failure are skipped."""
        results: list[CheckResult] = []
        stopped = False
        for use, name in zip(self.uses, self.names, strict=True):
            if stopped:
                results.append(CheckResult(check=name, skipped=True))
                continue
            result = msgspec.structs.replace(await self.one(use, subject), check=name)
            results.append(result)
            stopped = self.cascade == "stop" and result.passed is not True
        return tuple(results)

    async def one(self, use: UsePlan, subject: Subject) -> CheckResult:
        plan = self.session.plan
        try:
            if use.judge in plan.scorers:
                return await self._score(use.judge, subject)
            return await self._judge(use, subject)
        except StepFailure as failure:
            code = failure.code if isinstance(failure, JudgeflowError) else "step"
            return CheckResult(check=use.judge, error=f"{code}: {failure}", readable=False)

    async def _score(self, name: str, subject: Subject) -> CheckResult:
        system = self.session.system
        prepare = prepared(system.plan.scorers[name], 0, system.compiler, NOWHERE)
        result = await prepare(Scope({})).run_async(to_text(subject.answer))
        return CheckResult(check=name, passed=result.passed, score=float(result.score), reason=result.detail)

    async def _judge(self, use: UsePlan, subject: Subject) -> CheckResult:
        missing = _missing(use, subject)
        if missing is not None:
            return CheckResult(check=use.judge, readable=False, error=missing)
        session = self.session
        limits = self.account.limited()
        ledger = limits.ledger
        run = Run(
            RunInfo(new_id(), subject.thread or new_id(), subject.flow, subject.tenant),
            RunGuard(trio.CancelScope()),
            stamp=session.stamp,
            limits=limits,
        )
        step = run.begin_step(use.judge, "judge", use.judge)
        task = JudgeTask(
            run=run,
            step=step,
            agent=None,
            reply=subject.answer,
            variant=subject.variant,
            task=subject.task,
            attempt=0,
            values=self._arguments(use, subject),
        )
        try:
            verdict = await session.system.actors.judges[use.judge].ask(task)
        except LimitReached as reached:
            raise BudgetSpent(self.account.message(reached)) from reached
        except StepFailure as failure:
            code = failure.code if isinstance(failure, JudgeflowError) else "step"
            result = CheckResult(check=use.judge, error=f"{code}: {failure}", readable=False)
        else:
            result = _of_verdict(use.judge, verdict)
        return msgspec.structs.replace(result, cost=ledger.cost(), usage=ledger.usage())

    def _arguments(self, use: UsePlan, subject: Subject) -> dict[str, Any]:
        system = self.session.system
        judge = system.plan.judges[use.judge]
        bound = bind(use.args, judge.params[1:], system.compiler, judge.origin, judge.origin)
        return bound.values(Scope({"case": dict(subject.case)}))


def told_apart(names: Sequence[str]) -> list[str]:
    """The names, all different: results are kept by them. What comes again is numbered."""
    before = [names[:at].count(name) for at, name in enumerate(names)]
    return [name if not times else f"{name} ({times + 1})" for name, times in zip(names, before, strict=True)]


def answer_of(session: Session, flow: str, stored: Json) -> Any:
    """An answer as it was recorded, as a value of the shape that the flow declares now.

    `ConfigurationError` where it does not fit any more.
    """
    plan = session.plan.flows.get(flow)
    if plan is None:
        raise ConfigurationError(f"there is no flow `{flow}` any more", code="flow.unknown-entry")
    value, wrong = Decoder(session.plan.types).decode(plan.result or Text(), stored)
    if wrong and isinstance(stored, str):
        return stored
    if wrong:
        raise ConfigurationError(
            f"{flow}: the recorded answer does not fit: {wrong[0]}", code="shape.mismatch"
        )
    return value


def _of_verdict(check: str, verdict: Verdict) -> CheckResult:
    score = None
    if verdict.readable:
        score = float(Fraction(verdict.score)) if verdict.score is not None else float(verdict.passed)
        shares = verdict.metrics.get(SHARE)
        if isinstance(shares, Mapping) and set(shares) == {ADEQUATE}:
            score = float(shares[ADEQUATE])
    return CheckResult(
        check=check,
        passed=verdict.passed if verdict.readable else None,
        score=score,
        reason=verdict.reason,
        readable=verdict.readable,
        metrics=dict(verdict.metrics),
    )


def _missing(use: UsePlan, subject: Subject) -> str | None:
    """Why a check that reads a column of the case cannot be made: the case has no value there."""
    for arg in use.args:
        value = arg.value
        if isinstance(value, ast.Field) and isinstance(value.target, ast.Name) and value.target.id == "case":
            column = value.name.text
            if subject.case.get(column) is None:
                return f"case.no-value: the case has no `{column}`"
    return None
