"""What a run's end means to whoever called the command."""

from __future__ import annotations

from ..store.records import TernHead

ANSWERED, FAILED, WRONG_USE, FILE_ERRORS, NOT_GOOD, PAUSED, LIMIT, INTERRUPTED = 0, 1, 2, 3, 4, 5, 6, 130

_FIRST = (INTERRUPTED, FILE_ERRORS, FAILED, LIMIT, NOT_GOOD, PAUSED)
"""Of several runs the first of these that occurs wins."""


def exit_code(tern: TernHead) -> int:
    """The exit code of one run, from its record alone."""
    if tern.status == "answered":
        return ANSWERED
    if tern.status == "paused":
        return PAUSED
    if tern.status in ("cancelled", "abandoned", "running"):
        return INTERRUPTED
    if tern.limits:
        return LIMIT
    if tern.status == "guarded" or tern.code == "step.agent.quality-gate":
        return NOT_GOOD
    return FAILED


def worst(codes: list[int]) -> int:
    """The exit code of a batch."""
    return next((code for code in _FIRST if code in codes), ANSWERED)
