"""How many calls a service takes at once: a permit for each, which stands before its connections."""

from __future__ import annotations

from types import TracebackType

import trio

_START = 16


class Permits:
    """Adaptive concurrency. Without a declared number it starts low and doubles with every round of good
    answers; a service that says "slow down" halves it, and from then on it grows by one a round.

    A permit is held for one exchange, never over a wait between two, so callers of callers cannot starve
    each other.
    """

    def __init__(self, limit: int, *, start: int | None = None) -> None:
        self.limit = limit
        self._now = float(min(limit, _START if start is None else start))
        self._limiter = trio.CapacityLimiter(int(self._now))
        self._cautious = False
        self._halved_at = -1.0
        self._most_in_use = 0
        self._good_in_round = 0

    @property
    def at_once(self) -> int:
        """How many are allowed now."""
        return int(self._now)

    @property
    def in_use(self) -> int:
        return self._limiter.borrowed_tokens

    async def __aenter__(self) -> None:
        await self._limiter.acquire()
        self._most_in_use = max(self._most_in_use, self._limiter.borrowed_tokens)

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self._limiter.release()

    def went_well(self) -> None:
        """An answer came. Growing without need would only make the next burst larger, so only what is used
        grows."""
        if self._now < self.limit and 2 * self._most_in_use >= self._now:
            self._set(self._now + (1 / self._now if self._cautious else 1.0))
        self._good_in_round += 1
        if self._good_in_round >= self._now:
            self._good_in_round, self._most_in_use = 0, self._limiter.borrowed_tokens

    def slow_down(self, sent_at: float) -> None:
        """A call sent at `sent_at` was told to slow down. Those of one burst halve it once."""
        if sent_at <= self._halved_at:
            return
        self._cautious = True
        self._halved_at = trio.current_time()
        self._set(self._now / 2)

    def _set(self, number: float) -> None:
        self._now = max(1.0, min(float(self.limit), number))
        self._limiter.total_tokens = int(self._now)
