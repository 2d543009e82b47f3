"""How far a batch is: one line that is written again on a terminal, a line now and then where there is none."""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import Decimal
from typing import TextIO

import attrs

from ..report.exit_codes import ANSWERED, NOT_GOOD, PAUSED
from ..report.text import cut, dollars
from ..run import events
from ..store.money import UNKNOWN
from .results_file import BatchResult

_BAR = 24
_EVERY = 0.1
"""Seconds between two looks of the line: a terminal need not be written to for each of a thousand results."""
_LINES = 20
"""At most about so many lines where there is no terminal."""


@attrs.define(eq=False)
class Tally:
    """What has ended, counted; `resumed` cases were there before."""

    of: int
    resumed: int = 0
    answered: int = 0
    not_good: int = 0
    paused: int = 0
    failed: int = 0
    known: Decimal = attrs.field(factory=Decimal)
    unknown: bool = False
    tokens: int = 0
    unreadable: int = 0

    @property
    def done(self) -> int:
        return self.answered + self.not_good + self.paused + self.failed

    def add(self, result: BatchResult) -> None:
        if result.exit == ANSWERED:
            self.answered += 1
        elif result.exit == NOT_GOOD:
            self.not_good += 1
        elif result.exit == PAUSED:
            self.paused += 1
        else:
            self.failed += 1
        self.known += Decimal(result.known)
        self.unknown = self.unknown or result.cost == UNKNOWN
        self.tokens += result.tokens
        self.unreadable += result.unreadable

    @property
    def cost(self) -> str:
        known = dollars(f"{self.known:f}")
        return f"{known} + unknown" if self.unknown else known


@attrs.define(eq=False)
class Progress:
    """`now` gives seconds. `under_way` says how many cases are being run, `width` how many columns the terminal has: a
    line that wraps cannot be written again."""

    stream: TextIO
    tally: Tally
    live: bool
    now: Callable[[], float]
    under_way: Callable[[], int] = lambda: 0
    width: Callable[[], int] = lambda: 1_000
    _began: float = attrs.field(init=False)
    _shown: float = attrs.field(default=-math.inf, init=False)
    _retries: dict[str, tuple[float, str]] = attrs.field(factory=dict, init=False)

    def __attrs_post_init__(self) -> None:
        self._began = self.now()

    def event(self, event: events.Event) -> None:
        """A hook of the runs: calls that wait to be sent again are shown."""
        if isinstance(event, events.Retrying):
            self._retries[event.party] = (self.now() + event.delay, event.reason)

    def ended(self, result: BatchResult) -> None:
        tally = self.tally
        tally.add(result)
        if self.live:
            self.draw()
        elif tally.done == tally.of or tally.done % max(tally.of // _LINES, 1) == 0:
            print(self.line(), file=self.stream, flush=True)

    def draw(self, *, always: bool = False) -> None:
        """Writes the line again, on a terminal."""
        if not self.live or (not always and self.now() - self._shown < _EVERY):
            return
        self._shown = self.now()
        self.stream.write(f"\r\x1b[2K{cut(self.line(), self.width() - 1)}")
        self.stream.flush()

    def close(self) -> None:
        if self.live:
            self.draw(always=True)
            self.stream.write("\n")
            self.stream.flush()

    def line(self) -> str:
        """`[████      ] 312 of 1,000  4.2/s  $0.84  ETA 2:44  8 under way  2 failed  retrying in 0:12 (429)`."""
        tally = self.tally
        seconds = self.now() - self._began
        rate = tally.done / seconds if seconds > 0 else 0.0
        filled = _BAR * tally.done // tally.of if tally.of else _BAR
        parts = [
            f"[{'█' * filled}{' ' * (_BAR - filled)}] {tally.done:,} of {tally.of:,}",
            _rate(rate),
            tally.cost,
        ]
        if 0 < tally.done < tally.of and rate > 0:
            parts.append(f"ETA {clock((tally.of - tally.done) / rate)}")
        parts += [
            f"{count:,} {what}"
            for count, what in (
                (self.under_way(), "under way"),
                (tally.not_good, "not good enough"),
                (tally.paused, "paused"),
                (tally.failed, "failed"),
            )
            if count
        ]
        return "  ".join([*parts, *self._waits()])

    def _waits(self) -> list[str]:
        """The longest wait of those that are not over."""
        now = self.now()
        self._retries = {party: wait for party, wait in self._retries.items() if wait[0] > now}
        if not self._retries:
            return []
        until, reason = max(self._retries.values())
        return [f"retrying in {clock(until - now)} ({reason[:40]})"]


def _rate(rate: float) -> str:
    if rate >= 1 or rate == 0:
        return f"{rate:,.1f}/s"
    return f"{rate * 60:,.1f}/min"


def clock(seconds: float) -> str:
    """`0:12`, `2:44`, `1:02:03`; what is begun counts whole."""
    minutes, rest = divmod(math.ceil(seconds), 60)
    hours, minutes = divmod(minutes, 60)
    return f"{hours}:{minutes:02}:{rest:02}" if hours else f"{minutes}:{rest:02}"
