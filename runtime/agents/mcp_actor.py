"""A tool that is an MCP server, as an actor: its process lives and dies with the actor, and is renewed with it.

The process is started by the first message. Where it cannot be started or has ended, whoever asked is told, this life
of the actor is over, and the next message meets a new one.
"""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager
from itertools import islice
from pathlib import Path
from typing import Any

import attrs
import trio

from ...dsl.plan import ToolPlan
from ...dsl.scorer_check import refuse_remote
from ...dsl.suggest import closest
from ..core import Finished
from .mcp_server import McpFailure, McpFunction, McpRefusal, McpServer, open_mcp
from .messages import ToolList, ToolListing, ToolResult, ToolTask
from .tool_call import bounded, timed

McpHandler = Callable[[ToolTask | ToolList], Awaitable[ToolResult | ToolListing]]
MOST_FAULTS = 8


@attrs.frozen(eq=False)
class McpParts:
    plan: ToolPlan
    root: Path
    environ: Mapping[str, str]
    """What the server's process sees of the environment."""


@asynccontextmanager
async def mcp_behaviour(parts: McpParts) -> AsyncIterator[McpHandler]:
    life = _Life(parts)
    async with trio.open_nursery() as nursery:
        nursery.start_soon(life.keep)
        yield life.handle
        nursery.cancel_scope.cancel()


@attrs.define(eq=False)
class _Life:
    parts: McpParts
    _wanted: trio.Event = attrs.field(factory=trio.Event)
    _settled: trio.Event = attrs.field(factory=trio.Event)
    _server: McpServer | None = None
    _failure: str = ""

    async def keep(self) -> None:
        """Holds the process, in a task of its own: whoever asked first may be gone before it is there."""
        await self._wanted.wait()
        command = self.parts.plan.mcp or ""
        try:
            async with open_mcp(command, self.parts.root, self.parts.environ) as self._server:
                self._settled.set()
                await trio.sleep_forever()
        except McpFailure as failure:
            self._failure = str(failure)
            self._settled.set()

    async def handle(self, message: ToolTask | ToolList) -> ToolResult | ToolListing:
        try:
            server = await self._started()
            if isinstance(message, ToolList):
                return await self._listing(server)
            return await self._call(server, message)
        except McpFailure as failure:
            told = self._told(str(failure))
            if isinstance(message, ToolList):
                raise Finished(ToolListing((), error=told)) from None
            raise Finished(ToolResult("failed", error=told)) from None

    async def _started(self) -> McpServer:
        self._wanted.set()
        await self._settled.wait()
        if self._server is None or self._failure:
            raise McpFailure(self._failure)
        return self._server

    def _told(self, what: str) -> str:
        plan = self.parts.plan
        place = f"{plan.origin.file}:{plan.origin.line}: " if plan.origin.file else ""
        fix = f'; correct `mcp "{plan.mcp}"` or install what it runs' if "cannot be started" in what else ""
        return f"{place}the MCP server of {plan.name} {what}{fix}"

    async def _listing(self, server: McpServer) -> ToolListing:
        found = await server.functions()
        wanted = self.parts.plan.only or tuple(found)
        for name in wanted:
            if name not in found:
                return ToolListing((), error=self._told(_no_function(name, found)))
        return ToolListing(tuple(found[name] for name in wanted))

    async def _call(self, server: McpServer, task: ToolTask) -> ToolResult:
        plan = self.parts.plan
        name = task.function.partition(".")[2]
        found = await server.functions()
        if name not in found or (plan.only and name not in plan.only):
            offered = {each: found[each] for each in found if not plan.only or each in plan.only}
            return ToolResult("refused", error=f"{plan.name} {_no_function(name, offered)}")
        if faults := faults_of(found[name], task.values):
            return ToolResult("refused", error="; ".join(faults))

        async def call() -> ToolResult:
            try:
                return _read(await server.call(name, task.values))
            except McpRefusal as refusal:
                return ToolResult("refused", error=str(refusal))

        return await timed(plan, task, call)


def _no_function(name: str, found: Mapping[str, McpFunction]) -> str:
    near = closest(name, found)
    meant = f"did you mean `{near}`?" if near else f"it has {', '.join(found) or 'none'}"
    return f"has no function `{name}`: {meant}"


def faults_of(function: McpFunction, values: Mapping[str, Any]) -> list[str]:
    """What is wrong with the arguments. A schema that is none itself, or lies elsewhere, checks nothing."""
    import jsonschema_rs  # noqa: PLC0415  # only where a server is called

    try:
        validator = jsonschema_rs.validator_for(dict(function.parameters), retriever=refuse_remote)
    except (jsonschema_rs.ReferencingError, ValueError, RecursionError):
        return []
    faults = []
    try:
        for error in islice(validator.iter_errors(dict(values)), MOST_FAULTS):
            path = "".join(f"[{at}]" if isinstance(at, int) else f".{at}" for at in error.instance_path)
            faults.append(f"${path}: {error.message}")
    except (ValueError, RecursionError):
        return ["$: is nested too deeply to be checked"]
    return faults


def _read(result: Mapping[str, Any]) -> ToolResult:
    """The structured content where there is one, else the text; what is neither is named."""
    content = result.get("content")
    texts = [_text(item) for item in content if isinstance(item, dict)] if isinstance(content, list) else []
    text = "\n".join(texts)
    if result.get("isError"):
        return ToolResult("failed", error=text or "the server gave no reason")
    structured = result.get("structuredContent")
    if structured is None:
        return bounded(text)
    if isinstance(structured, dict) and structured.keys() == {"result"}:
        # What is no object is sent inside one.
        return bounded(structured["result"])
    return bounded(structured)


def _text(item: Mapping[str, Any]) -> str:
    kind = item.get("type")
    if kind == "text":
        return str(item.get("text", ""))
    resource = item.get("resource")
    if kind == "resource" and isinstance(resource, dict) and "text" in resource:
        return str(resource["text"])
    return f"[{kind}: {item.get('mimeType') or item.get('uri') or 'not shown'}]"
