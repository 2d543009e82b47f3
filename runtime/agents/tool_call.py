"""One call of a tool, whatever the tool is: bounded in time, its result in size."""

from __future__ import annotations

import math
from collections.abc import Awaitable, Callable
from typing import Any

import trio

from ...dsl.plan import ToolPlan
from ..expr import to_json
from .messages import ToolResult, ToolTask

MOST_CHARACTERS = 1_000_000
"""A larger result is refused: no model could read it, and a record must stay readable."""


async def timed(plan: ToolPlan, task: ToolTask, call: Callable[[], Awaitable[ToolResult]]) -> ToolResult:
    """A call as one that the run has under way, within the tool's time."""
    await task.run.guard.check()
    task.run.guard.begin()
    try:
        with trio.move_on_after(plan.timeout if plan.timeout is not None else math.inf):
            return await call()
    finally:
        task.run.guard.end()
    return ToolResult("timed_out", error=f"no result within {plan.timeout:g} s")


def bounded(output: Any) -> ToolResult:
    """A result that is small enough to be used."""
    if len(to_json(output)) > MOST_CHARACTERS:
        return ToolResult("failed", error=f"the result is larger than {MOST_CHARACTERS:,} characters")
    return ToolResult("succeeded", output)
