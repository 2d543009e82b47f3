"""The connections of one service: taken when a call holds its permit, put back when its answer was read to
the end.

The number of connections is the number of permits in use, so nothing ever queues here.
"""

from __future__ import annotations

import ssl
from collections.abc import Callable, Mapping

import h11
import trio

from .connection import Connection, Head, Sink, UnansweredError
from .dial import connect
from .proxy import Origin, find_proxy
from .settings import Timing


class Pool:
    def __init__(
        self, origin: Origin, environ: Mapping[str, str], timing: Timing, tls: ssl.SSLContext | None = None
    ):
        self._origin = origin
        self._proxy = find_proxy(origin, environ)
        self._timing = timing
        self._tls = tls
        self._idle: list[Connection] = []

    @property
    def idle(self) -> int:
        return len(self._idle)

    async def post(
        self, target: str, headers: list[tuple[bytes, bytes]], body: bytes, on_head: Callable[[Head], Sink]
    ) -> None:
        """One exchange. Raises `ConnectError`, `ExchangeError` or `SlowError`, and whatever the sink
        raises; a connection that did not end cleanly is closed at once."""
        if self._proxy and not self._origin.tls:
            target = f"http://{self._origin.authority}{target}"
            if self._proxy.authorization is not None:
                login = self._proxy.authorization.reveal().encode()
                headers = [*headers, (b"proxy-authorization", login)]
        request = h11.Request(method=b"POST", target=target.encode("ascii"), headers=headers)
        while (connection := self._take()) is not None:
            try:
                await self._exchange(connection, request, body, on_head)
            except UnansweredError:
                # The server closed it while it was idle, and nobody had read the request.
                continue
            return
        connection = await connect(self._origin, self._proxy, self._context, self._timing)
        await self._exchange(connection, request, body, on_head)

    async def _exchange(
        self, connection: Connection, request: h11.Request, body: bytes, on_head: Callable[[Head], Sink]
    ) -> None:
        try:
            if await connection.exchange(request, body, on_head, self._timing):
                self._idle.append(connection)
            else:
                connection.close()
        except BaseException:
            connection.close()
            raise

    def close(self) -> None:
        while self._idle:
            self._idle.pop().close()

    def _take(self) -> Connection | None:
        """The connection that was used last: it is the likeliest to be open still."""
        oldest = trio.current_time() - self._timing.keep_alive
        while self._idle:
            connection = self._idle.pop()
            if connection.free_since >= oldest and not connection.is_stale:
                return connection
            connection.close()
        return None

    def _context(self) -> ssl.SSLContext:
        if self._tls is None:
            self._tls = _trusting()
        return self._tls


def _trusting() -> ssl.SSLContext:
    """The system's certificates (or what `SSL_CERT_FILE` names); certifi's where the system has none."""
    context = ssl.create_default_context()
    paths = ssl.get_default_verify_paths()
    if not paths.cafile and not paths.capath and not context.cert_store_stats()["x509_ca"]:
        import certifi  # noqa: PLC0415  # read only on machines without certificates of their own

        context.load_verify_locations(certifi.where())
    return context
