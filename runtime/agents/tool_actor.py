"""A declared tool as an actor: arguments are validated, the call is bounded in time, the result in size."""

from __future__ import annotations

import math
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import attrs
import msgspec
import trio

from ...dsl.plan import ToolPlan
from ...dsl.shapes import TypeInfo
from ..expr import to_json
from ..judge.errors import ConfigurationError
from .classes import Classes, plain
from .decode import Decoder
from .messages import ToolResult, ToolTask
from .python import load_function

MOST_CHARACTERS = 1_000_000
"""A larger result is refused: no model could read it, and a record must stay readable."""

ToolHandler = Callable[[ToolTask], Awaitable[ToolResult]]
ToolAnswers = Callable[[ToolTask], Any]
"""A use of a tool: its result."""


@attrs.frozen(eq=False)
class ToolParts:
    plan: ToolPlan
    root: Path
    types: Mapping[str, TypeInfo]
    classes: Classes
    answers: ToolAnswers | None = None
    """Written-down results that stand in for the tool."""


@asynccontextmanager
async def tool_behaviour(parts: ToolParts) -> AsyncIterator[ToolHandler]:
    """A Python tool. Its module lives as long as the actor."""
    plan = parts.plan
    if parts.answers is not None:
        yield _scripted(parts, parts.answers)
        return
    if plan.python is None:
        raise ConfigurationError(
            f"the tool {plan.name} runs an MCP server: install it with pip install 'judgeflow[mcp]'",
            code="tool.no-mcp",
        )
    function = load_function(plan.python, parts.root)
    decoder = Decoder(parts.types)

    async def handle(task: ToolTask) -> ToolResult:
        values, violations = checked_arguments(plan, decoder, task.values)
        if violations:
            return ToolResult("refused", error="; ".join(violations))
        await task.run.guard.check()
        task.run.guard.begin()
        try:
            with trio.move_on_after(plan.timeout if plan.timeout is not None else math.inf) as scope:
                output = plain(
                    await function(**{name: parts.classes.built(value) for name, value in values.items()})
                )
        except trio.Cancelled:
            raise
        except Exception as error:
            return ToolResult("failed", error=f"{type(error).__name__}: {error}")
        finally:
            task.run.guard.end()
        if scope.cancelled_caught:
            return ToolResult("timed_out", error=f"no result within {plan.timeout:g} s")
        return _result(plan, decoder, output)

    yield handle


def _scripted(parts: ToolParts, answers: ToolAnswers) -> ToolHandler:
    plan, decoder = parts.plan, Decoder(parts.types)

    async def handle(task: ToolTask) -> ToolResult:
        values, violations = checked_arguments(plan, decoder, task.values)
        if violations and plan.mcp is None:
            return ToolResult("refused", error="; ".join(violations))
        await task.run.guard.check()
        return _result(plan, decoder, answers(msgspec.structs.replace(task, values=values)))

    return handle


def checked_arguments(
    plan: ToolPlan, decoder: Decoder, given: Mapping[str, Any]
) -> tuple[dict[str, Any], list[str]]:
    """The arguments as values of the declared shapes, or everything that is wrong with them."""
    violations = [
        f"{name}: {plan.name} has no such parameter"
        for name in given
        if name not in {p.name for p in plan.params}
    ]
    values: dict[str, Any] = {}
    for param in plan.params:
        if given.get(param.name) is None:
            if param.default is None and not param.optional:
                violations.append(f"{param.name}: is missing")
            elif param.default is None:
                values[param.name] = None
            continue
        value, wrong = decoder.decode(param.shape, given[param.name])
        violations.extend(f"{param.name}{fault.removeprefix('$')}" for fault in wrong)
        values[param.name] = value
    return values, violations


def _result(plan: ToolPlan, decoder: Decoder, output: Any) -> ToolResult:
    if plan.result is not None:
        output, violations = decoder.decode(plan.result, output)
        if violations:
            return ToolResult("failed", error=f"the result has the wrong shape: {'; '.join(violations)}")
    if len(to_json(output)) > MOST_CHARACTERS:
        return ToolResult("failed", error=f"the result is larger than {MOST_CHARACTERS:,} characters")
    return ToolResult("succeeded", output)
