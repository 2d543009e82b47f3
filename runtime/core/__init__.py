"""The actor kernel: supervised actors, their mailboxes, the cancellation guard. No model, no judge."""

# General layout, in reading order:
#   exceptions   what can go wrong: a `StepFailure` is a value for the asker, anything else is a bug
#   cancel       the check, our own handle, shielded clean-up, deadlines that shrink
#   trace        what a hook is told
#   spec         what an author writes
#   life         a message on its way, and one life of an actor
#   actor        ask and tell; the hot path is `ask` -> `_begin` -> `_handle` -> `_end`
#   supervisor   who is restarted, when and with whom; the order of a stop

from .actor import ActorRef
from .cancel import CancelHandle, check, shielded, shrink
from .exceptions import (
    AbortError,
    ActorCrashed,
    ActorFailure,
    ActorStopped,
    AskTimeout,
    Finished,
    MailboxFull,
    RestartsExhausted,
    StepFailure,
)
from .life import MailboxStatistics
from .spec import ActorSpec, Backoff, Behaviour, Intensity, Restart, Strategy, SupervisorSpec, stateless
from .supervisor import Supervisor, open_supervisor
from .trace import Trace, TraceEvent

__all__ = [
    "AbortError", "ActorCrashed", "ActorFailure", "ActorRef", "ActorSpec", "ActorStopped", "AskTimeout",
    "Backoff", "Behaviour", "CancelHandle", "Finished", "Intensity", "MailboxFull", "MailboxStatistics",
    "Restart", "RestartsExhausted", "StepFailure", "Strategy", "Supervisor", "SupervisorSpec", "Trace",
    "TraceEvent", "check", "open_supervisor", "shielded", "shrink", "stateless",
]  # fmt: skip
