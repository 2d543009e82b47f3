"""`jrun eval --suite`: a suite's cases through its flow, and its checks held against each answer, in order."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import Literal

import attrs
import msgspec
import trio

from ...dsl.plan import LimitPlan
from ..report.exit_codes import NOT_GOOD, exit_code
from ..session import Session
from ..store.history import as_text
from ..store.money import Cost, merge
from ..store.records import Json, Tern, Versions
from .cases import Case
from .checks import CheckResult, Checks, Subject
from .pace import Pace
from .results import Cause, gathered, juries_of
from .rows import Fault
from .statistics import Kappa, Mean, mean_of, per_item

State = Literal["passed", "failed", "no result"]


class CaseResult(msgspec.Struct, frozen=True, kw_only=True):
    """One case, run once and checked."""

    id: str
    line: int = 0
    repeat: int = 0
    task: str
    run: str | None = None
    status: str | None = None
    answer: Json = None
    checks: tuple[CheckResult, ...] = ()
    state: State
    score: float | None = None
    """The mean of its checks' scores; a check that was not made after a failure counts 0. None: no result."""
    cause: str | None = None
    """Why it failed, or why there is no result."""
    cost: Cost = Cost()
    """Of the run."""
    checking: Cost = Cost()
    seconds: float = 0.0


class SuiteReport(msgspec.Struct, frozen=True, kw_only=True):
    schema: int = 1
    kind: str = "suite"
    workflow: str
    suite: str
    file: str
    """The file of cases."""
    versions: Versions
    profile: str | None = None
    cases: tuple[CaseResult, ...]
    passed: int
    failed: int
    missing: int
    """Cases without a result: they count neither as passed nor as failed."""
    left: int
    """Cases that were not begun."""
    mean: Mean
    checks: tuple[tuple[str, Mean], ...]
    """The share of passes, by check, of those that could be read."""
    causes: tuple[Cause, ...] = ()
    faults: tuple[str, ...] = ()
    """Lines of the file of cases that could not be read."""
    juries: tuple[tuple[str, Kappa], ...] = ()
    stopped: str | None = None
    account: str
    cost: Cost = Cost()
    checking: Cost = Cost()


@attrs.frozen(kw_only=True)
class SuiteRun:
    """A suite as it is run: which flow, which checks, over which cases."""

    name: str
    file: str
    flow: str
    cases: Sequence[Case]
    faults: Sequence[Fault] = ()
    limits: Sequence[LimitPlan] = ()
    repeats: int = 1
    tenant: str = ""


async def run_suite(session: Session, suite: SuiteRun, checks: Checks, pace: Pace) -> SuiteReport:
    """Runs every case, `repeats` times, and checks each answer. What has no result is counted by cause."""
    work = [(case, repeat) for repeat in range(suite.repeats) for case in suite.cases]
    found: dict[tuple[str, int], CaseResult] = {}

    async def one(item: tuple[Case, int]) -> str:
        case, repeat = item
        result = await run_case(session, case, suite, checks, pace, repeat)
        found[case.id, repeat] = result
        return f"{result.state:<9}  {case.id}"

    await pace.through(work, one)
    results = tuple(found[case.id, repeat] for case, repeat in work if (case.id, repeat) in found)
    return report_of(session, suite, results, pace, left=len(work) - len(results))


async def run_case(
    session: Session,
    case: Case,
    suite: SuiteRun,
    checks: Checks,
    pace: Pace,
    repeat: int = 0,
    *,
    evaluation: str | None = None,
) -> CaseResult:
    """One case through the flow and its checks. `evaluation` is what the run's record says that it was for.

    Raises `BudgetSpent`.
    """
    limits = pace.account.limited(session.plan.limits)
    for limit in suite.limits:
        if limit.per == "run":
            limits.tighten(limit.what, Decimal(limit.amount))
    began = trio.current_time()
    result = await session.run(
        case.input,
        flow=suite.flow,
        tenant=suite.tenant,
        limits=limits,
        evaluation=evaluation or f"suite {suite.name}",
    )
    seconds = trio.current_time() - began
    record = result.record
    pace.account.check(record)
    about = CaseResult(
        id=case.id,
        line=case.line,
        repeat=repeat,
        task=as_text(case.input),
        run=record.id,
        status=record.status,
        answer=result.answer,
        state="no result",
        cost=record.cost,
        seconds=seconds,
    )
    if record.status != "answered":
        return _unanswered(about, record)
    subject = Subject(
        flow=suite.flow,
        task=as_text(case.input),
        answer=result.answer,
        case={"id": case.id, **case.fields, "input": case.input, "expected": case.expected},
        thread=record.thread,
        tenant=suite.tenant,
    )
    made = await checks.of(subject)
    return judged(msgspec.structs.replace(about, checks=made, checking=merge(c.cost for c in made)))


def judged(about: CaseResult) -> CaseResult:
    """A case by its checks. One check without a judgement leaves the case without a result."""
    checks = about.checks
    failed = [check for check in checks if check.state == "failed"]
    lost = [check for check in checks if check.state in ("error", "unreadable")]
    if lost:
        first = lost[0]
        cause = first.error or f"{first.check}: its model's reply could not be read"
        return msgspec.structs.replace(about, state="no result", cause=cause)
    score = sum(check.score or 0.0 for check in checks) / len(checks) if checks else 1.0
    if failed:
        reasons = "; ".join(f"{check.check}: {check.reason or 'failed'}" for check in failed)
        return msgspec.structs.replace(about, state="failed", score=score, cause=reasons)
    return msgspec.structs.replace(about, state="passed", score=score)


def _unanswered(about: CaseResult, record: Tern) -> CaseResult:
    """A run that its own gates and judges refused has failed; one that broke or was cut short has no result."""
    cause = f"{record.status} {record.code}: {record.reason or ''}".rstrip(": ")
    if exit_code(record) == NOT_GOOD:
        return msgspec.structs.replace(about, state="failed", score=0.0, cause=cause)
    return msgspec.structs.replace(about, cause=cause)


def report_of(
    session: Session, suite: SuiteRun, results: Sequence[CaseResult], pace: Pace, *, left: int
) -> SuiteReport:
    scores = per_item((each.id, each.score) for each in results if each.score is not None)
    return SuiteReport(
        workflow=session.plan.workflow,
        suite=suite.name,
        file=suite.file,
        versions=session.versions,
        profile=session.profile,
        cases=tuple(results),
        passed=sum(each.state == "passed" for each in results),
        failed=sum(each.state == "failed" for each in results),
        missing=sum(each.state == "no result" for each in results),
        left=left,
        mean=mean_of(list(scores.values())),
        checks=_by_check(results),
        causes=gathered((each.id, each.cause or "unknown") for each in results if each.state == "no result"),
        faults=tuple(map(str, suite.faults)),
        juries=juries_of(check for each in results for check in each.checks),
        stopped=pace.stopped,
        account=pace.account.name,
        cost=merge(each.cost for each in results),
        checking=merge(each.checking for each in results),
    )


def _by_check(results: Sequence[CaseResult]) -> tuple[tuple[str, Mean], ...]:
    names: dict[str, list[tuple[str, float]]] = {}
    for each in results:
        for check in each.checks:
            values = names.setdefault(check.check, [])
            if check.passed is not None:
                values.append((each.id, float(check.passed)))
    return tuple((name, mean_of(list(per_item(values).values()))) for name, values in names.items())
