"""Conversations as a whole: which there are, and how far each has come."""

from __future__ import annotations

import msgspec

from .errors import AmbiguousThreadError, NoThreadError
from .query import storable, suggest, typed_id
from .records import TernHead
from .terns import Store

_MOST_MATCHES = 10


class ThreadHead(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """One conversation in a list."""

    id: str
    tenant: str = ""
    turns: int
    summaries: int
    """How many summaries of its turns there are."""
    first: TernHead
    last: TernHead


def list_threads(store: Store, *, tenant: str = "", limit: int | None = None) -> tuple[ThreadHead, ...]:
    """The threads that have runs, the last used first."""
    owned = storable(tenant)
    rows = store.database.rows(
        """
        SELECT thread, count(*), min(turn), max(turn),
               (SELECT count(*) FROM summaries s WHERE s.tenant = terns.tenant AND s.thread = terns.thread)
        FROM terns WHERE tenant = ? GROUP BY thread ORDER BY max(started) DESC, max(seq) DESC LIMIT ?
        """,
        [owned, -1 if limit is None else limit],
    )
    return tuple(
        ThreadHead(
            id=thread,
            tenant=tenant,
            turns=turns,
            summaries=summaries,
            first=store.turn(thread, first, tenant=tenant),
            last=store.turn(thread, last, tenant=tenant),
        )
        for thread, turns, first, last, summaries in rows
    )


def count_threads(store: Store, *, tenant: str = "") -> int:
    """How many threads have runs."""
    counting = "SELECT count(DISTINCT thread) FROM terns WHERE tenant = ?"
    return int(store.database.rows(counting, [storable(tenant)])[0][0])


def find_thread(store: Store, typed: str, *, tenant: str = "") -> str:
    """The thread with this id, or the only one that starts like it.

    Raises `NoThreadError` with the ids that come near, or `AmbiguousThreadError` with those that fit.
    """
    wanted, owned = typed_id(typed), storable(tenant)
    mine = "SELECT id FROM threads WHERE tenant = ?"
    found = store.database.rows(f"{mine} AND id = ?", [owned, wanted]) or store.database.rows(
        f"{mine} AND id >= ? AND id < ? ORDER BY created DESC LIMIT ?",
        [owned, wanted, f"{wanted}\U0010ffff", _MOST_MATCHES],
    )
    if not wanted or not found:
        known = store.database.rows(f"{mine} ORDER BY created DESC LIMIT 1000", [owned])
        raise NoThreadError(typed, suggest(wanted, (thread for (thread,) in known)))
    if len(found) > 1:
        raise AmbiguousThreadError(typed, [thread for (thread,) in found])
    return str(found[0][0])
