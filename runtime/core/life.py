"""A message on its way, one life of an actor, and what is counted."""

from collections.abc import Awaitable, Callable
from contextvars import Context
from math import inf
from typing import Any, TypeAlias

import attrs
import trio
from trio.lowlevel import RaiseCancelT, Task

Cause: TypeAlias = BaseException | None


@attrs.define(eq=False)
class Envelope:
    """`asker` is parked until it is settled, `sender` is a teller that waits for room; `gone`: dropped."""

    message: object
    asker: Task | None = None
    deadline: float = inf
    sender: Task | None = None
    context: Context | None = None
    scope: trio.CancelScope | None = None
    raise_cancel: RaiseCancelT | None = None
    gone: bool = False


@attrs.define(kw_only=True)
class MailboxStatistics:
    """Messages `waiting`, `blocked` (no room to wait) and `in_flight` now; since the start, those `handled`
    with a reply, `failed` with a `StepFailure`, `cancelled` in flight, `dropped` because their asker left
    before they began, and dead letters. Crashes and restarts are of the actor."""

    waiting: int = 0
    blocked: int = 0
    in_flight: int = 0
    handled: int = 0
    failed: int = 0
    cancelled: int = 0
    dropped: int = 0
    dead_letters: int = 0
    crashed: int = 0
    restarts: int = 0


@attrs.define(eq=False)
class Life:
    """One instance. `scope` ends it at once, `retired` lets it finish what it has begun. `renew`: it ended by
    itself, of `cause` or because it was done; `superseded`: its supervisor has decided what follows."""

    scope: trio.CancelScope
    retired: trio.Event = attrs.field(factory=trio.Event)
    is_open: bool = False
    renew: bool = False
    superseded: bool = False
    cause: Cause = None
    begun: dict[Envelope, None] = attrs.field(factory=dict)
    handle: Callable[[Any], Awaitable[Any]] = attrs.field(init=False)
    nursery: trio.Nursery = attrs.field(init=False)

    def retire(self, cause: Cause = None, *, renew: bool = False) -> None:
        if not self.retired.is_set():
            self.cause, self.renew = cause, renew
            self.retired.set()
            if not self.is_open:  # in its backoff or set-up: nothing to finish
                self.scope.cancel()
