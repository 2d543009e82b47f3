"""An agent's tools: how they are offered to its model, and what becomes of a call."""

from __future__ import annotations

import re
from collections.abc import Collection, Iterator, Mapping, Sequence
from contextlib import contextmanager
from typing import Any, NamedTuple, cast

import attrs

from ...dsl.json_schema import params_schema
from ...dsl.plan import ToolPlan
from ...dsl.shapes import TypeInfo
from ..expr import to_json, to_text
from ..judge.errors import StepError
from ..judge.protocol import ToolCall, ToolSpec
from ..judge.reading.strict_json import NotJson, parse, plain
from ..run import Run, Step, events
from ..store.records import ToolCallRecord
from .messages import McpRef, ToolList, ToolRef, ToolResult, ToolTask

MASK = "•••"


class Offered(NamedTuple):
    """One function that a model may call."""

    plan: ToolPlan
    ref: ToolRef
    function: str
    """Its name in the record: the tool's, dotted for a function of an MCP server."""
    spec: ToolSpec


Offer = Mapping[str, Offered]
"""What an agent's model may call, by the name that the model uses."""


@attrs.frozen(eq=False)
class ToolBox:
    """The tools of one agent: Python functions, which are known beforehand, and servers, which have to be asked."""

    functions: Offer
    servers: tuple[tuple[ToolPlan, ToolRef], ...] = ()

    async def offer(self) -> Offer:
        """`StepError` where a server cannot say what it has."""
        if not self.servers:
            return self.functions
        found = dict(self.functions)
        for plan, ref in self.servers:
            listing = await cast(McpRef, ref).ask(ToolList())
            if listing.error is not None:
                raise StepError(listing.error, code="step.tool.failed", step=plan.name)
            for function in listing.functions:
                name = callable_name(f"{plan.name}__{function.name}", found)
                spec = ToolSpec(name, function.description, dict(function.parameters))
                found[name] = Offered(plan, ref, f"{plan.name}.{function.name}", spec)
        return found


@attrs.frozen(eq=False)
class ToolUse:
    """The tools of one visit. `calls` gets the real values, for judges; `secrets` those that must not reach a
    record."""

    run: Run
    step: Step
    offer: Offer
    calls: list[Mapping[str, Any]]
    secrets: set[str]

    async def use(self, call: ToolCall, attempt: int) -> str:
        """Runs one call and tells what the model is to read. Whatever goes wrong is a result, never an exception."""
        offered = self.offer.get(call.name) or self._of_function(call.name)
        plan, function = (None, call.name) if offered is None else (offered.plan, offered.function)
        given, refusal = _arguments(call)
        secrets = secrets_of(plan, given)
        self.secrets.update(secrets)
        with recorded(self.run, self.step, function, given, secrets, attempt, call.id) as record:
            record(refusal or await self._run(offered, call.name, given, attempt))
        result = record.result
        self.calls.append(
            {
                "tool": function,
                # What is no object has no fields: a judge that reads one finds null, as for any missing data.
                "input": given if isinstance(given, dict) else None,
                "output": result.output,
                "error": result.error,
                "status": result.status,
            }
        )
        if result.status == "succeeded":
            return result.output if isinstance(result.output, str) else to_json(result.output)
        return f"error ({result.status}): {result.error}"

    def _of_function(self, name: str) -> Offered | None:
        """A model, or a script, may call a server's function by the name that the file has for it."""
        return next((each for each in self.offer.values() if each.function == name), None)

    async def _run(self, offered: Offered | None, name: str, given: Any, attempt: int) -> ToolResult:
        if offered is None:
            known = ", ".join(self.offer) or "none"
            return ToolResult("refused", error=f"there is no tool {name}; there are: {known}")
        return await offered.ref.ask(ToolTask(self.run, self.step, offered.function, given, attempt))


_NO_NAME = re.compile(r"[^A-Za-z0-9_-]")
_LONGEST_NAME = 64


def callable_name(name: str, taken: Collection[str]) -> str:
    """A name that every service lets a model call: letters, digits, `_` and `-`, at most 64, and no other tool's."""
    plain = _NO_NAME.sub("_", name)[:_LONGEST_NAME]
    number = 2
    while plain in taken:
        tail = f"_{number}"
        plain = _NO_NAME.sub("_", name)[: _LONGEST_NAME - len(tail)] + tail
        number += 1
    return plain


