"""A thread's memory: summaries of turns that are told no longer one by one. They are added and never changed."""

from __future__ import annotations

import msgspec

from .clock import milliseconds, moment_of, timestamp
from .query import storable
from .records import Summary
from .terns import Store


class ThreadMemory(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """The latest summaries of a thread, oldest first, and the turn up to which it is summed up (0: not at all)."""

    summaries: tuple[Summary, ...] = ()
    last: int = 0
    count: int = 0
    """Of all its summaries, those that no reader sees any more included."""


def read_memory(
    store: Store, thread: str, *, keep: int, tenant: str = "", before: int | None = None
) -> ThreadMemory:
    """The latest `keep` summaries of a thread; with `before`, as of that turn."""
    place: list[str | int] = [storable(tenant), storable(thread), 2**62 if before is None else before]
    rows = store.database.rows(
        "SELECT first_turn, last_turn, text FROM summaries WHERE tenant = ? AND thread = ? AND last_turn < ? "
        "ORDER BY last_turn DESC LIMIT ?",
        [*place, max(keep, 1)],
    )
    if not rows:
        return ThreadMemory()
    count = store.database.rows(
        "SELECT count(*) FROM summaries WHERE tenant = ? AND thread = ? AND last_turn < ?", place
    )[0][0]
    found = tuple(Summary(first=first, last=last, text=text) for first, last, text in reversed(rows))
    return ThreadMemory(summaries=found[-keep:] if keep > 0 else (), last=found[-1].last, count=count)


def put_summary(store: Store, thread: str, summary: Summary, *, tenant: str = "") -> bool:
    """Keeps a summary. False, and nothing is kept, where another process has summed up these turns already."""
    return (
        store.database.execute(
            "INSERT INTO summaries (tenant, thread, first_turn, last_turn, text, created) "
            "SELECT ?, ?, ?, ?, ?, ? WHERE NOT EXISTS (SELECT 1 FROM summaries "
            "WHERE tenant = ? AND thread = ? AND last_turn >= ?)",
            [
                *(place := (storable(tenant), storable(thread))), summary.first, summary.last,
                storable(summary.text), milliseconds(store.now()), *place, summary.first,
            ],
        )
        == 1
    )  # fmt: skip


def summaries_of(store: Store, thread: str, *, tenant: str = "") -> tuple[tuple[Summary, str], ...]:
    """All summaries of a thread, oldest first, each with the moment at which it was made."""
    rows = store.database.rows(
        "SELECT first_turn, last_turn, text, created FROM summaries WHERE tenant = ? AND thread = ? "
        "ORDER BY last_turn",
        [storable(tenant), storable(thread)],
    )
    return tuple(
        (Summary(first=first, last=last, text=text), timestamp(moment_of(created)))
        for first, last, text, created in rows
    )
