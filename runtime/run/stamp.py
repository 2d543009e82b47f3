"""The clock of a program, as records and events read it."""

from __future__ import annotations

import time
from collections.abc import Callable
from datetime import UTC, datetime


class Stamp:
    """The present as records write it. Formats each millisecond once: a busy run asks several times in one."""

    __slots__ = ("_now", "_text", "_when")

    def __init__(self, now: Callable[[], float] = time.time) -> None:
        self._now = now
        self._when = -1
        self._text = ""

    def __call__(self) -> str:
        when = int(self._now() * 1000)
        if when != self._when:
            moment = datetime.fromtimestamp(when / 1000, UTC)
            self._when = when
            self._text = moment.isoformat(timespec="milliseconds")[:-6] + "Z"
        return self._text

    def seconds(self) -> float:
        return self._now()

    def moment(self) -> datetime:
        return datetime.fromtimestamp(self._now(), UTC)
