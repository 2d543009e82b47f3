"""The account that evaluations pay from: `<workflow>:eval`, with a UTC day of its own, so that judging yesterday's
answers never stops today's."""

from __future__ import annotations

from collections.abc import Sequence

import attrs

from ...dsl.plan import LimitPlan, Plan
from ..judge.errors import LimitReached
from ..run import DayLimits, Ledger, Limits, Stamp
from ..run.amounts import NOTHING
from ..store.accounts import day_of
from ..store.recorder import Writer
from ..store.records import LimitHit, Tern

EXHAUSTED = "eval budget exhausted"
_UNITS = {"cost": "US dollars", "calls": "calls", "tokens": "tokens", "time": "seconds"}


class BudgetSpent(Exception):
    """A call of an evaluation did not fit into its day. The message says so to people."""


@attrs.define(eq=False)
class EvalAccount:
    """What evaluations of a workflow may spend today. Every call is claimed and booked by itself, so processes that
    share a store overspend by no more than their calls in flight."""

    name: str
    tenant: str
    limits: Sequence[LimitPlan]
    """Those per day."""
    writer: Writer
    stamp: Stamp
    today: DayLimits = attrs.field(init=False)

    def __attrs_post_init__(self) -> None:
        self.today = DayLimits(self.name, self.limits, self.writer, self.stamp, self.tenant)

    @property
    def day(self) -> str:
        return day_of(self.stamp.moment())

    def limited(self, limits: Sequence[LimitPlan] = ()) -> Limits:
        """The limits of one run or one judgement that pays from here; `limits` per run stand beside the day's."""
        found = Limits(limits, Ledger())
        found.day = self.today
        return found

    async def exhausted(self) -> str | None:
        """Why nothing more may begin today; None while there is something left."""
        if not self.today.allowed:
            return None
        await self.today.refresh()
        try:
            self.today.fits(NOTHING)
        except LimitReached as reached:
            return self.message(reached)
        return None

    def message(self, reached: LimitReached | LimitHit) -> str:
        what = reached.what if isinstance(reached, LimitReached) else reached.limit
        return f"{EXHAUSTED}: {reached.allowed} {_UNITS[what]} per day from {self.name}"

    def check(self, record: Tern) -> None:
        """Raises `BudgetSpent` where a run was ended by the day's limit: it is no result."""
        for hit in record.limits:
            if hit.per == "day":
                raise BudgetSpent(self.message(hit))


def day_limits(plan: Plan, suite: str | None) -> tuple[LimitPlan, ...]:
    """A suite's own limits per day, else those of the file."""
    own = plan.suites[suite].limits if suite is not None else ()
    found = tuple(limit for limit in own if limit.per == "day")
    return found or tuple(limit for limit in plan.limits if limit.per == "day")
