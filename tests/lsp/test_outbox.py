"""What is sent arrives in order and whole, whatever the pipe takes at a time."""

from __future__ import annotations

import random

import pytest
import trio
import trio.testing

from judgeflow.lsp.framing import Frames
from judgeflow.lsp.outbox import Outbox


class Pipe(trio.abc.SendStream):
    """Takes a part of what is written at once, and the rest after a while."""

    def __init__(self, rng: random.Random) -> None:
        self.rng = rng
        self.taken = bytearray()

    def write(self, data: bytes) -> int:
        size = self.rng.choice((0, 0, 1, len(data) // 2, len(data)))
        self.taken += data[:size]
        return size

    async def send_all(self, data: bytes | bytearray | memoryview) -> None:
        for byte in bytes(data):
            if self.rng.random() < 0.2:
                await trio.sleep(0.01)
            self.taken.append(byte)

    async def wait_send_all_might_not_block(self) -> None:
        await trio.lowlevel.checkpoint()

    async def aclose(self) -> None:
        await trio.lowlevel.checkpoint()


@pytest.mark.parametrize("seed", range(5))
async def test_messages_arrive_in_order_and_whole(seed: int, autojump_clock: trio.testing.MockClock) -> None:
    rng = random.Random(seed)
    pipe = Pipe(rng)
    outbox = Outbox(pipe.write)
    sent = [b"%d" % number * rng.randrange(1, 9) for number in range(60)]
    async with trio.open_nursery() as nursery:
        nursery.start_soon(outbox.run, pipe)
        for body in sent:
            outbox.put(body)
            if rng.random() < 0.5:
                await trio.sleep(rng.random() / 5)
        await trio.sleep(60)
        nursery.cancel_scope.cancel()
    assert list(Frames().feed(pipe.taken)) == sent


async def test_what_the_pipe_takes_at_once_is_there_before_anybody_waits() -> None:
    taken = bytearray()

    def write(data: bytes) -> int:
        taken.extend(data)
        return len(data)

    Outbox(write).put(b"{}")
    assert list(Frames().feed(taken)) == [b"{}"]
