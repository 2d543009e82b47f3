"""Who was paid how much, exactly, while it is being spent."""

from __future__ import annotations

from decimal import Decimal
from typing import NamedTuple

from ..judge import protocol
from ..store.money import UNKNOWN, ZERO, Cost, Money, money
from ..store.records import Usage

_NOTHING = Decimal(0)
_FREE = Cost()
_UNUSED = Usage()


class Mark(NamedTuple):
    """Where a ledger stood at one moment."""

    known: Decimal
    unknown: int
    calls: int
    input: int
    output: int
    cached: int
    reasoning: int
    unreported: int
    from_cache: int


class Ledger:
    """Sums per party, in US dollars and tokens. What is not known makes a sum unknown, which is never 0."""

    __slots__ = (
        "_paid",
        "_uncertain",
        "cached",
        "calls",
        "from_cache",
        "input",
        "known",
        "output",
        "reasoning",
        "unknown",
        "unreported",
    )

    def __init__(self) -> None:
        self._paid: dict[str, Decimal] = {}
        self._uncertain: tuple[str, ...] = ()
        self.known = _NOTHING
        self.unknown = 0
        """Calls whose cost is not wholly known."""
        self.calls = self.input = self.output = self.cached = self.reasoning = self.unreported = 0
        self.from_cache = 0

    def book(
        self,
        party: str,
        usage: protocol.Usage,
        amount: Decimal,
        *,
        certain: bool = True,
        from_cache: bool = False,
    ) -> None:
        """One paid call. Synchronous, so that nothing can come between an answer and its booking. `amount` is what
        is known to have been paid; not `certain`: it may have been more."""
        self.calls += 1
        if usage.incomplete or usage.input_tokens is None or usage.output_tokens is None:
            self.unreported += 1
        self.input += usage.input_tokens or 0
        self.output += usage.output_tokens or 0
        self.cached += usage.cached_tokens
        self.reasoning += usage.reasoning_tokens
        self.from_cache += from_cache
        self._pay(party, amount, certain)

    def _pay(self, party: str, amount: Decimal, certain: bool) -> None:
        if amount:
            self.known += amount
            self._paid[party] = self._paid.get(party, _NOTHING) + amount
        else:
            self._paid.setdefault(party, _NOTHING)
        if not certain:
            self.unknown += 1
            self._uncertain = (*self._uncertain, party)

    def absorb(self, cost: Cost, usage: Usage) -> None:
        """What an earlier process has paid for the same run."""
        self.calls += usage.calls
        self.input += usage.input_tokens
        self.output += usage.output_tokens
        self.cached += usage.cached_tokens
        self.reasoning += usage.reasoning_tokens
        self.unreported += usage.unreported
        self.from_cache += usage.from_cache
        parties = sum((Decimal(amount) for amount in cost.parties.values() if amount != UNKNOWN), _NOTHING)
        for party, amount in cost.parties.items():
            certain = amount != UNKNOWN
            # What a party with an unknown part is known to have paid is written down for all of them together.
            known = Decimal(amount) if certain else Decimal(cost.known) - parties
            self._pay(party, known, certain)
            parties += _NOTHING if certain else known

    def doubt(self, party: str) -> None:
        """A call that was under way when its process died: what it cost nobody knows."""
        self._pay(party, _NOTHING, False)

    @property
    def tokens(self) -> int:
        return self.input + self.output

    def cost(self) -> Cost:
        if not self._paid:
            return _FREE
        known = _money(self.known)
        parties = {
            party: UNKNOWN if party in self._uncertain else _money(amount)
            for party, amount in self._paid.items()
        }
        return Cost(total=UNKNOWN if self.unknown else known, known=known, parties=parties)

    def usage(self) -> Usage:
        return self.since(_START)[0] if self.calls else _UNUSED

    def mark(self) -> Mark:
        """Where it stands now, for `since`."""
        return Mark(
            self.known,
            self.unknown,
            self.calls,
            self.input,
            self.output,
            self.cached,
            self.reasoning,
            self.unreported,
            self.from_cache,
        )

    def since(self, mark: Mark) -> tuple[Usage, Money]:
        """What was used and paid since then."""
        if self.calls == mark.calls:
            return _UNUSED, ZERO
        usage = Usage(
            calls=self.calls - mark.calls,
            input_tokens=self.input - mark.input,
            output_tokens=self.output - mark.output,
            cached_tokens=self.cached - mark.cached,
            reasoning_tokens=self.reasoning - mark.reasoning,
            unreported=self.unreported - mark.unreported,
            from_cache=self.from_cache - mark.from_cache,
        )
        return usage, UNKNOWN if self.unknown > mark.unknown else _money(self.known - mark.known)


_START = Ledger().mark()


def _money(amount: Decimal) -> Money:
    return money(amount) if amount else ZERO
