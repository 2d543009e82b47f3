"""An MCP server as a process: JSON-RPC, a message a line, over its standard input and output.

Source: Model Context Protocol, stdio transport, revisions 2024-11-05 to 2025-11-25. Only tools are used; what else a
server asks of its client is refused as the protocol says.
"""

from __future__ import annotations

import math
import os
import shlex
import signal
from collections.abc import AsyncIterator, Mapping, Sequence
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from subprocess import PIPE
from typing import Any

import attrs
import msgspec
import trio

from ..version import __version__

PROTOCOL = "2025-06-18"
START_WITHIN = 60.0
"""Seconds that a server has to answer for the first time; some are downloaded before that."""
LEAVE_WITHIN = 2.0
"""Seconds that it has to leave by itself when its input ends."""
MOST_BYTES = 16 * 1024 * 1024
"""A longer line is not read: no result of that size could be used."""
MOST_PAGES = 100
_NO_SUCH_METHOD = -32601
_LAST_WORDS = 2000


class McpFailure(Exception):
    """The server cannot be started, has ended, or does not speak the protocol. The message says which."""


class McpRefusal(Exception):
    """The server answered a request with an error of the protocol."""


@attrs.frozen
class McpFunction:
    """One of a server's tools. `parameters` is its JSON Schema."""

    name: str
    description: str
    parameters: Mapping[str, Any]


@attrs.define(eq=False)
class _Waiting:
    settled: trio.Event = attrs.field(factory=trio.Event)
    answer: Mapping[str, Any] | None = None


@asynccontextmanager
async def open_mcp(command: str, folder: Path, environ: Mapping[str, str]) -> AsyncIterator[McpServer]:
    """Starts a server and greets it. Raises `McpFailure`. Its whole process group is gone when the block ends."""
    process = await _started(command, folder, environ)
    server = McpServer(process)
    try:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(server.read)
            nursery.start_soon(server.write)
            nursery.start_soon(server.listen)
            try:
                await server.greet()
                yield server
            finally:
                with trio.CancelScope(shield=True):
                    await _leave(process)
                nursery.cancel_scope.cancel()
    except BaseExceptionGroup as group:
        # The tasks of the server raise nothing of their own.
        alone = group.exceptions[0] if len(group.exceptions) == 1 else None
        if alone is None:
            raise
        raise alone from None


async def _started(command: str, folder: Path, environ: Mapping[str, str]) -> trio.Process:
    words = _words(command)
    try:
        # A session of its own: Ctrl-C is for us, and what we end is the whole group.
        return await trio.lowlevel.open_process(
            words, stdin=PIPE, stdout=PIPE, stderr=PIPE, cwd=folder, env=environ, start_new_session=True
        )
    except OSError as error:
        what = f"there is no command `{words[0]}`" if isinstance(error, FileNotFoundError) else str(error)
        raise McpFailure(f"cannot be started: {what}") from None


def _words(command: str) -> Sequence[str]:
    try:
        words = shlex.split(command)
    except ValueError as error:
        raise McpFailure(f"cannot be started: the command cannot be read ({error})") from None
    if not words:
        raise McpFailure("cannot be started: the command is empty")
    return words


async def _leave(process: trio.Process) -> None:
    """The end of its input asks a server to leave; one that stays is ended, with all that it has started."""
    assert process.stdin is not None
    with trio.move_on_after(LEAVE_WITHIN):
        with suppress(trio.BrokenResourceError):
            await process.stdin.aclose()
        await process.wait()
    if process.returncode is None:
        _signal(process, signal.SIGTERM)
        with trio.move_on_after(LEAVE_WITHIN / 2):
            await process.wait()
    _signal(process, signal.SIGKILL)
    await process.wait()


def _signal(process: trio.Process, number: int) -> None:
    with suppress(ProcessLookupError, PermissionError):
        os.killpg(process.pid, number)


