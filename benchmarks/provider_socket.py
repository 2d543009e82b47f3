"""Calls through a socket: two chat calls a flow, many at once, against a server in a process of its own.

    python benchmarks/provider_socket.py [--flows 2000] [--at-once 64 256] [--latency 0.2]

Prints flows per second with an instant server, and the share of the ideal with one that takes its time.
`bare` is the same exchange with h11 and nothing around it.
"""

from __future__ import annotations

import argparse
import json
import subprocess
import sys
import time
from collections.abc import Awaitable, Callable

import h11
import trio

from judgeflow.runtime.judge.protocol import Caller, ChatRequest, Message
from judgeflow.runtime.providers.open import open_provider
from judgeflow.runtime.providers.settings import Target

CALLS_PER_FLOW = 2
REQUEST = ChatRequest(
    "m", (Message("system", "Be brief. " * 20), Message("user", "Hi. " * 50)), Caller("agent:a")
)

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
    await trio.serve_listeners(answer, listeners)


async def flows_per_second(flows: int, at_once: int, call: Callable[[], Awaitable[object]]) -> float:
    left = flows

    async def worker() -> None:
        nonlocal left
        while left > 0:
            left -= 1
            for _ in range(CALLS_PER_FLOW):
                await call()

    started = time.perf_counter()
    async with trio.open_nursery() as nursery:
        for _ in range(at_once):
            nursery.start_soon(worker)
    return flows / (time.perf_counter() - started)


async def ours(port: int, flows: int, at_once: int) -> float:
    target = Target("bench", "openai", f"http://127.0.0.1:{port}/v1", concurrency=at_once)
    async with open_provider(target) as provider:
        return await flows_per_second(flows, at_once, lambda: provider.chat(REQUEST))


async def bare(port: int, flows: int, at_once: int) -> float:
    idle: list[tuple[trio.SocketStream, h11.Connection]] = []
    body = json.dumps({"model": "m", "messages": [{"role": "user", "content": "Hi. " * 100}]}).encode()

    async def call() -> None:
        stream, http = (
            idle.pop()
            if idle
            else (await trio.open_tcp_stream("127.0.0.1", port), h11.Connection(h11.CLIENT))
        )
        request = h11.Request(
            method="POST", target="/v1", headers=[("host", "x"), ("content-length", str(len(body)))]
        )
        data = http.send(request) + http.send(h11.Data(data=body))
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


def measure(latency: float, run: Callable[..., Awaitable[float]], flows: int, at_once: int) -> float:
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
        rates = [measure(0.0, run, options.flows, at_once) for run in (ours, bare)]
        print(f"instant server, {at_once:3} at once: {rates[0]:6.0f} flows/s   bare h11 {rates[1]:6.0f}")
    for at_once in options.at_once:
        flows = at_once * 5
        ideal = at_once / (options.latency * CALLS_PER_FLOW)
        share = measure(options.latency, ours, flows, at_once) / ideal
        told = f"{options.latency * 1000:.0f} ms server, {at_once:3} at once"
        print(f"{told}: {share:6.1%} of the ideal {ideal:.0f} flows/s")


if __name__ == "__main__":
    main()
