"""Where in a user's own Python an error was raised."""

from __future__ import annotations

from pathlib import Path

HOOK_MODULE = "judgeflow_hook_"
"""What the names of modules begin with that a `python "file.py:function"` names."""


def place_in_hook(error: BaseException | None) -> str:
    """` (checks.py:12)`: the innermost line of a hook's file that the error came through, or nothing."""
    while isinstance(error, BaseExceptionGroup):
        error = error.exceptions[0]
    place = ""
    trace = error.__traceback__ if error is not None else None
    while trace is not None:
        frame = trace.tb_frame
        if str(frame.f_globals.get("__name__")).startswith(HOOK_MODULE):
            place = f" ({Path(frame.f_code.co_filename).name}:{trace.tb_lineno})"
        trace = trace.tb_next
    return place or (place_in_hook(error.__cause__) if error is not None else "")
