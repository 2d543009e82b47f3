"""Resolved contexts, kept for a while: the context, never the answer."""

from __future__ import annotations

from collections import OrderedDict
from collections.abc import Awaitable, Callable
from typing import Any

import trio

MOST = 1000


class ContextCache:
    """Keeps values for `seconds`. Several who miss at once resolve once; failures are not kept."""

    def __init__(self, seconds: float, now: Callable[[], float]) -> None:
        self._seconds = seconds
        self._now = now
        self._kept: OrderedDict[str, tuple[float, Any]] = OrderedDict()
        self._resolving: dict[str, trio.Lock] = {}

    async def get(self, key: str, resolve: Callable[[], Awaitable[Any]]) -> Any:
        lock = self._resolving.setdefault(key, trio.Lock())
        async with lock:
            try:
                kept = self._kept.get(key)
                if kept is not None and self._now() - kept[0] < self._seconds:
                    return kept[1]
                value = await resolve()
                self._kept[key] = (self._now(), value)
                self._kept.move_to_end(key)
                if len(self._kept) > MOST:
                    self._kept.popitem(last=False)
                return value
            finally:
                if not lock.statistics().tasks_waiting:
                    self._resolving.pop(key, None)
