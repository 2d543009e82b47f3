"""HTTP/1.1 over one stream, one exchange at a time. Closing is synchronous, so a cancelled call leaves
nothing open."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Protocol

import attrs
import h11
import trio

from .settings import Timing

_READ = 65_536
_AFTER_THE_END = 0.25
"""Seconds to wait for the end of a body whose answer is whole, so that the connection can be used again."""


@attrs.frozen
class Head:
    status: int
    headers: Mapping[str, str]
    """By lower-case name; of a name that came twice, the last."""


class Sink(Protocol):
    """Takes a body as it comes."""

    def feed(self, chunk: bytes) -> bool:
        """Returns whether all that matters has come."""

    def closed(self, whole: bool) -> None:
        """The body ended: `whole` unless the connection broke within it."""


class ExchangeError(Exception):
    """The connection broke before a response had started, or what came is not HTTP (`code`)."""

    def __init__(self, code: str, reason: str) -> None:
        super().__init__(reason)
        self.code = code


class UnansweredError(ExchangeError):
    """The connection was closed without a byte of an answer."""

    def __init__(self) -> None:
        super().__init__("provider.reset", "the connection was closed without an answer")


class SlowError(Exception):
    """`code` says whether nothing came, or no more."""

    def __init__(self, code: str, seconds: float) -> None:
        super().__init__(f"{seconds:g} s")
        self.code = code


class Connection:
    def __init__(self, stream: trio.SocketStream | trio.SSLStream[trio.SocketStream]) -> None:
        self._stream = stream
        self._socket = stream.transport_stream.socket if isinstance(stream, trio.SSLStream) else stream.socket
        self._http = h11.Connection(h11.CLIENT)
        self.free_since = 0.0

    @property
    def is_stale(self) -> bool:
        """Whether the server closed it, or sent something that nobody asked for."""
        return bool(self._socket.is_readable()) or self._socket.fileno() < 0

    def close(self) -> None:
        self._socket.close()

    async def exchange(
        self,
        request: h11.Request,
        body: bytes,
        on_head: Callable[[Head], Sink],
        timing: Timing,
    ) -> bool:
        """Sends one request and feeds its answer to a sink. Returns whether the connection can be used
        again."""
        progress = _Progress(timing)
        with progress.scope:
            await self._send(request, body)
            while True:
                event = self._next_event()
                if event is h11.NEED_DATA:
                    data = await self._more()
                    self._http.receive_data(data)
                    progress.came(data)
                elif type(event) is h11.Data:
                    progress.feed(event.data)
                elif type(event) is h11.Response:
                    progress.sink = on_head(_head(event))
                elif type(event) is h11.EndOfMessage:
                    progress.closed(whole=True)
                    return self._again()
                elif type(event) is _Cut or type(event) is h11.ConnectionClosed:
                    progress.closed(whole=False)
                    return False
        progress.ran_out()
        return False

    async def _send(self, request: h11.Request, body: bytes) -> None:
        http = self._http
        data = (http.send(request) or b"") + (http.send(h11.Data(data=body)) or b"")
        http.send(h11.EndOfMessage())
        try:
            await self._stream.send_all(data)
        except (trio.BrokenResourceError, OSError):
            # A server that refuses a long request answers early and closes: the answer may still be there.
            await trio.lowlevel.checkpoint()

    async def _more(self) -> bytes:
        try:
            return bytes(await self._stream.receive_some(_READ))
        except (trio.BrokenResourceError, OSError):
            return b""

    def _next_event(self) -> object:
        try:
            return self._http.next_event()
        except h11.RemoteProtocolError as error:
            if self._http.their_state is h11.ERROR and self._http.trailing_data[1]:
                return _Cut()
            raise ExchangeError("provider.not-http", str(error)) from error

    def _again(self) -> bool:
        http = self._http
        if http.our_state is not h11.DONE or http.their_state is not h11.DONE or http.trailing_data[0]:
            return False
        http.start_next_cycle()
        self.free_since = trio.current_time()
        return True


class _Cut:
    """The connection was closed within a body."""


class _Progress:
    """How far an exchange has come, and how long it may take to come further."""

    def __init__(self, timing: Timing) -> None:
        self.scope = trio.CancelScope(deadline=trio.current_time() + timing.first_byte)
        self.sink: Sink | None = None
        self._timing = timing
        self._allowed = timing.first_byte
        self._enough = False
        self._any = False

    def came(self, data: bytes) -> None:
        self._any = self._any or bool(data)
        if not self._enough:
            self._allow(self._timing.idle)

    def feed(self, data: bytes) -> None:
        assert self.sink is not None
        if self.sink.feed(data) and not self._enough:
            self._enough = True
            self._allow(_AFTER_THE_END)

    def closed(self, *, whole: bool) -> None:
        if self.sink is None:
            raise (
                UnansweredError
                if not self._any
                else ExchangeError("provider.reset", "closed within the head of an answer")
            )
        self.sink.closed(whole or self._enough)

    def ran_out(self) -> None:
        if self._enough:
            return self.closed(whole=True)
        raise SlowError("provider.slow-start" if self.sink is None else "provider.stalled", self._allowed)

    def _allow(self, seconds: float) -> None:
        self._allowed = seconds
        self.scope.deadline = trio.current_time() + seconds


def _head(response: h11.Response) -> Head:
    return Head(
        response.status_code,
        {name.decode("latin-1"): value.decode("latin-1") for name, value in response.headers},
    )
