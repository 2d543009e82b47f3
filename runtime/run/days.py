"""What a workflow may spend on one day (UTC), together with everybody who pays from the same account.

The account stands in the store: other runs and other processes pay from it at the same time. Before a call the
account is read and what the call may use is set aside in this process; after it, what it did use is booked. So several
processes overspend by no more than the calls that they have in flight together.
"""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import Protocol

import trio

from ...dsl.plan import LimitPlan
from ..judge.errors import LimitReached
from ..store.accounts import Booking, DayAccount, day_of
from ..store.money import money
from .amounts import COUNTED, NOTHING, UNITS, Amounts, What, least_that_fits, minus, plus
from .stamp import Stamp


class Accounts(Protocol):
    """Where accounts are kept; a store's writer is one. What is posted is seen by every later `balance`."""

    async def balance(self, account: str, day: str, *, tenant: str = "") -> DayAccount: ...

    def post_booking(self, booking: Booking) -> None: ...


class DayLimits:
    """One account's limits, shared by the runs of this process. A call belongs to the day on which it is booked."""

    def __init__(
        self, account: str, limits: Sequence[LimitPlan], accounts: Accounts, stamp: Stamp, tenant: str = ""
    ) -> None:
        self.account = account
        self.allowed = {
            limit.what: Decimal(limit.amount).normalize() for limit in limits if limit.per == "day"
        }
        self.counts = any(what in self.allowed for what in COUNTED)
        self.freed = trio.lowlevel.ParkingLot()
        self._accounts = accounts
        self._stamp = stamp
        self._tenant = tenant
        self._held: Amounts = NOTHING
        self._day = ""
        self._others: Amounts = NOTHING
        """The account when it was last read, without what this process has booked since it was opened."""
        self._mine: Amounts = NOTHING
        self._time = self._my_time = Decimal(0)

    async def refresh(self) -> None:
        """Reads what the account has spent so far today."""
        while True:
            day = self._today()
            mine, my_time = self._mine, self._my_time
            account = await self._accounts.balance(self.account, day, tenant=self._tenant)
            if day == self._today():
                break
        # What was booked while the account was being read is not in it yet.
        spent = (Decimal(account.calls), Decimal(account.tokens), Decimal(account.known))
        self._others, self._time = minus(spent, mine), Decimal(account.milliseconds) / 1000 - my_time

    @property
    def spent(self) -> Amounts:
        """Calls, tokens and US dollars of today, as far as they are known here."""
        self._today()
        return plus(self._others, self._mine)

    @property
    def seconds_left(self) -> Decimal | None:
        """Of the day's time; None where it has no limit."""
        self._today()
        allowed = self.allowed.get("time")
        return None if allowed is None else max(allowed - self._time - self._my_time, Decimal(0))

    def fits(self, claim: Amounts) -> bool:
        """Whether a call may start now; False where it has to wait for others. Raises `LimitReached`."""
        found = least_that_fits(self.allowed, self.spent, self._held, claim)
        if isinstance(found, bool):
            return found
        what, unit, allowed, spent = found
        if spent >= allowed:
            raise self._spent(what, unit, allowed, spent)
        raise self._reached(
            f"one more call may use {claim[COUNTED.index(what)]:f} {unit}, and {allowed - spent:f} of the "
            f"{allowed:f} per day of {self.account} are left",
            what, allowed, spent,
        )  # fmt: skip

    def hold(self, claim: Amounts) -> None:
        self._held = plus(self._held, claim)

    def release(self, claim: Amounts) -> None:
        self._held = minus(self._held, claim)
        self.freed.unpark_all()

    def book(self, tokens: int, amount: Decimal, *, certain: bool) -> None:
        """One paid call, at once."""
        day = self._today()
        self._mine = plus(self._mine, (Decimal(1), Decimal(tokens), amount))
        self._post(day, cost=money(amount), uncertain=0 if certain else 1, tokens=tokens, calls=1)

    def book_time(self, seconds: float) -> None:
        """What one run took."""
        day, milliseconds = self._today(), round(seconds * 1000)
        self._my_time += Decimal(milliseconds) / 1000
        self._post(day, milliseconds=milliseconds)

    def check_spent(self) -> None:
        """Raises `LimitReached` when more was spent than is allowed."""
        for what, unit, spent in zip(COUNTED, UNITS, self.spent, strict=True):
            allowed = self.allowed.get(what)
            if allowed is not None and spent > allowed:
                raise self._spent(what, unit, allowed, spent)

    def out_of_time(self) -> LimitReached:
        allowed = self.allowed["time"]
        return self._spent("time", "seconds", allowed, allowed)

    def _spent(self, what: What, unit: str, allowed: Decimal, spent: Decimal) -> LimitReached:
        message = f"the limit of {allowed:f} {unit} per day of {self.account} is spent until 00:00 UTC"
        return self._reached(message, what, allowed, spent)

    def _reached(self, message: str, what: What, allowed: Decimal, spent: Decimal) -> LimitReached:
        return LimitReached(message, what=what, per="day", allowed=f"{allowed:f}", spent=f"{spent:f}")

    def _post(
        self, day: str, *, cost: str = "0", uncertain: int = 0, tokens: int = 0, calls: int = 0,
        milliseconds: int = 0,
    ) -> None:  # fmt: skip
        self._accounts.post_booking(
            Booking(
                tenant=self._tenant,
                account=self.account,
                day=day,
                cost=cost,
                uncertain=uncertain,
                tokens=tokens,
                calls=calls,
                milliseconds=milliseconds,
            )
        )

    def _today(self) -> str:
        """The present day; at midnight everything starts anew."""
        day = day_of(self._stamp.moment())
        if day != self._day:
            self._day = day
            self._others = self._mine = NOTHING
            self._time = self._my_time = Decimal(0)
        return day
