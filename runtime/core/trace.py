"""What there is to watch: the events that a trace hook is told, and the counts of a mailbox."""

from collections.abc import Callable
from typing import Literal, TypeAlias

import attrs

Kind = Literal["started", "stopped", "crashed", "restarted", "begun", "ended", "cancelled", "dead_letter"]


@attrs.frozen
class TraceEvent:
    """`error` is what a crash or an ended handler raised, `delay` the seconds until the next set-up.

    Messages and errors arrive as they are: a hook that writes them down answers for what they hold.
    """

    kind: Kind
    name: str
    message: object = None
    error: BaseException | None = None
    delay: float = 0.0


Trace: TypeAlias = Callable[[TraceEvent], None]
"""Synchronous. One that raises is logged and changes nothing; unused, it costs one `is None` test."""


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
