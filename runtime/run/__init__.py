"""One run while it runs: its record in the making, what it paid, its limits and how it stops."""

from .guard import RunGuard
from .ledger import Ledger
from .limits import Limits
from .run import Run, RunInfo, Stamp
from .step import Step

__all__ = ["Ledger", "Limits", "Run", "RunGuard", "RunInfo", "Stamp", "Step"]
