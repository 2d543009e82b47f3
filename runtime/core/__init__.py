"""The actor kernel: supervised actors, their mailboxes, the cancellation guard. No model, no judge."""

# General layout, in reading order:
#   errors       what can go wrong: a `StepFailure` is a value for the asker, anything else is a bug
#   guard        the three checks, and how a run stops
#   trace        what there is to watch: events and counts
#   spec         what an author writes
#   actor        a message on its way, a life, ask and tell; hot: `ask` -> `_handled` -> `_settle`
#   supervisor   who is restarted, when and with whom; the order of a stop

from .actor import ActorRef
from .errors import ActorCrashed, ActorFailure, ActorStopped, AskTimeout, Finished, MailboxFull, StepFailure
from .guard import RunGuard
from .spec import ActorSpec, Backoff, Behaviour, Intensity, Restart, Strategy, SupervisorSpec, stateless
from .supervisor import RestartsExhausted, Supervisor, open_supervisor
from .trace import MailboxStatistics, Trace, TraceEvent

__all__ = [
    "ActorCrashed", "ActorFailure", "ActorRef", "ActorSpec", "ActorStopped", "AskTimeout", "Backoff",
    "Behaviour", "Finished", "Intensity", "MailboxFull", "MailboxStatistics", "Restart",
    "RestartsExhausted", "RunGuard", "StepFailure", "Strategy", "Supervisor", "SupervisorSpec", "Trace",
    "TraceEvent", "open_supervisor", "stateless",
]  # fmt: skip
