"""A bare client of a language server: two pipes, and as little work of its own as can be, since what it takes is
measured with what the server takes."""

from __future__ import annotations

import os
import select
import subprocess
import time
from collections import deque
from collections.abc import Callable, Sequence

import msgspec

from judgeflow.lsp.framing import Frames, frame
from judgeflow.lsp.testing import Message, telling

SOME = 65536
"""Bytes that a pipe is asked for, or given, at once."""


class NoAnswerError(Exception):
    """The server is given up."""


class PipeClient:
    """One server process. Every wait ends at `deadline`, in seconds of `time.perf_counter`, with NoAnswerError."""

    def __init__(self, command: Sequence[str], deadline: float) -> None:
        self.process = subprocess.Popen(
            list(command), stdin=subprocess.PIPE, stdout=subprocess.PIPE, stderr=subprocess.DEVNULL, bufsize=0
        )
        assert self.process.stdin is not None
        assert self.process.stdout is not None
        self._in, self._out = self.process.stdin.fileno(), self.process.stdout.fileno()
        os.set_blocking(self._in, False)
        self._deadline = deadline
        self._frames = Frames()
        self._received: deque[Message] = deque()
        self._next_id = 0

    def __enter__(self) -> PipeClient:
        return self

    def __exit__(self, *error: object) -> None:
        self.process.kill()
        self.process.communicate()

    def send(self, message: Message) -> None:
        """What the server says while it does not read is kept."""
        data = frame(msgspec.json.encode(message))
        while data:
            readable, writable, _ = select.select([self._out], [self._in], [], self._left())
            if readable:
                self._read()
            if writable:
                data = data[os.write(self._in, data[:SOME]) :]

    def wait_for(self, wanted: Callable[[Message], bool]) -> Message:
        """The next message that is wanted; those before it are dropped."""
        while True:
            while self._received:
                message = self._received.popleft()
                if wanted(message):
                    return message
            if not select.select([self._out], [], [], self._left())[0]:
                raise NoAnswerError("it said nothing more")
            self._read()

    def request(self, method: str, params: object) -> Message:
        """The whole answer, a result or an error."""
        self._next_id += 1
        msg_id = self._next_id
        self.send({**telling(method, params), "id": msg_id})
        return self.wait_for(lambda message: message.get("id") == msg_id and "method" not in message)

    def notify(self, method: str, params: object) -> None:
        self.send(telling(method, params))

    def drop(self) -> None:
        """What was said so far does not count."""
        self._received.clear()

    def _read(self) -> None:
        data = os.read(self._out, SOME)
        if not data:
            raise NoAnswerError("it has ended")
        self._received += (msgspec.json.decode(body) for body in self._frames.feed(data))

    def _left(self) -> float:
        return max(0.0, self._deadline - time.perf_counter())
