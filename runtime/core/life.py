"""A message on its way, a child of a supervisor, and one of that child's lives."""

import logging
from collections.abc import Awaitable, Callable
from contextvars import Context
from math import inf
from typing import Any, Literal, TypeAlias

import attrs
import trio
from trio.lowlevel import RaiseCancelT, Task

from .trace import Kind, Trace, TraceEvent

Restart: TypeAlias = Literal["permanent", "transient", "temporary"]
_log = logging.getLogger(__name__)


@attrs.define(eq=False)
class Envelope:
    """`asker` is parked until it is settled, `sender` is a teller that waits for room, `gone`: nobody waits."""

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
    """Messages `waiting`, `blocked` (no room to wait) and `in_flight` now; since the start, those `handled` with a
    reply, `failed` with a `StepFailure`, `cancelled` in flight, `dropped` because their asker left before they
    began, and dead letters. Crashes and restarts are of the actor."""

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
    """One instance. `scope` ends it at once; `retired` asks it to finish what it has begun, because of `cause` and,
    if it ended by itself, to be renewed. `superseded`: its supervisor has seen to that."""

    scope: trio.CancelScope
    retired: trio.Event = attrs.field(factory=trio.Event)
    is_open: bool = False
    renew: bool = False
    superseded: bool = False
    cause: BaseException | None = None
    begun: dict[Envelope, None] = attrs.field(factory=dict)
    handle: Callable[[Any], Awaitable[Any]] = attrs.field(init=False)
    nursery: trio.Nursery = attrs.field(init=False)

    def retire(self, cause: BaseException | None = None, *, renew: bool = False) -> None:
        if not self.retired.is_set():
            self.cause, self.renew = cause, renew
            self.retired.set()
            if not self.is_open:  # in its backoff or set-up: nothing to finish
                self.scope.cancel()


@attrs.define(eq=False)
class Child:
    """What actors and supervisors have in common."""

    name: str
    _restart: Restart
    _service: bool
    _trace: Trace | None
    _lives: dict[Life, None] = attrs.field(factory=dict, init=False)
    _closed: bool = attrs.field(default=False, init=False)
    _counts: MailboxStatistics = attrs.field(factory=MailboxStatistics, init=False)

    def _crash(self, cause: BaseException) -> None:
        self._counts.crashed += 1
        self._emit("crashed", error=cause)

    def _emit(
        self, kind: Kind, message: object = None, error: BaseException | None = None, delay: float = 0.0
    ) -> None:
        if self._trace is not None:
            try:
                self._trace(TraceEvent(kind, self.name, message, error, delay))
            except Exception:
                _log.exception("a trace hook raised; the actors go on")
