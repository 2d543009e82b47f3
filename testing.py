"""Tests of programs from Python: scripted models, one judge alone, time that takes none.

    from judgeflow.testing import script

    with script({"writer": ["Too long. Really.", "Short."]}):
        result = await program.run("What are terns?")

`pytest flow.judge` runs the `test` blocks of a file without any Python.
"""

from __future__ import annotations

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .runtime.judge.errors import TestSetupError
    from .runtime.scripted import script
    from .runtime.testing.blocks import TestOutcome, run_block
    from .runtime.testing.cancellations import Cancellations, Cut, every_cancellation
    from .runtime.testing.clocks import run, wall_clock
    from .runtime.testing.one_judge import judge
    from .runtime.testing.watched import Watch

_HOME = {
    "Cancellations": "runtime.testing.cancellations",
    "Cut": "runtime.testing.cancellations",
    "TestOutcome": "runtime.testing.blocks",
    "TestSetupError": "runtime.judge.errors",
    "Watch": "runtime.testing.watched",
    "every_cancellation": "runtime.testing.cancellations",
    "judge": "runtime.testing.one_judge",
    "run": "runtime.testing.clocks",
    "run_block": "runtime.testing.blocks",
    "script": "runtime.scripted",
    "wall_clock": "runtime.testing.clocks",
}

__all__ = [
    "Cancellations",
    "Cut",
    "TestOutcome",
    "TestSetupError",
    "Watch",
    "every_cancellation",
    "judge",
    "run",
    "run_block",
    "script",
    "wall_clock",
]


def __getattr__(name: str) -> Any:
    home = _HOME.get(name)
    if home is None:
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    return getattr(import_module(f".{home}", __package__), name)


def __dir__() -> list[str]:
    return sorted(__all__)
