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

_READ = (
    "SELECT cost, unknown, tokens, calls, milliseconds FROM day_accounts "
    "WHERE tenant = ? AND account = ? AND day = ?"
)
_WRITE = """
INSERT INTO day_accounts (tenant, account, day, cost, unknown, tokens, calls, milliseconds)
VALUES (?, ?, ?, ?, ?, ?, ?, ?)
ON CONFLICT (tenant, account, day) DO UPDATE SET
  cost = excluded.cost, unknown = excluded.unknown, tokens = excluded.tokens, calls = excluded.calls,
  milliseconds = excluded.milliseconds
"""


class Booking(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """What is added to an account's day."""

    account: str
    day: str
    """A UTC day, `YYYY-MM-DD`."""
    tenant: str = ""
    cost: Money = ZERO
    """Of what has a known price."""
    uncertain: int = 0
    """Calls whose price is not, or not wholly, known."""
    tokens: int = 0
    calls: int = 0
    milliseconds: int = 0
    """Time of runs."""


class DayAccount(msgspec.Struct, frozen=True, kw_only=True):
    """One account's day so far."""

    known: Money = ZERO
    """Of the calls whose price is known."""
    unknown: int = 0
    """Calls whose price is not."""
    tokens: int = 0
    calls: int = 0
    milliseconds: int = 0
    """Time of runs."""

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
    known, unknown, tokens, calls, milliseconds = rows[0]
    return DayAccount(known=known, unknown=unknown, tokens=tokens, calls=calls, milliseconds=milliseconds)


def book(
    store: Store, account: str, day: str, *, cost: Money, tokens: int, calls: int = 1, tenant: str = ""
) -> DayAccount:
    """Adds calls to an account's day and gives what it then holds, the calls of other processes included."""
    priced = cost != UNKNOWN
    booking = Booking(
        account=account,
        day=day,
        tenant=tenant,
        cost=cost if priced else ZERO,
        uncertain=0 if priced else calls,
        tokens=tokens,
        calls=calls,
    )
    return apply_booking(store, booking)


def apply_booking(store: Store, booking: Booking) -> DayAccount:
    """Adds to an account's day and gives what it then holds."""
    with store.database.transaction():
        before = balance(store, booking.account, booking.day, tenant=booking.tenant)
        after = added(before, booking)
        store.database.execute(
            _WRITE,
            (
                storable(booking.tenant), storable(booking.account), booking.day,
                after.known, after.unknown, after.tokens, after.calls, after.milliseconds,
            ),
        )  # fmt: skip
    return after


def added(before: DayAccount, booking: Booking) -> DayAccount:
    """An account's day with one booking more."""
    return DayAccount(
        known=add(before.known, booking.cost),
        unknown=before.unknown + booking.uncertain,
        tokens=before.tokens + booking.tokens,
        calls=before.calls + booking.calls,
        milliseconds=before.milliseconds + booking.milliseconds,
    )
