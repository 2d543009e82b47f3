"""The person at the terminal: who is asked what a flow wants approved."""

from __future__ import annotations

import os
import sys
from typing import Any

import trio

from ..expr import to_json
from ..flow.frame import Approver
from ..report.live import clean

ANSWERS = {"y": True, "yes": True, "n": False, "no": False}


def ask_on_terminal() -> Approver | None:
    """Asks on the terminal; without one nobody can be asked and the run pauses. Only yes and no are answers: anything
    else is asked again, and the end of the input (Ctrl-D) leaves the run waiting."""
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        return None
    one_at_a_time = trio.Lock()

    async def approve(question: str, showing: Any) -> bool | None:
        async with one_at_a_time:
            if os.environ.get("TERM") != "dumb":
                # The live view may have left a line there that is not ended.
                sys.stderr.write("\r\x1b[2K")
            for line in _shown(showing):
                print(line, file=sys.stderr)
            return await _answer(f"{clean(question)} [y/n] ")

    return approve


async def _answer(question: str) -> bool | None:
    while True:
        print(question, end="", file=sys.stderr, flush=True)
        line = await trio.to_thread.run_sync(_line, abandon_on_cancel=True)
        if not line:
            print(file=sys.stderr)
            return None
        if (said := line.strip().lower()) in ANSWERS:
            return ANSWERS[said]
        print("please answer y or n", file=sys.stderr)


def _line() -> str:
    """What was typed; empty at the end of the input, and where the terminal was closed meanwhile."""
    try:
        return sys.stdin.readline()
    except UnicodeDecodeError:
        return "\N{REPLACEMENT CHARACTER}\n"  # neither yes nor no
    except OSError:
        return ""


def _shown(showing: Any) -> list[str]:
    """What is approved, line by line; a model's text must not move the cursor."""
    if showing is None:
        return []
    text = showing if isinstance(showing, str) else to_json(showing)
    return [clean(line) for line in text.splitlines()]
