"""How a run stops: at once, or softly once what was already paid for has come back."""

from __future__ import annotations

import trio


class RunGuard:
    """The three checks of a run, and the calls that are under way.

    `scope` is the run's own cancel scope. After `stop()` nothing new starts: whoever reaches a check parks there, and
    when the last call in flight has been recorded, or the caller's grace is over, the scope is cancelled.
    """

    __slots__ = ("in_flight", "scope", "stopping")

    def __init__(self, scope: trio.CancelScope) -> None:
        self.scope = scope
        self.in_flight = 0
        self.stopping = False

    async def check(self) -> None:
        """A check before context, provider or callback. A full checkpoint: it also sees a deadline that passed during
        synchronous work, which a conditional one would miss."""
        await trio.lowlevel.checkpoint()
        # Looked at last: a stop that came during the checkpoint counts.
        if self.stopping:
            if self.in_flight == 0:
                self.scope.cancel()
            await trio.sleep_forever()

    def begin(self) -> None:
        """A call that costs starts."""
        self.in_flight += 1

    def end(self) -> None:
        """A call has ended and is recorded."""
        self.in_flight -= 1
        if self.stopping and self.in_flight == 0:
            self.scope.cancel()

    def stop(self) -> None:
        """The soft stop: start nothing new, let the calls in flight end."""
        self.stopping = True
        if self.in_flight == 0:
            self.scope.cancel()
