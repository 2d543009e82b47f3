"""What is to be sent, in order and whole."""

from __future__ import annotations

from collections.abc import Callable

import trio

from .framing import frame


class Outbox:
    """Messages are put without waiting. What the stream does not take at once is sent by one task, so two answers can
    never mix. `write` writes what the stream takes without waiting, and tells how many bytes that was."""

    def __init__(self, write: Callable[[bytes], int]) -> None:
        self._write = write
        self._waiting = bytearray()
        self._is_sending = False
        self._wake = trio.Event()

    def put(self, body: bytes) -> None:
        data = frame(body)
        if not self._waiting and not self._is_sending:
            data = data[self._write(data) :]
        if data:
            self._waiting += data
            self._wake.set()

    async def run(self, stream: trio.abc.SendStream) -> None:
        """Send whatever is put, until cancelled."""
        while True:
            await self._wake.wait()
            self._wake = trio.Event()
            # A cancelled send would leave half a message behind it, so only the wait above is a place to
            # stop.
            with trio.CancelScope(shield=True):
                await self._send(stream)

    async def flush(self, stream: trio.abc.SendStream, seconds: float) -> None:
        """Send what is left, within a deadline that no outer cancellation shortens."""
        with trio.move_on_after(seconds, shield=True):
            await self._send(stream)

    async def _send(self, stream: trio.abc.SendStream) -> None:
        while self._waiting:
            data = bytes(self._waiting)
            self._waiting.clear()
            self._is_sending = True
            try:
                await stream.send_all(data)
            finally:
                self._is_sending = False
