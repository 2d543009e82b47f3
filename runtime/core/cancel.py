"""The cancellation guard. Inside, cancellation is Trio's own and `Cancelled` is never swallowed.

The three checks stand before context, before the provider and before the callback (a branch, the next
attempt, the next statement), in the task that makes the call, after its permit, with no await between.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from math import inf

import attrs
import trio

from .exceptions import AbortError


async def check() -> None:
    """One of the three checks: raises `Cancelled` if this task is cancelled or its deadline has passed.

    A full checkpoint: `checkpoint_if_cancelled` misses a deadline that passed during synchronous work.
    """
    await trio.lowlevel.checkpoint()


@attrs.define(eq=False)
class CancelHandle:
    """Our own way to end work from elsewhere in the Trio thread. The first reason stands."""

    reason: str | None = attrs.field(default=None, init=False)
    _scopes: set[trio.CancelScope] = attrs.field(factory=set, init=False, repr=False)

    def cancel(self, reason: str) -> None:
        """Cancel every edge that is open, and every later one."""
        self.reason = self.reason or reason
        for scope in self._scopes:
            scope.cancel()

    @contextmanager
    def edge(self) -> Iterator[None]:
        """The public edge: a block cancelled with this handle, which then raises `AbortError(reason)`.

        A caller's own `Cancelled` passes through; a block that finished all the same keeps its result.
        """
        with trio.CancelScope() as scope:
            self._scopes.add(scope)
            try:
                if self.reason is not None:
                    scope.cancel()
                yield
            finally:
                self._scopes.discard(scope)
        if scope.cancelled_caught:
            raise AbortError(self.reason)


def shielded(seconds: float) -> trio.CancelScope:
    """Where clean-up awaits: `with shielded(2.0): await ...` gives up after `seconds`."""
    return trio.move_on_after(seconds, shield=True)


def shrink(seconds: float = inf) -> float:
    """The absolute deadline `seconds` from now, or the one that holds here if that is earlier."""
    return min(trio.current_time() + seconds, trio.current_effective_deadline())
