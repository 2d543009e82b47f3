"""Calls through a socket: two chat calls a flow, many at once, against a server in a process of its own.

    python benchmarks/provider_socket.py [--flows 2000] [--at-once 64 256] [--latency 0.2]

Prints flows per second with an instant server, and the share of the ideal with one that takes its time, for
our providers and, in the same run, for the same exchange with nothing around it: an httpx client for all,
httpx clients of eight connections each, and h11.
"""

from __future__ import annotations

import argparse
import json
import ssl
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable
from contextlib import suppress

import h11
import httpx
import trio

from judgeflow.runtime.judge.protocol import Caller, ChatRequest, Message
from judgeflow.runtime.providers.open import open_provider
from judgeflow.runtime.providers.settings import Target

CALLS_PER_FLOW = 2
FLOWS_EACH = 15
"""Flows one after another with a slow server, so that what the first calls cost, when all start at once and
none has a connection, is there but is not the whole story."""
LONGEST = 12.0
"""Seconds after which a run is cut short."""
Run = Callable[[int, int, int], Awaitable[float]]
"""Port, flows, and how many at once → flows per second."""
REQUEST = ChatRequest(
    "m", (Message("system", "Be brief. " * 20), Message("user", "Hi. " * 50)), Caller("agent:a")
)

BARE = json.dumps({"model": "m", "messages": [{"role": "user", "content": "Hi. " * 100}]}).encode()
PIECES = [
    {"choices": [{"index": 0, "delta": {"role": "assistant", "content": ""}, "finish_reason": None}]},
    *(
        {"choices": [{"index": 0, "delta": {"content": word}, "finish_reason": None}]}
        for word in ("A", "short", "answer", ".")
    ),
    {"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]},
    {"choices": [], "usage": {"prompt_tokens": 100, "completion_tokens": 4}},
]
BODY = b"".join(b"data: " + json.dumps(piece).encode() + b"\n\n" for piece in PIECES) + b"data: [DONE]\n\n"
RESPONSE = (
    b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\ntransfer-encoding: chunked\r\n\r\n"
    + b"%x\r\n%s\r\n0\r\n\r\n" % (len(BODY), BODY)
)


async def serve(latency: float) -> None:
    """As little as a server can do: it reads a length and answers with the same bytes."""

    async def connected(stream: trio.SocketStream) -> None:
        with suppress(trio.BrokenResourceError):
            await answer(stream)

    async def answer(stream: trio.SocketStream) -> None:
        buffer = b""
        async for data in stream:
            buffer += data
            while (end := buffer.find(b"\r\n\r\n")) >= 0:
                head = buffer[:end].lower() + b"\r\n"
                at = head.find(b"content-length: ")
                length = int(head[at + 16 : head.find(b"\r\n", at)])
                if len(buffer) < end + 4 + length:
                    break
                buffer = buffer[end + 4 + length :]
                if latency:
                    await trio.sleep(latency)
                await stream.send_all(RESPONSE)

    listeners = await trio.open_tcp_listeners(0, host="127.0.0.1", backlog=2048)
    print(listeners[0].socket.getsockname()[1], flush=True)
    await trio.serve_listeners(connected, listeners)


async def flows_per_second(flows: int, at_once: int, call: Callable[[], Awaitable[object]]) -> float:
    await call()  # What is imported with the first call is not counted.
    left, done = flows, 0

    async def worker() -> None:
        nonlocal left, done
        while left > 0:
            left -= 1
            for _ in range(CALLS_PER_FLOW):
                await call()
            done += 1

    started = time.perf_counter()
    with trio.move_on_after(LONGEST):
        async with trio.open_nursery() as nursery:
            for _ in range(at_once):
                nursery.start_soon(worker)
    return done / (time.perf_counter() - started)


async def ours(port: int, flows: int, at_once: int) -> float:
    target = Target("bench", "openai", f"http://127.0.0.1:{port}/v1", concurrency=at_once)
    async with open_provider(target) as provider:
        return await flows_per_second(flows, at_once, lambda: provider.chat(REQUEST))


def bare_httpx(size: int | None) -> Run:
    """Clients of `size` connections each, or one for all."""

    async def run(port: int, flows: int, at_once: int) -> float:
        each = size or at_once
        tls = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        limits = httpx.Limits(max_connections=each, max_keepalive_connections=each)
        clients = [
            httpx.AsyncClient(verify=tls, trust_env=False, limits=limits, timeout=None)
            for _ in range(-(-at_once // each))
        ]
        free = [client for client in clients for _ in range(each)]

        async def call() -> None:
            client = free.pop()
            async with client.stream("POST", f"http://127.0.0.1:{port}/v1", content=BARE) as response:
                async for _ in response.aiter_raw():
                    pass
            free.append(client)

        rate = await flows_per_second(flows, at_once, call)
        for client in clients:
            await client.aclose()
        return rate

    return run


async def bare_h11(port: int, flows: int, at_once: int) -> float:
    idle: list[tuple[trio.SocketStream, h11.Connection]] = []

    async def call() -> None:
        stream, http = (
            idle.pop()
            if idle
            else (await trio.open_tcp_stream("127.0.0.1", port), h11.Connection(h11.CLIENT))
        )
        request = h11.Request(
            method="POST", target="/v1", headers=[("host", "x"), ("content-length", str(len(BARE)))]
        )
        data = http.send(request) + http.send(h11.Data(data=BARE))
        http.send(h11.EndOfMessage())
        await stream.send_all(data)
        while type(event := http.next_event()) is not h11.EndOfMessage:
            if event is h11.NEED_DATA:
                http.receive_data(await stream.receive_some(65_536))
        http.start_next_cycle()
        idle.append((stream, http))

    rate = await flows_per_second(flows, at_once, call)
    for stream, _ in idle:
        stream.socket.close()
    return rate


RUNS: dict[str, Run] = {
    "judgeflow": ours,
    "one httpx client": bare_httpx(None),
    "httpx clients of 8": bare_httpx(8),
    "h11": bare_h11,
}


def measure(latency: float, run: Run, flows: int, at_once: int) -> float:
    with subprocess.Popen(
        [sys.executable, __file__, "--serve", str(latency)], stdout=subprocess.PIPE, text=True
    ) as server:
        assert server.stdout is not None
        port = int(server.stdout.readline())
        try:
            return trio.run(run, port, flows, at_once)
        finally:
            server.kill()


def main() -> None:
    parser = argparse.ArgumentParser(
        description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter
    )
    parser.add_argument("--serve", type=float, help=argparse.SUPPRESS)
    parser.add_argument("--flows", type=int, default=2000)
    parser.add_argument("--at-once", type=int, nargs="*", default=[64, 256])
    parser.add_argument("--latency", type=float, default=0.2, help="seconds")
    options = parser.parse_args()
    if options.serve is not None:
        trio.run(serve, options.serve)
        return
    for at_once in options.at_once:
        print(f"instant server, {at_once} at once, flows/s")
        for name, run in RUNS.items():
            print(f"  {name:20} {measure(0.0, run, options.flows, at_once):6.0f}", flush=True)
    for at_once in options.at_once:
        ideal = at_once / (options.latency * CALLS_PER_FLOW)
        print(f"{options.latency * 1000:.0f} ms server, {at_once} at once, of the ideal {ideal:.0f} flows/s")
        for name, run in RUNS.items():
            rate = measure(options.latency, run, at_once * FLOWS_EACH, at_once)
            print(f"  {name:20} {rate / ideal:6.1%}", flush=True)


if __name__ == "__main__":
    main()
