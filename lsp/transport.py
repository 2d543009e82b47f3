"""A pygls server on trio: no asyncio event loop, no threads, one reader, one writer.

Input is taken in gulps. `drained` is called when a gulp has been handled and nothing more waits, so that
a burst of edits is answered once, for the last of them; under input that never pauses it is called every
tenth of a second.
"""

from __future__ import annotations

import os
import sys
import traceback
from collections.abc import Callable
from typing import Protocol

import trio

from .framing import Frames
from .outbox import Outbox
from .protocol import TrioProtocol

GULP = 64 * 1024
"""Bytes read at once."""

OVERDUE = 0.1
"""Seconds after which diagnostics go out although more input waits."""

LAST_WORDS = 1.0
"""Seconds that a leaving server gives its client to read what is on its way."""


class Drainable(Protocol):
    """A server with work to do whenever its input is drained."""

    protocol: TrioProtocol

    def drained(self) -> None: ...


async def serve(
    server: Drainable,
    incoming: trio.abc.ReceiveStream,
    outgoing: trio.abc.SendStream,
    more: Callable[[], bool],
    write: Callable[[bytes], int] = lambda data: 0,
) -> int:
    """Talk to one client until it says `exit` or is gone; the process's exit code.

    `more` says whether input waits that `incoming` has not returned yet; `write` writes what `outgoing` takes without
    waiting, and tells how many bytes that was. Running requests are cancelled at the end.
    """
    protocol, outbox = server.protocol, Outbox(write)
    try:
        async with trio.open_nursery() as nursery:
            protocol.attach(nursery, outbox)
            nursery.start_soon(outbox.run, outgoing)
            await _read(server, incoming, more)
            nursery.cancel_scope.cancel()
        await outbox.flush(outgoing, LAST_WORDS)
    except* (trio.BrokenResourceError, trio.ClosedResourceError):
        pass  # The client is gone, and nobody is left to be told.
    if protocol.exit_code is None:
        return 0 if protocol.phase == "shut" else 1
    return protocol.exit_code


async def _read(server: Drainable, incoming: trio.abc.ReceiveStream, more: Callable[[], bool]) -> None:
    protocol, frames, last = server.protocol, Frames(), trio.current_time()
    while data := await incoming.receive_some(GULP):
        await protocol.receive(list(frames.feed(data)))
        if protocol.exit_code is not None:
            return
        if not more() or trio.current_time() - last > OVERDUE:
            try:
                server.drained()
            except Exception:
                protocol.log(traceback.format_exc())
            last = trio.current_time()
    await protocol.begun()  # A `shutdown` that was the last word counts.


async def serve_stdio(server: Drainable) -> int:
    """`serve` over this process's standard input and output."""
    incoming, outgoing, more, write = open_stdio()
    async with incoming, outgoing:
        return await serve(server, incoming, outgoing, more, write)


Stdio = tuple[trio.abc.ReceiveStream, trio.abc.SendStream, Callable[[], bool], Callable[[bytes], int]]
"""Standard input, standard output, whether input waits, and how to write without waiting."""


if sys.platform == "win32":

    class _Pipe(trio.abc.ReceiveStream, trio.abc.SendStream):
        """A file descriptor of a system whose pipes cannot be waited for: each call blocks in a thread."""

        def __init__(self, fd: int) -> None:
            self._fd = fd

        async def receive_some(self, max_bytes: int | None = None) -> bytes:
            return await trio.to_thread.run_sync(os.read, self._fd, max_bytes or GULP, abandon_on_cancel=True)

        async def send_all(self, data: bytes | bytearray | memoryview) -> None:
            try:
                await trio.to_thread.run_sync(self._write, bytes(data), abandon_on_cancel=True)
            except OSError as error:
                raise trio.BrokenResourceError from error

        async def wait_send_all_might_not_block(self) -> None:
            await trio.lowlevel.checkpoint()

        async def aclose(self) -> None:
            await trio.lowlevel.checkpoint()

        def _write(self, data: bytes) -> None:
            while data:
                data = data[os.write(self._fd, data) :]

    def open_stdio() -> Stdio:
        return _Pipe(0), _Pipe(1), lambda: False, lambda data: 0

else:
    import select

    def open_stdio() -> Stdio:
        incoming, outgoing = os.dup(0), os.dup(1)

        def more() -> bool:
            return bool(select.select([incoming], [], [], 0)[0])

        def write(data: bytes) -> int:
            try:
                return os.write(outgoing, data)
            except OSError:
                return 0  # The pipe is full or broken, which the stream finds out for itself.

        return trio.lowlevel.FdStream(incoming), trio.lowlevel.FdStream(outgoing), more, write
