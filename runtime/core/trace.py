"""What a trace hook is told. Unused, it costs one `is None` test."""

import logging
from collections.abc import Callable
from typing import Literal, TypeAlias

import attrs

_log = logging.getLogger(__name__)
Kind: TypeAlias = Literal[
    "started", "stopped", "crashed", "restarted", "begun", "ended", "cancelled", "dead_letter"
]


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
"""Synchronous. One that raises is logged and changes nothing."""


def emit(trace: Trace, event: TraceEvent) -> None:
    try:
        trace(event)
    except Exception:
        _log.exception("a trace hook raised; the actors go on")
