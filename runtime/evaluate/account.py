"""The account that evaluations pay from: `<workflow>:eval`, with a UTC day of its own, so that judging yesterday's
answers never stops today's."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

import attrs

from ...dsl.plan import LimitPlan, Plan
from ..run import Stamp
from ..store.accounts import DayAccount, balance, book, day_of
from ..store.money import UNKNOWN, ZERO, Cost, add
from ..store.records import Usage
from ..store.terns import Store
from ..store.writer import StoreWriter, Writer

EXHAUSTED = "eval budget exhausted"


@attrs.define(eq=False)
class EvalAccount:
    """What evaluations of a workflow may spend today. Processes that share a store share it; without a store it is
    this evaluation's own."""

    name: str
    tenant: str
    limits: Sequence[LimitPlan]
    """Those per day: cost, calls and tokens count."""
    writer: Writer
    stamp: Stamp
    spent: DayAccount = attrs.field(factory=DayAccount, init=False)
    """By this evaluation alone."""

    @property
    def day(self) -> str:
        return day_of(self.stamp.moment())

    async def exhausted(self) -> str | None:
        """Why nothing more may begin today; None while there is something left. Asked before each case, so that no
        more is overspent than what is under way."""
        if not self.limits:
            return None
        today = await self._today()
        spent = {
            "cost": Decimal(today.known),
            "calls": Decimal(today.calls),
            "tokens": Decimal(today.tokens),
        }
        for limit in self.limits:
            allowed = Decimal(limit.amount)
            if limit.what in spent and spent[limit.what] >= allowed:
                unit = {"cost": "US dollars"}.get(limit.what, limit.what)
                return f"{EXHAUSTED}: {allowed:f} {unit} per day from {self.name}"
        return None

    async def pay(self, cost: Cost, usage: Usage) -> None:
        """Books what was paid, whatever it was paid for."""
        if not usage.calls and cost.known == ZERO and cost.total != UNKNOWN:
            return
        tokens = usage.input_tokens + usage.output_tokens
        self.spent = _plus(self.spent, cost, tokens, usage.calls)
        writer, day = self.writer, self.day
        if not isinstance(writer, StoreWriter):
            return
        await writer.transact(lambda store: self._book(store, day, cost, tokens, usage.calls))

    def _book(self, store: Store, day: str, cost: Cost, tokens: int, calls: int) -> None:
        """One of the calls had no known price: it is booked apart, and what is known of the others is kept."""
        certain = cost.total != UNKNOWN
        rest = calls if certain else max(calls - 1, 0)
        book(store, self.name, day, cost=cost.known, tokens=tokens, calls=rest, tenant=self.tenant)
        if not certain:
            book(store, self.name, day, cost=UNKNOWN, tokens=0, calls=1, tenant=self.tenant)

    async def _today(self) -> DayAccount:
        writer, name, tenant, day = self.writer, self.name, self.tenant, self.day
        if not isinstance(writer, StoreWriter):
            return self.spent
        return await writer.read(lambda store: balance(store, name, day, tenant=tenant))


def day_limits(plan: Plan, suite: str | None) -> tuple[LimitPlan, ...]:
    """A suite's own limits per day, else those of the file."""
    own = plan.suites[suite].limits if suite is not None else ()
    found = tuple(limit for limit in own if limit.per == "day")
    return found or tuple(limit for limit in plan.limits if limit.per == "day")


def _plus(before: DayAccount, cost: Cost, tokens: int, calls: int) -> DayAccount:
    return DayAccount(
        known=add(before.known, cost.known),
        unknown=before.unknown + (cost.total == UNKNOWN),
        tokens=before.tokens + tokens,
        calls=before.calls + calls,
    )
