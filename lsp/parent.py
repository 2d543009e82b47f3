"""The process that started this one: once it is gone, nobody is left to serve."""

from __future__ import annotations

import os
import sys
from collections.abc import Callable

import trio

INTERVAL = 3.0
"""Seconds between two looks. A parent that ends closes our input as a rule, so this is the second net."""


def parent_is_gone(pid: int) -> bool:
    """Whether the process of that number has ended. On Windows never: asking could end it."""
    if sys.platform == "win32":
        return False
    try:
        os.kill(pid, 0)
    except (ProcessLookupError, OverflowError):
        return True
    except PermissionError:
        return False
    return False


async def watch_parent(
    pid: int, leave: Callable[[], None], gone: Callable[[int], bool] = parent_is_gone
) -> None:
    """Call `leave` once the process has ended. One that is not there from the start is not waited for: an
    editor outside of this container has a number that means nothing here."""
    if pid <= 0 or gone(pid):
        return
    while not gone(pid):  # noqa: ASYNC110  (no event tells of another process's end)
        await trio.sleep(INTERVAL)
    leave()
