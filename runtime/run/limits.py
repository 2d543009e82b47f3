"""What a run may spend. A call sets aside what it may use before it starts, so that calls at once cannot overshoot
together."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import Literal

import trio

from ...dsl.plan import LimitPlan
from ..judge.errors import LimitReached
from .ledger import Ledger

What = Literal["cost", "calls", "time", "tokens"]
Claim = tuple[Decimal, Decimal, Decimal]
"""What one call may use at most: calls, tokens, US dollars. 0 where nobody knows."""

COUNTED: tuple[What, ...] = ("calls", "tokens", "cost")
UNITS = ("calls", "tokens", "US dollars")
_NOTHING = Decimal(0)
_ONE = Decimal(1)


class Limits:
    """The limits per run. `claim` before a call, `release` after it is booked, `check_spent` before anything is done
    with its answer."""

    __slots__ = ("_allowed", "_freed", "_held", "counts", "ledger")

    def __init__(self, limits: Sequence[LimitPlan], ledger: Ledger) -> None:
        self._allowed = {limit.what: Decimal(limit.amount) for limit in limits if limit.per == "run"}
        self._held: Claim = (_NOTHING, _NOTHING, _NOTHING)
        self._freed = trio.lowlevel.ParkingLot()
        self.ledger = ledger
        self.counts = any(what in self._allowed for what in COUNTED)
        """Whether calls are counted at all; without a limit on them nothing has to be claimed."""

    @property
    def seconds(self) -> float | None:
        """The time limit, if there is one."""
        allowed = self._allowed.get("time")
        return None if allowed is None else float(allowed)

    @property
    def has_cost(self) -> bool:
        return "cost" in self._allowed

    def tighten(self, what: What, amount: Decimal) -> None:
        """Lowers a limit, never raises it."""
        self._allowed[what] = min(amount, self._allowed.get(what, amount))
        self.counts = self.counts or what in COUNTED

    async def claim(self, tokens: int = 0, cost: Decimal = _NOTHING) -> Claim:
        """Sets aside what one more call may use at most. Waits while only calls in flight stand in its way.

        Raises `LimitReached` where it would not fit without them either.
        """
        claim: Claim = (_ONE, Decimal(tokens), cost)
        while not self._fits(claim):
            await self._freed.park()
        self._held = _sum(self._held, claim, 1)
        return claim

    def release(self, claim: Claim) -> None:
        """The call has ended and is booked."""
        self._held = _sum(self._held, claim, -1)
        self._freed.unpark_all()

    def check_spent(self) -> None:
        """Raises `LimitReached` when more was spent than is allowed."""
        if not self._allowed:
            return
        for what, unit, spent in zip(COUNTED, UNITS, self._spent(), strict=True):
            allowed = self._allowed.get(what)
            if allowed is not None and spent > allowed:
                raise _reached(f"the limit of {allowed:f} {unit} per run is spent", what, allowed, spent)

    def out_of_time(self) -> LimitReached:
        allowed = self._allowed["time"]
        return _reached(f"the limit of {allowed:f} seconds per run is spent", "time", allowed, allowed)

    def _spent(self) -> Claim:
        ledger = self.ledger
        return Decimal(ledger.calls), Decimal(ledger.tokens), ledger.known

    def _fits(self, claim: Claim) -> bool:
        fits = True
        for what, unit, spent, held, more in zip(
            COUNTED, UNITS, self._spent(), self._held, claim, strict=True
        ):
            allowed = self._allowed.get(what)
            if allowed is None:
                continue
            if spent >= allowed:
                raise _reached(f"the limit of {allowed:f} {unit} per run is spent", what, allowed, spent)
            if spent + more > allowed:
                raise _reached(
                    f"one more call may use {more:f} {unit}, and {allowed - spent:f} of the {allowed:f} per run "
                    "are left",
                    what,
                    allowed,
                    spent,
                )
            fits = fits and spent + held < allowed and spent + held + more <= allowed
        return fits


def _sum(left: Claim, right: Claim, sign: int) -> Claim:
    return left[0] + sign * right[0], left[1] + sign * right[1], left[2] + sign * right[2]


def _reached(message: str, what: What, allowed: Decimal, spent: Decimal) -> LimitReached:
    return LimitReached(message, what=what, per="run", allowed=f"{allowed:f}", spent=f"{spent:f}")
