"""Ending a decision from elsewhere, and the checks that see it. Inside, cancellation is Trio's own."""

from __future__ import annotations

from collections.abc import Iterator
from contextlib import contextmanager

import attrs
import trio

from ..judge.errors import AbortError


@attrs.define(eq=False)
class CancelHandle:
    """A caller's own way to end work from elsewhere in the same Trio program: `handle.cancel("the user left")`.

    Give it as `signal` to any number of decisions. The first reason stands; what is begun later ends at once.
    """

    reason: str | None = attrs.field(default=None, init=False)
    cancelled: bool = attrs.field(default=False, init=False)
    _scopes: set[trio.CancelScope] = attrs.field(factory=set, init=False, repr=False)

    def cancel(self, reason: str = "") -> None:
        """Ends everything that was given this handle, now and later."""
        if not self.cancelled:
            self.cancelled, self.reason = True, reason
        for scope in tuple(self._scopes):
            scope.cancel()

    @contextmanager
    def edge(self) -> Iterator[None]:
        """A block that this handle ends: then it raises `AbortError`. A caller's own `Cancelled` passes through."""
        with trio.CancelScope() as scope:
            self._scopes.add(scope)
            try:
                if self.cancelled:
                    scope.cancel()
                yield
            except Exception as error:
                if self.cancelled:
                    # Whatever failed while it was being ended failed because of that, or does not matter any more.
                    raise self._aborted() from error
                raise
            finally:
                self._scopes.discard(scope)
        if scope.cancelled_caught:
            raise self._aborted()

    def _aborted(self) -> AbortError:
        return AbortError(f"cancelled: {self.reason}" if self.reason else "cancelled by its handle")


@contextmanager
def abortable(signal: CancelHandle | None) -> Iterator[None]:
    """The public edge of one call: without a handle only the caller's own scopes end it."""
    if signal is None:
        yield
        return
    with signal.edge():
        yield


async def check() -> None:
    """One of the three checks: before context, before the provider, before the callback. A full checkpoint: a
    conditional one would miss a deadline that passed during synchronous work."""
    await trio.lowlevel.checkpoint()
