"""What a run may spend. A call sets aside what it may use before it starts, so that calls at once cannot overshoot
together."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal

import trio

from ...dsl.plan import LimitPlan
from ..judge.errors import LimitReached
from .amounts import COUNTED, NOTHING, UNITS, Amounts, What, least_that_fits, minus, plus
from .days import DayLimits
from .ledger import Ledger

Claim = Amounts
"""What one call may use at most: calls, tokens, US dollars. 0 where nobody knows."""


class Limits:
    """The limits of a run, and of the day that it pays into. `claim` before a call, `release` after it is booked,
    `check_spent` before anything is done with its answer."""

    __slots__ = ("_allowed", "_counts", "_freed", "_held", "day", "ledger")

    def __init__(self, limits: Sequence[LimitPlan], ledger: Ledger) -> None:
        self._allowed = {limit.what: Decimal(limit.amount) for limit in limits if limit.per == "run"}
        self._held: Claim = NOTHING
        self._freed = trio.lowlevel.ParkingLot()
        self.ledger = ledger
        self._counts = any(what in self._allowed for what in COUNTED)
        self.day: DayLimits | None = None
        """The limits per day; None where the run counts towards no account."""

    @property
    def counts(self) -> bool:
        """Whether calls are counted at all; without a limit on them nothing has to be claimed."""
        return self._counts or (self.day is not None and self.day.counts)

    @property
    def seconds(self) -> float | None:
        """The time that is left to a run that starts now, if there is a limit."""
        left = [time for time in (self._allowed.get("time"), self._day_time()) if time is not None]
        return float(min(left)) if left else None

    @property
    def cost(self) -> Decimal | None:
        """US dollars that the run may cost, if that is limited."""
        return self._allowed.get("cost")

    @property
    def has_cost(self) -> bool:
        return "cost" in self._allowed or (self.day is not None and "cost" in self.day.allowed)

    def tighten(self, what: What, amount: Decimal) -> None:
        """Lowers a limit of the run, never raises it."""
        self._allowed[what] = min(amount, self._allowed.get(what, amount))
        self._counts = self._counts or what in COUNTED

    async def claim(self, tokens: int = 0, cost: Decimal = NOTHING[2]) -> Claim:
        """Sets aside what one more call may use at most. Waits while only calls in flight stand in its way.

        Raises `LimitReached` where it would not fit without them either.
        """
        claim: Claim = (Decimal(1), Decimal(tokens), cost)
        day = self.day
        while True:
            if day is not None:
                await day.refresh()
            if not self._fits(claim):
                await self._freed.park()
            elif day is not None and not day.fits(claim):
                await day.freed.park()
            else:
                break
        self._held = plus(self._held, claim)
        if day is not None:
            day.hold(claim)
        return claim

    def release(self, claim: Claim) -> None:
        """The call has ended and is booked."""
        self._held = minus(self._held, claim)
        self._freed.unpark_all()
        if self.day is not None:
            self.day.release(claim)

    def check_spent(self) -> None:
        """Raises `LimitReached` when more was spent than is allowed."""
        if self._allowed:
            for what, unit, spent in zip(COUNTED, UNITS, self._spent(), strict=True):
                allowed = self._allowed.get(what)
                if allowed is not None and spent > allowed:
                    raise _reached(f"the limit of {allowed:f} {unit} per run is spent", what, allowed, spent)
        if self.day is not None:
            self.day.check_spent()

    def out_of_time(self) -> LimitReached:
        allowed, day = self._allowed.get("time"), self._day_time()
        if self.day is not None and day is not None and (allowed is None or day < allowed):
            return self.day.out_of_time()
        assert allowed is not None
        return _reached(f"the limit of {allowed:f} seconds per run is spent", "time", allowed, allowed)

    def _day_time(self) -> Decimal | None:
        return None if self.day is None else self.day.seconds_left

    def _spent(self) -> Claim:
        ledger = self.ledger
        return Decimal(ledger.calls), Decimal(ledger.tokens), ledger.known

    def _fits(self, claim: Claim) -> bool:
        found = least_that_fits(self._allowed, self._spent(), self._held, claim)
        if isinstance(found, bool):
            return found
        what, unit, allowed, spent = found
        if spent >= allowed:
            raise _reached(f"the limit of {allowed:f} {unit} per run is spent", what, allowed, spent)
        raise _reached(
            f"one more call may use {claim[COUNTED.index(what)]:f} {unit}, and {allowed - spent:f} of the "
            f"{allowed:f} per run are left",
            what,
            allowed,
            spent,
        )


def _reached(message: str, what: What, allowed: Decimal, spent: Decimal) -> LimitReached:
    return LimitReached(message, what=what, per="run", allowed=f"{allowed:f}", spent=f"{spent:f}")
