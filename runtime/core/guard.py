"""The cancellation guard: how work stops, at once or softly once what was already paid for has come back.

Inside, cancellation is Trio's own and `Cancelled` is never swallowed. The three checks stand before context, before
the provider and before the callback (a branch, the next attempt, the next statement), in the task that makes the
call, after its permit, with no await between.
"""

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
        if self.stopping:  # looked at last: a stop that came during the checkpoint counts
            self._stop_if_idle()
            await trio.sleep_forever()

    def begin(self) -> None:
        """A call that costs starts."""
        self.in_flight += 1

    def end(self) -> None:
        """A call has ended and is recorded."""
        self.in_flight -= 1
        self._stop_if_idle()

    def stop(self) -> None:
        """The soft stop: start nothing new, let the calls in flight end."""
        self.stopping = True
        self._stop_if_idle()

    def _stop_if_idle(self) -> None:
        if self.stopping and self.in_flight == 0:
            self.scope.cancel()
