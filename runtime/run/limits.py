"""What a run may spend. Calls reserve before they start, so that calls at once cannot overshoot together."""

from __future__ import annotations

from collections.abc import Sequence
from decimal import Decimal
from typing import Literal

from ...dsl.plan import LimitPlan
from ..judge.errors import LimitReached
from .ledger import Ledger

What = Literal["cost", "calls", "time", "tokens"]


class Limits:
    """The limits per run. `check` is asked before a call; a limit that is spent refuses every later call."""

    __slots__ = ("_allowed", "in_flight", "ledger")

    def __init__(self, limits: Sequence[LimitPlan], ledger: Ledger) -> None:
        self._allowed = {limit.what: Decimal(limit.amount) for limit in limits if limit.per == "run"}
        self.ledger = ledger
        self.in_flight = 0

    @property
    def seconds(self) -> float | None:
        """The time limit, if there is one."""
        allowed = self._allowed.get("time")
        return None if allowed is None else float(allowed)

    def tighten(self, what: What, amount: Decimal) -> None:
        """Lowers a limit, never raises it."""
        self._allowed[what] = min(amount, self._allowed.get(what, amount))

    def check(self) -> None:
        """Raises `LimitReached` when one more call would not fit."""
        if not self._allowed:
            return
        ledger = self.ledger
        # A call in flight will be counted when it ends: until then it holds one place among the calls.
        self._refuse("calls", Decimal(ledger.calls + self.in_flight), "calls")
        self._refuse("tokens", Decimal(ledger.tokens), "tokens")
        self._refuse("cost", ledger.known, "US dollars")

    def _refuse(self, what: What, spent: Decimal, unit: str) -> None:
        allowed = self._allowed.get(what)
        if allowed is not None and spent >= allowed:
            raise LimitReached(
                f"the limit of {allowed:f} {unit} per run is spent",
                what=what,
                per="run",
                allowed=f"{allowed:f}",
                spent=f"{spent:f}",
            )

    def out_of_time(self) -> LimitReached:
        allowed = self._allowed["time"]
        return LimitReached(
            f"the limit of {allowed:f} seconds per run is spent",
            what="time",
            per="run",
            allowed=f"{allowed:f}",
            spent=f"{allowed:f}",
        )
