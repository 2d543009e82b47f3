"""Time in tests: timeouts and waits that take none, and stamps that are the same in every run."""

from __future__ import annotations

from collections.abc import Awaitable, Callable
from datetime import datetime
from typing import Any, TypeVar

import trio
from trio.testing import MockClock

from ..run import Stamp

T = TypeVar("T")

START = "2026-01-01T00:00:00+00:00"


def run(function: Callable[..., Awaitable[T]], *args: Any) -> T:
    """Runs an async function under a clock that jumps to whatever is waited for: a timeout of an hour takes no time."""
    return trio.run(function, *args, clock=MockClock(autojump_threshold=0))


def wall_clock(start: str = START) -> Stamp:
    """The time of day, for `program.opened(stamp=…)`: it begins at `start` (ISO 8601) when it is first asked and moves
    with Trio's clock, so that records and `now()` are the same in every run under a mock clock."""
    began = datetime.fromisoformat(start).timestamp()
    offset: list[float] = []

    def now() -> float:
        if not offset:
            offset.append(began - trio.current_time())
        return offset[0] + trio.current_time()

    return Stamp(now)
