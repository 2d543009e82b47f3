"""What a run is shown of its thread."""

from __future__ import annotations

from ...dsl.plan import MemoryPlan
from ..store.history import History
from ..store.recorder import Writer
from ..store.summaries import read_memory
from ..store.terns import Store
from ..store.writer import StoreWriter

HISTORY = 10
"""Turns that agents and decisions see where the file does not say."""


async def history_of(
    writer: Writer, memory: MemoryPlan | None, thread: str, *, tenant: str = "", before: int | None = None
) -> History:
    """The last turns of a thread; where it is summed up, the latest summaries and every turn since.

    `before`: as the thread was before that turn.
    """
    if memory is None or memory.compact_every is None or not isinstance(writer, StoreWriter):
        shown = HISTORY if memory is None else memory.history
        return History(await writer.history(thread, shown, tenant=tenant, before=before))
    keep = memory.keep or 0

    def read(store: Store) -> History:
        # In one go, so that no turn falls between a summary and the turns after it.
        known = read_memory(store, thread, keep=keep, tenant=tenant, before=before)
        turns = store.history(thread, None, tenant=tenant, after=known.last, before=before)
        return History(turns, known.summaries)

    return await writer.read(read)
