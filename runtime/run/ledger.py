"""Who was paid how much, exactly, while it is being spent."""

from __future__ import annotations

from decimal import Decimal

from ..judge import protocol
from ..store.money import UNKNOWN, ZERO, Cost, Money, money
from ..store.records import Usage

_NOTHING = Decimal(0)


class Ledger:
    """Sums per party, in US dollars and tokens. `None` as an amount is an unknown price, which is never 0."""

    __slots__ = (
        "_amounts",
        "cached",
        "calls",
        "input",
        "known",
        "output",
        "reasoning",
        "unknown",
        "unreported",
    )

    def __init__(self) -> None:
        self._amounts: dict[str, Decimal | None] = {}
        self.known = _NOTHING
        self.unknown = False
        self.calls = self.input = self.output = self.cached = self.reasoning = self.unreported = 0

    def book(self, party: str, usage: protocol.Usage, amount: Decimal | None) -> None:
        """One paid call. Synchronous, so that nothing can come between an answer and its booking."""
        self.calls += 1
        if usage.input_tokens is None or usage.output_tokens is None:
            self.unreported += 1
        self.input += usage.input_tokens or 0
        self.output += usage.output_tokens or 0
        self.cached += usage.cached_tokens
        self.reasoning += usage.reasoning_tokens
        self.spend(party, amount)

    def spend(self, party: str, amount: Decimal | None) -> None:
        before = self._amounts.get(party, _NOTHING)
        if amount is None:
            self.unknown = True
            self._amounts[party] = None
            return
        if amount:
            self.known += amount
        self._amounts[party] = None if before is None else before + amount

    @property
    def tokens(self) -> int:
        return self.input + self.output

    def cost(self) -> Cost:
        parties = {party: _money(amount) for party, amount in self._amounts.items()}
        return Cost(
            total=UNKNOWN if self.unknown else _money(self.known), known=_money(self.known), parties=parties
        )

    def usage(self) -> Usage:
        return Usage(
            calls=self.calls,
            input_tokens=self.input,
            output_tokens=self.output,
            cached_tokens=self.cached,
            reasoning_tokens=self.reasoning,
            unreported=self.unreported,
        )


def _money(amount: Decimal | None) -> Money:
    if amount is None:
        return UNKNOWN
    return money(amount) if amount else ZERO
