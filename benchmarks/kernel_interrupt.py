"""Ctrl-C with 100 calls in flight and no grace: `python benchmarks/kernel_interrupt.py [--calls 100] [--times 5]`.

A flow asks a model on a socket 200 times, at most 100 at once; the first 100 are answered, the others never. Then the
process is interrupted. Prints how long it took to end, from the signal to the exit as its parent sees it, interpreter
included, and checks its record: every answer that came is in it, and every call that was open is marked.
"""

from __future__ import annotations

import argparse
import json
import os
import signal
import statistics
import subprocess
import sys
import time
from contextlib import suppress
from pathlib import Path
from tempfile import TemporaryDirectory

import trio

from judgeflow.runtime.store.terns import Store

SOURCE = """
provider bench {{ api openai  url env BENCH_URL }}
model slow "slow" via bench {{ concurrency {calls}  retries 0  price $1 in, $1 out }}
agent writer(topic: text) {{ model slow }}
flow main(question: text) -> json {{
  said = each item in [{items}] at most {calls} at once: writer(item)
  return said
}}
"""
COMMAND = "import sys; from judgeflow.runtime.cli import main; sys.exit(main())"
ANSWER = json.dumps(
    {
        "choices": [
            {"index": 0, "message": {"role": "assistant", "content": "Yes."}, "finish_reason": "stop"}
        ],
        "usage": {"prompt_tokens": 100, "completion_tokens": 2},
    }
).encode()
RESPONSE = b"HTTP/1.1 200 OK\r\ncontent-type: application/json\r\ncontent-length: %d\r\n\r\n%s" % (
    len(ANSWER),
    ANSWER,
)


class Service:
    """Answers the first `answers` requests, and leaves all others open."""

    def __init__(self, answers: int) -> None:
        self.answers = answers
        self.asked = 0
        self.came = trio.Condition()

    async def connected(self, stream: trio.SocketStream) -> None:
        with suppress(trio.BrokenResourceError):
            buffer = b""
            async for data in stream:
                buffer += data
                while (end := buffer.find(b"\r\n\r\n")) >= 0:
                    head = buffer[:end].lower() + b"\r\n"
                    at = head.find(b"content-length: ")
                    whole = end + 4 + int(head[at + 16 : head.find(b"\r\n", at)])
                    if len(buffer) < whole:
                        break
                    buffer = buffer[whole:]
                    await self.request(stream)

    async def request(self, stream: trio.SocketStream) -> None:
        self.asked += 1
        if self.asked <= self.answers:
            await stream.send_all(RESPONSE)
        async with self.came:
            self.came.notify_all()

    async def wait(self, asked: int) -> None:
        async with self.came:
            while self.asked < asked:
                await self.came.wait()


async def interrupted(calls: int, folder: Path) -> float:
    """Seconds from Ctrl-C to the end of the process."""
    service = Service(calls)
    async with trio.open_nursery() as nursery:
        listeners = await trio.open_tcp_listeners(0, host="127.0.0.1", backlog=512)
        nursery.start_soon(trio.serve_listeners, service.connected, listeners)
        url = f"http://127.0.0.1:{listeners[0].socket.getsockname()[1]}/v1"
        environ = {**os.environ, "BENCH_URL": url, "TERN_DB": str(folder / "runs.db"), "NO_PROXY": "*"}
        command = [sys.executable, "-c", COMMAND, "calls.judge", "go", "--grace", "0s", "--quiet"]
        process = await trio.lowlevel.open_process(
            command, cwd=folder, env=environ, stdout=subprocess.DEVNULL, stderr=subprocess.PIPE
        )
        with trio.fail_after(60):
            await service.wait(2 * calls)
            await trio.sleep(0.5)  # the last answers are on their way into the record
            start = time.perf_counter()
            process.send_signal(signal.SIGINT)
            code = await process.wait()
            taken = time.perf_counter() - start
        assert code == 130, (code, await process.stderr.receive_some())
        nursery.cancel_scope.cancel()
    check(folder / "runs.db", calls)
    return taken


def check(path: Path, calls: int) -> None:
    with Store.read(path) as store:
        [head] = store.list_terns()
        steps = [step for step in store.get(head.id).steps if step.kind == "agent"]
    answered = [step for step in steps if step.status == "succeeded"]
    opened = [step for step in steps if step.status == "cancelled"]
    assert head.status == "cancelled", head.status
    assert (len(answered), len(opened), len(steps)) == (calls, calls, 2 * calls)
    assert all(step.answer == "Yes." and step.usage.input_tokens == 100 for step in answered)
    assert all(step.usage.unreported == 1 and step.cost.total == "unknown" for step in opened)


def write(path: Path, calls: int) -> None:
    items = ", ".join(f'"item {number}"' for number in range(2 * calls))
    path.write_text(SOURCE.format(calls=calls, items=items), encoding="utf-8")


async def measure(calls: int, times: int) -> None:
    taken = []
    for _ in range(times):
        with TemporaryDirectory() as folder:
            write(Path(folder, "calls.judge"), calls)
            taken.append(await interrupted(calls, Path(folder)) * 1000)
    print(
        f"Ctrl-C with {calls} calls in flight, no grace: ended after {statistics.median(taken):.0f} ms "
        f"(median of {times}, {min(taken):.0f}–{max(taken):.0f})"
    )
    print(f"every time {calls} answers were kept and {calls} open calls were marked")


def main() -> None:
    parser = argparse.ArgumentParser(description="how long an interrupted process takes to end")
    parser.add_argument("--calls", type=int, default=100)
    parser.add_argument("--times", type=int, default=5)
    options = parser.parse_args()
    trio.run(measure, options.calls, options.times)


if __name__ == "__main__":
    main()
