"""An agent's tools: how they are offered to its model, and what becomes of a call."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

import attrs
import msgspec

from ...dsl.json_schema import params_schema
from ...dsl.plan import ToolPlan
from ...dsl.shapes import TypeInfo
from ..expr import to_json
from ..judge.protocol import ToolCall, ToolSpec
from ..run import Run, Step, events
from ..store.records import ToolCallRecord
from .messages import ToolRef, ToolResult, ToolTask

MASK = "•••"


@attrs.frozen(eq=False)
class ToolBox:
    """The tools of one agent, by the name that its model calls them."""

    tools: Mapping[str, tuple[ToolPlan, ToolRef]]
    specs: tuple[ToolSpec, ...] = ()

    async def use(
        self, run: Run, step: Step, call: ToolCall, attempt: int, calls: list[Mapping[str, Any]]
    ) -> str:
        """Runs one call and tells what the model is to read. Whatever goes wrong is a result, never an exception."""
        started = run.stamp()
        given, result = await self._run(run, step, call, attempt)
        calls.append(
            {
                "tool": call.name,
                "input": given,
                "output": result.output,
                "error": result.error,
                "status": result.status,
            }
        )
        plan = self.tools[call.name][0] if call.name in self.tools else None
        secrets = _secrets(plan, given)
        step.tool_calls.append(
            ToolCallRecord(
                tool=call.name,
                input=masked(given, secrets),
                output=masked(result.output, secrets),
                error=masked(result.error, secrets),
                status=result.status,  # type: ignore[arg-type]
                attempt=attempt,
                id=call.id,
                started=started,
                ended=run.stamp(),
            )
        )
        if run.hooks:
            run.emit(
                events.ToolCalled(
                    run=run.info.id, at=run.now(), step=step.id, tool=call.name, status=result.status
                )
            )
        if result.status == "succeeded":
            return result.output if isinstance(result.output, str) else to_json(result.output)
        return f"error ({result.status}): {result.error}"

    async def _run(self, run: Run, step: Step, call: ToolCall, attempt: int) -> tuple[Any, ToolResult]:
        if call.name not in self.tools:
            known = ", ".join(self.tools) or "none"
            return None, ToolResult("refused", error=f"there is no tool {call.name}; there are: {known}")
        try:
            given = msgspec.json.decode(call.arguments or "{}")
        except (msgspec.DecodeError, RecursionError) as error:
            return call.arguments, ToolResult("refused", error=f"the arguments are not JSON ({error})")
        if not isinstance(given, dict):
            return given, ToolResult("refused", error="the arguments must be one object")
        _, ref = self.tools[call.name]
        return given, await ref.ask(ToolTask(run, step, call.name, given, attempt))


def tool_specs(tools: Sequence[ToolPlan], types: Mapping[str, TypeInfo]) -> tuple[ToolSpec, ...]:
    """What a model is told of Python tools."""
    return tuple(
        ToolSpec(
            tool.name,
            tool.description or tool.name,
            params_schema(
                ((p.name, p.shape, p.optional or p.default is not None, None) for p in tool.params), types
            ),
        )
        for tool in tools
        if tool.python is not None
    )


def _secrets(plan: ToolPlan | None, given: Any) -> tuple[str, ...]:
    if plan is None or not isinstance(given, dict):
        return ()
    found = (given.get(name) for name in plan.secret)
    return tuple(value if isinstance(value, str) else to_json(value) for value in found if value is not None)


def masked(value: Any, secrets: tuple[str, ...]) -> Any:
    """A copy in which every secret is masked, also where it stands inside another text."""
    if not secrets:
        return value
    if isinstance(value, str):
        for secret in sorted(secrets, key=len, reverse=True):
            value = value.replace(secret, MASK) if secret else value
        return value
    if isinstance(value, dict):
        return {masked(key, secrets): masked(item, secrets) for key, item in value.items()}
    if isinstance(value, list):
        return [masked(item, secrets) for item in value]
    if value is None or isinstance(value, bool):
        return value
    return MASK if to_json(value) in secrets else value
