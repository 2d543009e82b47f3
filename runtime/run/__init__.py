"""One run while it runs: its record in the making, what it paid, its limits and how it stops."""

from ..core import RunGuard
from .days import Accounts, DayLimits
from .ledger import Ledger
from .limits import Limits
from .run import CALLS, Run, RunInfo, is_over
from .stamp import Stamp
from .step import Step
from .turn import Turn

__all__ = [
    "CALLS",
    "Accounts",
    "DayLimits",
    "Ledger",
    "Limits",
    "Run",
    "RunGuard",
    "RunInfo",
    "Stamp",
    "Step",
    "Turn",
    "is_over",
]
