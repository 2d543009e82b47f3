"""What each account has spent on each day (UTC), shared exactly by all processes that use the file.

Accounts are `<workflow>` for its runs and `<workflow>:eval` for judging them afterwards. Booking adds to what
is there in one transaction, so two processes that share a limit see each other's calls and overspend by no
more than the calls that both had in flight.
"""

from __future__ import annotations

from datetime import UTC, datetime

import msgspec

from .money import UNKNOWN, ZERO, Money, add
from .query import storable
from .terns import Store

_READ = "SELECT cost, unknown, tokens, calls FROM day_accounts WHERE tenant = ? AND account = ? AND day = ?"
_WRITE = """
INSERT INTO day_accounts (tenant, account, day, cost, unknown, tokens, calls) VALUES (?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (tenant, account, day) DO UPDATE SET
  cost = excluded.cost, unknown = excluded.unknown, tokens = excluded.tokens, calls = excluded.calls
"""


class DayAccount(msgspec.Struct, frozen=True, kw_only=True):
    """One account's day so far."""

    known: Money = ZERO
    """Of the calls whose price is known."""
    unknown: int = 0
    """Calls whose price is not."""
    tokens: int = 0
    calls: int = 0

    @property
    def cost(self) -> Money:
        """All of it; `unknown` if the price of a single call is."""
        return UNKNOWN if self.unknown else self.known


def day_of(moment: datetime) -> str:
    """The UTC day that a moment (with a time zone) falls on, `YYYY-MM-DD`."""
    return moment.astimezone(UTC).date().isoformat()


def balance(store: Store, account: str, day: str, *, tenant: str = "") -> DayAccount:
    rows = store.database.rows(_READ, [storable(tenant), storable(account), day])
    if not rows:
        return DayAccount()
    known, unknown, tokens, calls = rows[0]
    return DayAccount(known=known, unknown=unknown, tokens=tokens, calls=calls)


def book(
    store: Store, account: str, day: str, *, cost: Money, tokens: int, calls: int = 1, tenant: str = ""
) -> DayAccount:
    """Adds calls to an account's day and gives what it then holds, the calls of other processes included."""
    with store.database.transaction():
        before = balance(store, account, day, tenant=tenant)
        priced = cost != UNKNOWN
        after = DayAccount(
            known=add(before.known, cost) if priced else before.known,
            unknown=before.unknown + (0 if priced else calls),
            tokens=before.tokens + tokens,
            calls=before.calls + calls,
        )
        place = (storable(tenant), storable(account), day)
        store.database.execute(_WRITE, (*place, after.known, after.unknown, after.tokens, after.calls))
    return after
