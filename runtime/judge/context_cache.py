"""Resolved contexts, kept for a while: the context, never the answer."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Awaitable, Callable, Hashable
from typing import Any

import trio

MOST = 1000


class KeptContexts:
    """Keeps values for `seconds`. Several who miss at once resolve once; failures are not kept. What is kept is
    never changed by whoever gets it.

    It may be used from several event loops, one after the other or at once: each waits for its own alone.
    """

    def __init__(self, seconds: float, now: Callable[[], float]) -> None:
        self._seconds = seconds
        self._now = now
        self._kept: OrderedDict[Hashable, tuple[float, Any]] = OrderedDict()
        self._resolving: dict[Hashable, trio.Lock] = {}

    async def get(self, key: Hashable, resolve: Callable[[], Awaitable[Any]]) -> Any:
        place = (trio.lowlevel.current_trio_token(), key)
        lock = self._resolving.setdefault(place, trio.Lock())
        async with lock:
            try:
                kept = self._kept.get(key)
                if kept is not None and self._now() - kept[0] < self._seconds:
                    return kept[1]
                value = await resolve()
                self._keep(key, value)
                return value
            finally:
                if not lock.statistics().tasks_waiting:
                    self._resolving.pop(place, None)

    def _keep(self, key: Hashable, value: Any) -> None:
        self._kept[key] = (self._now(), value)
        self._kept.move_to_end(key)
        while len(self._kept) > MOST:
            self._kept.popitem(last=False)
