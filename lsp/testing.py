"""A bare client for tests and benchmarks: it sends what it is told to and shows what comes back, byte for
byte."""

from __future__ import annotations

import json
import subprocess
import sys
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from typing import Any

import msgspec
import trio

from .framing import Frames, frame

Message = dict[str, Any]


class RefusedError(Exception):
    """The server answered with an error; `code` is JSON-RPC's."""

    def __init__(self, error: Message) -> None:
        super().__init__(f"{error['code']}: {error['message']}")
        self.code: int = error["code"]


class BareClient:
    """One side of a connection. `run` reads in a task of its own; everything read stands in `received`."""

    def __init__(self, outgoing: trio.abc.SendStream, incoming: trio.abc.ReceiveStream) -> None:
        self.outgoing = outgoing
        self.incoming = incoming
        self.received: list[Message] = []
        self._arrived = trio.Event()
        self._next_id = 0

    async def run(self) -> None:
        frames = Frames()
        while data := await self.incoming.receive_some(65536):
            for body in frames.feed(data):
                self.received.append(json.loads(body))
            self._arrived.set()
            self._arrived = trio.Event()

    async def send(self, *messages: Message) -> None:
        """Send messages in one write."""
        await self.outgoing.send_all(b"".join(frame(msgspec.json.encode(message)) for message in messages))

    async def wait_for(self, wanted: Callable[[Message], bool], since: int = 0) -> Message:
        """The first message received from index `since` on that is wanted."""
        at = since
        while True:
            while at < len(self.received):
                if wanted(self.received[at]):
                    return self.received[at]
                at += 1
            await self._arrived.wait()

    async def answer(self, msg_id: int | str) -> Message:
        """The answer to a request, result or error."""
        return await self.wait_for(lambda message: message.get("id") == msg_id and "method" not in message)

    def asking(self, method: str, params: object = None) -> Message:
        """A request with an id of its own, to be sent."""
        self._next_id += 1
        return {"jsonrpc": "2.0", "id": self._next_id, "method": method, "params": params}

    async def request(self, method: str, params: object = None) -> Any:
        """The result of a request. RefusedError where the server refuses it."""
        message = self.asking(method, params)
        await self.send(message)
        answer = await self.answer(message["id"])
        if "error" in answer:
            raise RefusedError(answer["error"])
        return answer["result"]

    async def notify(self, method: str, params: object = None) -> None:
        await self.send(telling(method, params))

    # --- what every editor does ----------------------------------------------------------------------------

    async def initialize(self, capabilities: Message | None = None, **more: object) -> Message:
        """Connect; the server's capabilities."""
        params = {"processId": None, "rootUri": None, "capabilities": capabilities or {}, **more}
        result = await self.request("initialize", params)
        await self.notify("initialized", {})
        return result["capabilities"]  # type: ignore[no-any-return]

    async def open(self, uri: str, text: str, version: int = 1) -> Message:
        """Open a text; the diagnostics published for it."""
        since = len(self.received)
        document = {"uri": uri, "languageId": "judge", "version": version, "text": text}
        await self.notify("textDocument/didOpen", {"textDocument": document})
        return await self.published(uri, version, since)

    async def change(self, uri: str, version: int, *changes: Message) -> Message:
        """Edit a text; the diagnostics published for that version."""
        since = len(self.received)
        await self.send(changing(uri, version, *changes))
        return await self.published(uri, version, since)

    async def published(self, uri: str, version: int, since: int = 0) -> Message:
        """The parameters of the diagnostics published for a version of a text."""
        found = await self.wait_for(
            lambda message: (
                message.get("method") == "textDocument/publishDiagnostics"
                and message["params"]["uri"] == uri
                and message["params"].get("version") == version
            ),
            since,
        )
        return found["params"]  # type: ignore[no-any-return]

    async def leave(self) -> None:
        await self.request("shutdown")
        await self.notify("exit")


def telling(method: str, params: object = None) -> Message:
    """A notification, to be sent."""
    return {"jsonrpc": "2.0", "method": method, "params": params}


def changing(uri: str, version: int, *changes: Message) -> Message:
    return telling(
        "textDocument/didChange",
        {"textDocument": {"uri": uri, "version": version}, "contentChanges": list(changes)},
    )


def replacing(start: tuple[int, int], end: tuple[int, int], text: str) -> Message:
    """A change of the text between two places, each a line and a column."""
    (line, character), (last_line, last_character) = start, end
    return {
        "range": {
            "start": {"line": line, "character": character},
            "end": {"line": last_line, "character": last_character},
        },
        "text": text,
    }


COMMAND = (sys.executable, "-m", "judgeflow.lsp")


@asynccontextmanager
async def started(command: Sequence[str] = COMMAND) -> AsyncIterator[tuple[trio.Process, BareClient]]:
    """A server process and a client that reads from it. The process is killed if it is still there at the
    end."""
    async with trio.open_nursery() as nursery:
        process = await trio.lowlevel.open_process(
            list(command), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.PIPE
        )
        assert process.stdin is not None
        assert process.stdout is not None
        client = BareClient(process.stdin, process.stdout)
        nursery.start_soon(client.run)
        try:
            yield process, client
        finally:
            nursery.cancel_scope.cancel()
            if process.returncode is None:
                process.kill()
            with trio.CancelScope(shield=True, deadline=trio.current_time() + 5):
                await process.wait()
