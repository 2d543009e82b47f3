"""A declared tool as an actor: arguments are validated, the call is bounded in time, the result in size."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from pathlib import Path
from typing import Any

import attrs
import msgspec

from ...dsl.plan import ToolPlan
from ...dsl.shapes import TypeInfo
from ..judge.errors import SerializationError
from .classes import Classes, json_data
from .decode import Decoder
from .mcp_actor import McpParts, mcp_behaviour
from .mcp_server import McpFunction
from .messages import ToolList, ToolListing, ToolResult, ToolTask
from .python import load_function
from .tool_call import bounded, timed

ToolHandler = Callable[[Any], Awaitable[Any]]
"""A `ToolTask` to its `ToolResult`; for an MCP server also a `ToolList` to its `ToolListing`."""
ToolAnswers = Callable[[ToolTask], Any]
"""A use of a tool: its result."""


@attrs.frozen(eq=False)
class ToolParts:
    plan: ToolPlan
    root: Path
    types: Mapping[str, TypeInfo]
    classes: Classes
    environ: Mapping[str, str]
    answers: ToolAnswers | None = None
    """Written-down results that stand in for the tool."""


@asynccontextmanager
async def tool_behaviour(parts: ToolParts) -> AsyncIterator[ToolHandler]:
    """A Python tool, whose module lives as long as the actor, or an MCP server, whose process does."""
    plan = parts.plan
    if parts.answers is not None:
        yield _scripted(parts, parts.answers)
        return
    if plan.mcp is not None:
        async with mcp_behaviour(McpParts(plan, parts.root, parts.environ)) as ask:
            yield ask
        return
    assert plan.python is not None
    function = load_function(plan.python, parts.root)
    decoder = Decoder(parts.types)

    async def handle(task: ToolTask) -> ToolResult:
        values, violations = checked_arguments(plan, decoder, task.values)
        if violations:
            return ToolResult("refused", error="; ".join(violations))

        async def call() -> ToolResult:
            given = {name: parts.classes.built(value) for name, value in values.items()}
            try:
                returned = await function(**given)
            except Exception as error:
                return ToolResult("failed", error=_told(error), cause=error)
            try:
                output = json_data(returned)
            except SerializationError as error:
                return ToolResult("failed", error=f"the result is no JSON: {error}")
            return _result(plan, decoder, output)

        return await timed(plan, task, call)

    yield handle


def _told(error: Exception) -> str:
    """What a model reads of it. A nursery's group says nothing itself, what is in it does."""
    if isinstance(error, ExceptionGroup):
        return "; ".join(map(_told, error.exceptions))
    text = str(error)
    return f"{type(error).__name__}: {text}" if text else type(error).__name__


def _scripted(parts: ToolParts, answers: ToolAnswers) -> ToolHandler:
    plan, decoder = parts.plan, Decoder(parts.types)

    async def handle(task: ToolTask | ToolList) -> Any:
        if isinstance(task, ToolList):
            return ToolListing(tuple(McpFunction(name, name, {"type": "object"}) for name in plan.only))
        if plan.mcp is None:
            values, violations = checked_arguments(plan, decoder, task.values)
            if violations:
                return ToolResult("refused", error="; ".join(violations))
            task = msgspec.structs.replace(task, values=values)
        await task.run.guard.check()
        return _result(plan, decoder, answers(task))

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
    return bounded(output)
