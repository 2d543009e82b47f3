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


def can_be_watched(pid: int, gone: Callable[[int], bool] = parent_is_gone) -> bool:
    """Whether the process is there: an editor outside of this container has a number that means nothing here. To be
    asked before the editor is told anything, lest it ends in between."""
    return pid > 0 and not gone(pid)


async def watch_parent(
    pid: int, leave: Callable[[], None], gone: Callable[[int], bool] = parent_is_gone
) -> None:
    """Call `leave` once the process, which was there, has ended."""
    while not gone(pid):  # noqa: ASYNC110  (no event tells of another process's end)
        await trio.sleep(INTERVAL)
    leave()