def _arguments(call: ToolCall) -> tuple[Any, ToolResult | None]:
    """The arguments of a call, and the refusal of what is no JSON object."""
    try:
        given = plain(parse(call.arguments or "{}"))
    except NotJson as error:
        return call.arguments, ToolResult("refused", error=f"the arguments are not JSON ({error})")
    if not isinstance(given, dict):
        return given, ToolResult("refused", error="the arguments must be one object")
    return given, None


def tool_box(tools: Sequence[tuple[ToolPlan, ToolRef]], types: Mapping[str, TypeInfo]) -> ToolBox:
    """An agent's tools; what its model is told of a Python function comes from the tool's signature."""
    functions = {
        plan.name: Offered(plan, ref, plan.name, _spec(plan, types))
        for plan, ref in tools
        if plan.mcp is None
    }
    return ToolBox(functions, tuple((plan, ref) for plan, ref in tools if plan.mcp is not None))


def _spec(tool: ToolPlan, types: Mapping[str, TypeInfo]) -> ToolSpec:
    params = ((p.name, p.shape, p.optional or p.default is not None, None) for p in tool.params)
    return ToolSpec(tool.name, tool.description or tool.name, params_schema(params, types))


class _Recording:
    """Called with the result of a use; without one the use was cancelled."""

    __slots__ = ("result",)

    def __init__(self) -> None:
        self.result = ToolResult("cancelled", error="cancelled")

    def __call__(self, result: ToolResult) -> None:
        self.result = result


@contextmanager
def recorded(
    run: Run,
    step: Step,
    tool: str,
    given: Any,
    secrets: tuple[str, ...],
    attempt: int = 0,
    id: str | None = None,
    by: str | None = None,
) -> Iterator[_Recording]:
    """One use of a tool and its line in the record, secrets masked, however it ends. `by` is the judge that used it,
    where it was no agent and no flow."""
    started = run.stamp()
    recording = _Recording()
    try:
        yield recording
    except Exception as error:
        recording(ToolResult("failed", error=str(error)))
        raise
    finally:
        result = recording.result
        step.tool_calls.append(
            ToolCallRecord(
                tool=tool,
                input=masked(given, secrets) if isinstance(given, dict) or not secrets else MASK,
                output=masked(result.output, secrets),
                error=masked(result.error, secrets),
                status=result.status,
                attempt=attempt,
                id=id,
                by=by,
                started=started,
                ended=run.stamp(),
            )
        )
        if run.hooks:
            run.emit(
                events.ToolCalled(
                    run=run.info.id, at=run.now(), step=step.id, tool=tool, status=result.status
                )
            )


def secrets_of(plan: ToolPlan | None, given: Any) -> tuple[str, ...]:
    """The values of a call's secret parameters, as texts. Arguments that are no object are secret as a whole."""
    if plan is None or not plan.secret:
        return ()
    if not isinstance(given, dict):
        return (to_text(given),)
    found: list[str] = []
    for name in plan.secret:
        found.extend(_texts(given.get(name)))
    return tuple(found)


def _texts(value: Any) -> Iterator[str]:
    if isinstance(value, dict):
        value = list(value.values())
    if isinstance(value, list):
        for item in value:
            yield from _texts(item)
    elif value is not None and value != "" and not isinstance(value, bool):
        yield to_text(value)


def masked(value: Any, secrets: tuple[str, ...]) -> Any:
    """A copy in which every secret is masked, also where it stands inside another text."""
    if not secrets:
        return value
    if isinstance(value, str):
        for secret in sorted(secrets, key=len, reverse=True):
            value = value.replace(secret, MASK)
        return value
    if isinstance(value, dict):
        return {masked(key, secrets): masked(item, secrets) for key, item in value.items()}
    if isinstance(value, list | tuple):
        return [masked(item, secrets) for item in value]
    if value is None or isinstance(value, bool):
        return value
    return MASK if to_text(value) in secrets else value


def unmasked(value: Any, secrets: tuple[str, ...]) -> Any:
    """The real value of a masked one, where there is only one secret that it can have been."""
    if len(secrets) != 1:
        return value
    if isinstance(value, str):
        return value.replace(MASK, secrets[0])
    if isinstance(value, dict):
        return {unmasked(key, secrets): unmasked(item, secrets) for key, item in value.items()}
    if isinstance(value, list):
        return [unmasked(item, secrets) for item in value]
    return value
