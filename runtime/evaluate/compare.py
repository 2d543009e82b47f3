"""`jrun compare`: profiles or files over the same cases, each held against the first."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

import attrs
import msgspec

from ..session import Session
from ..store.money import UNKNOWN, ZERO, Cost, merge, money
from ..store.records import Versions
from .cases import Case
from .checks import Checks
from .differences import differences
from .pace import Pace
from .pairwise import Ballot, Pairwise, PairwiseReport, pairwise_report
from .results import Cause, gathered
from .statistics import Mean, Paired, mean_of, paired, per_item, quantile
from .suites import CaseResult, SuiteRun, run_case

_SMALL = Decimal("0.00000001")


class SideReport(msgspec.Struct, frozen=True, kw_only=True):
    """One side over all cases."""

    name: str
    versions: Versions
    cases: tuple[CaseResult, ...]
    mean: Mean
    passed: int
    failed: int
    missing: int
    """Without a result: neither passed nor failed."""
    causes: tuple[Cause, ...] = ()
    cost: Cost = Cost()
    cost_per_task: str = "0"
    """Mean, in US dollars; `unknown` where a part of it is."""
    p50: float | None = None
    p95: float | None = None
    """Seconds for one case, the middle and the slowest of twenty."""


class Against(msgspec.Struct, frozen=True, kw_only=True):
    """One side against the first."""

    name: str
    paired: Paired
    unpaired: int
    """Cases with a result on one side only: they are left out."""
    differences: tuple[str, ...]
    pairwise: PairwiseReport | None = None


class CompareReport(msgspec.Struct, frozen=True, kw_only=True):
    schema: int = 1
    kind: str = "compare"
    workflow: str
    cases: int
    file: str
    checks: tuple[str, ...]
    sides: tuple[SideReport, ...]
    against: tuple[Against, ...]
    faults: tuple[str, ...] = ()
    left: int = 0
    stopped: str | None = None
    account: str
    checking: Cost = Cost()


@attrs.frozen(eq=False)
class Side:
    """A program under a name. All sides' answers are checked by the same judges."""

    name: str
    session: Session


async def compare(
    sides: Sequence[Side], run: SuiteRun, checks: Checks, pace: Pace, pairwise: Pairwise | None, judge: str
) -> CompareReport:
    """Takes every case through every side, one side after the other, in an order that turns with the cases so that
    no side is always the one that runs first."""
    work = _Comparison(sides, run, checks, pace, pairwise)
    items = [(at, case, repeat) for repeat in range(run.repeats) for at, case in enumerate(run.cases)]
    await pace.through(items, work.one)
    done = [(case.id, repeat) for _, case, repeat in items if (case.id, repeat) in work.done]
    results = {side.name: [work.found[side.name, *key] for key in done] for side in sides}
    first = sides[0]
    reports = tuple(side_report(side, results[side.name]) for side in sides)
    against = tuple(
        Against(
            name=side.name,
            paired=compared(results[first.name], results[side.name]),
            unpaired=_unpaired(results[first.name], results[side.name]),
            differences=differences(first.session.plan, side.session.plan),
            pairwise=_pairwise(judge, work.ballots[side.name], len(done)) if pairwise is not None else None,
        )
        for side in sides[1:]
    )
    return CompareReport(
        workflow=first.session.plan.workflow,
        cases=len(run.cases),
        file=run.file,
        checks=tuple(checks.names),
        sides=reports,
        against=against,
        faults=tuple(map(str, run.faults)),
        left=len(items) - len(done),
        stopped=pace.stopped,
        account=pace.account.name,
        checking=merge(case.checking for each in results.values() for case in each),
    )


class _Comparison:
    def __init__(
        self, sides: Sequence[Side], run: SuiteRun, checks: Checks, pace: Pace, pairwise: Pairwise | None
    ) -> None:
        self.sides = sides
        self.run = run
        self.checks = checks
        self.pace = pace
        self.pairwise = pairwise
        self.found: dict[tuple[str, str, int], CaseResult] = {}
        self.ballots: dict[str, list[Ballot]] = {side.name: [] for side in sides}
        self.done: set[tuple[str, int]] = set()

    async def one(self, item: tuple[int, Case, int]) -> str:
        at, case, repeat = item
        turned = at % len(self.sides)
        for side in (*self.sides[turned:], *self.sides[:turned]):
            self.found[side.name, case.id, repeat] = await run_case(
                side.session,
                case,
                self.run,
                self.checks,
                self.pace,
                repeat,
                evaluation=f"compare {side.name}",
            )
        if self.pairwise is not None:
            for side in self.sides[1:]:
                await self._vote(self.pairwise, side, case, repeat)
        self.done.add((case.id, repeat))
        states = [self.found[side.name, case.id, repeat].state for side in self.sides]
        return f"{case.id}  {', '.join(states)}"

    async def _vote(self, pairwise: Pairwise, side: Side, case: Case, repeat: int) -> None:
        before = self.found[self.sides[0].name, case.id, repeat]
        after = self.found[side.name, case.id, repeat]
        if before.status != "answered" or after.status != "answered":
            return
        ballot = await pairwise.ballot(case.id, self.run.flow, before.task, before.answer, after.answer)
        self.ballots[side.name].append(ballot)


def side_report(side: Side, results: Sequence[CaseResult]) -> SideReport:
    scores = per_item((each.id, each.score) for each in results if each.score is not None)
    seconds = sorted(each.seconds for each in results if each.status == "answered")
    cost = merge(each.cost for each in results)
    return SideReport(
        name=side.name,
        versions=side.session.versions,
        cases=tuple(results),
        mean=mean_of(list(scores.values())),
        passed=sum(each.state == "passed" for each in results),
        failed=sum(each.state == "failed" for each in results),
        missing=sum(each.state == "no result" for each in results),
        causes=gathered((each.id, each.cause or "") for each in results if each.state == "no result"),
        cost=cost,
        cost_per_task=_per_task(cost, len(results)),
        p50=quantile(seconds, 0.5) if seconds else None,
        p95=quantile(seconds, 0.95) if seconds else None,
    )


def compared(before: Sequence[CaseResult], after: Sequence[CaseResult]) -> Paired:
    """Over the cases that have a result on both sides; repeats are averaged first."""
    pairs = [
        (old.id, old.score, new.score)
        for old, new in zip(before, after, strict=True)
        if old.score is not None and new.score is not None
    ]
    left = per_item((name, old) for name, old, _ in pairs)
    right = per_item((name, new) for name, _, new in pairs)
    return paired(list(left.values()), list(right.values()))


def _unpaired(before: Sequence[CaseResult], after: Sequence[CaseResult]) -> int:
    return sum((old.score is None) != (new.score is None) for old, new in zip(before, after, strict=True))


def _pairwise(judge: str, ballots: Sequence[Ballot], cases: int) -> PairwiseReport:
    return pairwise_report(judge, ballots, cases - len(ballots))


def _per_task(cost: Cost, tasks: int) -> str:
    if cost.total == UNKNOWN:
        return UNKNOWN
    return money((Decimal(cost.total) / tasks).quantize(_SMALL)) if tasks else ZERO
