"""Many cases at once, and an end that keeps what there is: a spent budget or an interruption lets what is under way
finish and begins nothing more."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Sequence
from typing import Protocol, TypeVar

import attrs
import trio

from .account import BudgetSpent, EvalAccount

T = TypeVar("T")

AT_ONCE = 8
INTERRUPTED = "interrupted"


class Tell(Protocol):
    """Told after each case: how many are done, of how many, and what the last one came to."""

    def __call__(self, done: int, of: int, what: str) -> None: ...


def nobody_listens(done: int, of: int, what: str) -> None:
    return None


@attrs.define(eq=False)
class Pace:
    """How an evaluation goes through its cases. `stopped` says why it ended early; None where it did not."""

    account: EvalAccount
    at_once: int = AT_ONCE
    tell: Tell = nobody_listens
    stopped: str | None = None

    def interrupt(self) -> None:
        self.stopped = self.stopped or INTERRUPTED

    async def through(self, items: Sequence[T], work: Callable[[T], Awaitable[str]]) -> int:
        """Does `work` for each item, which says in a few words what came of it; how many were begun."""
        begun = done = 0
        permits = trio.Semaphore(self.at_once)

        async def one(item: T) -> None:
            nonlocal done
            try:
                what = await work(item)
            except BudgetSpent as spent:
                self.stopped = self.stopped or str(spent)
                return
            finally:
                permits.release()
            done += 1
            self.tell(done, len(items), what)

        async with trio.open_nursery() as nursery:
            for item in items:
                await permits.acquire()
                self.stopped = self.stopped or await self.account.exhausted()
                if self.stopped is not None:
                    permits.release()
                    break
                begun += 1
                nursery.start_soon(one, item)
                # Tasks that are started together run in any order; cases begin in theirs.
                await trio.lowlevel.checkpoint()
        return begun
