"""One call's place among those that a run has under way."""

from __future__ import annotations

import trio

from . import events
from .run import Run


class Turn:
    """Taken right before something is sent and given up when it has come back, so that a stop waits for what is on its
    way and for nothing else: not for a permit, and not for the next attempt after a rate limit."""

    __slots__ = ("_is_taken", "_party", "_run")

    def __init__(self, run: Run, party: str) -> None:
        self._run = run
        self._party = party
        self._is_taken = False

    async def take(self) -> None:
        """The check before the provider: a run that was stopped goes no further."""
        await self._run.guard.check()
        self._run.guard.begin()
        self._is_taken = True

    async def try_take(self) -> bool:
        """`take` for whoever holds what others wait for: it says that the run was stopped instead of ending there."""
        await trio.lowlevel.checkpoint()
        if self._run.guard.stopping:
            return False
        self._run.guard.begin()
        self._is_taken = True
        return True

    def give(self) -> None:
        if self._is_taken:
            self._is_taken = False
            self._run.guard.end()

    def waits(self, seconds: float, reason: str, attempt: int) -> None:
        """Tells that the call will be sent again."""
        run = self._run
        if run.hooks:
            run.emit(
                events.Retrying(
                    run=run.info.id,
                    at=run.now(),
                    party=self._party,
                    delay=seconds,
                    reason=reason,
                    attempt=attempt,
                )
            )
