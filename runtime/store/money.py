"""US dollars as decimal texts: exact, and honest about prices that nobody knows.

A sum with one unknown part is `unknown`, never the sum of the rest: a cost that looks complete and is not
would be worse than none. `Cost.known` keeps the part that is certain.
"""

from __future__ import annotations

from collections.abc import Iterable
from decimal import Context, Decimal, InvalidOperation

import msgspec

Money = str
"""A plain decimal text in US dollars (`"0.0044"`: no sign, no exponent, no trailing zeros), or `UNKNOWN`."""

UNKNOWN = "unknown"
ZERO = "0"

# Wide enough that no sum of real prices is ever rounded: costs are added up, never divided.
_EXACT = Context(prec=80)


def money(amount: Decimal | int | str) -> Money:
    """`amount` in the one spelling that records use. `ValueError` for a negative number, NaN or words."""
    if amount == UNKNOWN:
        return UNKNOWN
    try:
        value = Decimal(amount)
    except InvalidOperation:
        raise ValueError(
            f"{amount!r} is no amount of money: write a decimal such as 0.0042, or {UNKNOWN!r}"
        ) from None
    if not value.is_finite() or value < 0:
        raise ValueError(
            f"{amount!r} is no amount of money: it must be a finite number of dollars, 0 or more"
        )
    text = f"{value.copy_abs():f}"
    if "." in text:
        text = text.rstrip("0").rstrip(".")
    return text or ZERO


def add(*amounts: Money) -> Money:
    """Their exact sum; `unknown` if one of them is."""
    if UNKNOWN in amounts:
        return UNKNOWN
    return money(_sum(amounts))


def _sum(amounts: Iterable[Money]) -> Decimal:
    total = Decimal(0)
    for amount in amounts:
        total = _EXACT.add(total, Decimal(amount))
    return total


class Cost(msgspec.Struct, frozen=True, gc=False):
    """What was paid, and to whom, in US dollars."""

    total: Money = ZERO
    """The sum over all parties; `unknown` if any call of any party had no known price."""
    known: Money = ZERO
    """The sum of the calls whose price is known: the least that was paid. `total`, unless that is unknown."""
    parties: dict[str, Money] = {}
    """Per party: `agent:writer`, `judge:useful`, `gate:ready`, `decision:urgent`, `tool:find`, `memory`."""

    def plus(self, party: str, amount: Money) -> Cost:
        """This and one more call of `party`."""
        parties = dict(self.parties)
        parties[party] = add(parties.get(party, ZERO), amount)
        known = self.known if amount == UNKNOWN else add(self.known, amount)
        return Cost(total=add(self.total, amount), known=known, parties=parties)


def merge(costs: Iterable[Cost]) -> Cost:
    """The cost of several steps together."""
    parties: dict[str, Money] = {}
    total = known = ZERO
    for cost in costs:
        total, known = add(total, cost.total), add(known, cost.known)
        for party, amount in cost.parties.items():
            parties[party] = add(parties.get(party, ZERO), amount)
    return Cost(total=total, known=known, parties=parties)
