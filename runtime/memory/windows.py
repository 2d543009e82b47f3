"""Which turns of a thread are to be summed up next."""

from __future__ import annotations

import msgspec

from ..store.records import TernHead
from ..store.summaries import read_memory
from ..store.terns import Store

UNFINISHED = ("running", "paused")
"""Such a turn may still get its answer, so nothing that holds it is summed up."""


class Window(msgspec.Struct, frozen=True):
    """Turns to sum up, and the raw turns of the window before them, which help to understand them."""

    turns: tuple[TernHead, ...]
    before: tuple[TernHead, ...] = ()

    @property
    def first(self) -> int:
        return self.turns[0].turn

    @property
    def last(self) -> int:
        return self.turns[-1].turn


def next_window(store: Store, thread: str, every: int, *, tenant: str = "") -> Window | None:
    """The first `every` turns that no summary holds; None while there are fewer, or one of them is not over.

    It is the same window until it has been summed up, however many turns come after it.
    """
    known = read_memory(store, thread, keep=1, tenant=tenant)
    turns = store.turns(thread, after=known.last, limit=every, tenant=tenant)
    if len(turns) < every or any(turn.status in UNFINISHED for turn in turns):
        return None
    if not known.summaries:
        return Window(turns)
    [previous] = known.summaries
    earlier = store.turns(thread, after=previous.first - 1, limit=every, tenant=tenant)
    return Window(turns, tuple(turn for turn in earlier if turn.turn <= previous.last))