class McpServer:
    """A running server. Any number of requests may be under way."""

    def __init__(self, process: trio.Process) -> None:
        self._process = process
        self._waiting: dict[int, _Waiting] = {}
        self._next = 1
        self._outbox, self._unsent = trio.open_memory_channel[bytes](math.inf)
        self._ended: str | None = None
        self._last_words = b""
        self._functions: dict[str, McpFunction] | None = None

    async def functions(self) -> Mapping[str, McpFunction]:
        """Its tools by name; asked for once, and again when it says that they have changed."""
        if self._functions is None:
            with trio.move_on_after(START_WITHIN):
                found = self._functions = await self._listed()
                return found
            raise McpFailure(f"did not list its tools within {START_WITHIN:g} s")
        return self._functions

    async def _listed(self) -> dict[str, McpFunction]:
        found: dict[str, McpFunction] = {}
        cursor: str | None = None
        for _ in range(MOST_PAGES):
            page = await self._request("tools/list", {"cursor": cursor} if cursor else {})
            for tool in _dicts(page.get("tools")):
                name = str(tool.get("name"))
                schema = tool.get("inputSchema")
                found[name] = McpFunction(
                    name, str(tool.get("description") or name), schema if isinstance(schema, dict) else {}
                )
            cursor = page.get("nextCursor")
            if not cursor:
                break
        return found

    async def call(self, function: str, arguments: Mapping[str, Any]) -> Mapping[str, Any]:
        """The result of a tool, as the protocol has it. Raises `McpRefusal` and `McpFailure`."""
        return await self._request("tools/call", {"name": function, "arguments": dict(arguments)})

    async def greet(self) -> None:
        """The first exchange of the protocol."""
        with trio.move_on_after(START_WITHIN):
            try:
                await self._request(
                    "initialize",
                    {
                        "protocolVersion": PROTOCOL,
                        "capabilities": {},
                        "clientInfo": {"name": "judgeflow", "version": __version__},
                    },
                )
            except McpRefusal as refusal:
                raise McpFailure(f"refused to begin: {refusal}") from None
            self._send({"method": "notifications/initialized"})
            return
        raise McpFailure(f"did not answer within {START_WITHIN:g} s")

    async def _request(self, method: str, params: Mapping[str, Any]) -> Mapping[str, Any]:
        await trio.lowlevel.checkpoint()
        if self._ended is not None:
            raise McpFailure(self._ended)
        number, waiting = self._next, _Waiting()
        self._next += 1
        self._waiting[number] = waiting
        self._send({"id": number, "method": method, "params": params})
        try:
            await waiting.settled.wait()
        finally:
            del self._waiting[number]
            if not waiting.settled.is_set() and method != "initialize":
                # Whoever asked is gone: the server need not go on.
                self._send({"method": "notifications/cancelled", "params": {"requestId": number}})
        if waiting.answer is None:
            raise McpFailure(self._ended or "has ended")
        return _result(waiting.answer)

    def _send(self, message: Mapping[str, Any]) -> None:
        with suppress(trio.BrokenResourceError):
            self._outbox.send_nowait(msgspec.json.encode({"jsonrpc": "2.0", **message}) + b"\n")

    # -- its three tasks

    async def write(self) -> None:
        assert self._process.stdin is not None
        with suppress(trio.BrokenResourceError, trio.ClosedResourceError):
            async for line in self._unsent:
                await self._process.stdin.send_all(line)

    async def listen(self) -> None:
        """What it says on standard error is kept for the message that it has ended."""
        assert self._process.stderr is not None
        with suppress(trio.BrokenResourceError, trio.ClosedResourceError):
            async for chunk in self._process.stderr:
                self._last_words = (self._last_words + chunk)[-_LAST_WORDS:]

    async def read(self) -> None:
        why = await self._read_lines()
        if not why:
            with trio.move_on_after(1):
                await self._process.wait()
            why = self._how_it_ended()
        self._ended = why
        for waiting in self._waiting.values():
            waiting.settled.set()

    async def _read_lines(self) -> str:
        """Every message until the end; why it was not read to the end, if so."""
        assert self._process.stdout is not None
        begun: list[bytes] = []
        size = 0
        with suppress(trio.BrokenResourceError, trio.ClosedResourceError):
            async for chunk in self._process.stdout:
                first, *others = bytes(chunk).split(b"\n")
                begun.append(first)
                size += len(first)
                if others:
                    self._received(b"".join(begun))
                    for line in others[:-1]:
                        self._received(line)
                    begun, size = [others[-1]], len(others[-1])
                if size > MOST_BYTES:
                    return f"sent a line of more than {MOST_BYTES:,} bytes"
        return ""

    def _how_it_ended(self) -> str:
        code = self._process.returncode
        status = "" if code is None else f" (exit status {code})" if code >= 0 else f" (signal {-code})"
        words = self._last_words.decode(errors="replace").strip().splitlines()
        said = f": {words[-1][:200]}" if words else ""
        return f"has ended{status}{said}"

    def _received(self, line: bytes) -> None:
        """One message; what is none (a server that prints) is passed over."""
        message = _message(line)
        if not isinstance(message, dict):
            return
        number, method = message.get("id"), message.get("method")
        if isinstance(method, str):
            self._asked(method, number)
        elif isinstance(number, int) and number in self._waiting:
            self._waiting[number].answer = message
            self._waiting[number].settled.set()

    def _asked(self, method: str, number: object) -> None:
        if method == "notifications/tools/list_changed":
            self._functions = None
        elif number is not None and method == "ping":
            self._send({"id": number, "result": {}})
        elif number is not None:
            told = f"{method}: this client offers tools nothing else"
            self._send({"id": number, "error": {"code": _NO_SUCH_METHOD, "message": told}})


def _message(line: bytes) -> object:
    """What a line holds, None where that is no JSON. Bytes that are no UTF-8 are shown as such and lose no answer."""
    try:
        try:
            return msgspec.json.decode(line)
        except msgspec.DecodeError:
            return msgspec.json.decode(line.decode(errors="replace"))
    except (msgspec.DecodeError, RecursionError):
        return None


def _result(answer: Mapping[str, Any]) -> Mapping[str, Any]:
    error = answer.get("error")
    if isinstance(error, dict):
        raise McpRefusal(str(error.get("message") or error.get("code")))
    result = answer.get("result")
    return result if isinstance(result, dict) else {}


def _dicts(value: object) -> list[dict[str, Any]]:
    return [item for item in value if isinstance(item, dict)] if isinstance(value, list) else []
