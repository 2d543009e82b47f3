"""The way to one service, through httpx and httpcore, the layer of it that sends. No other module knows them.

A client of httpx adds redirects, cookies and headers of its own, none of which may touch a call with a key; below it
stands a pool whose work for a call grows with the calls that it has in hand. So each `httpcore.AsyncHTTPConnection`
stands alone here, for one exchange at a time. A call takes the one that was used last, or a new one; all share one
TLS context, and there are as many as there are permits in use. One whose exchange did not end cleanly is closed and
forgotten: what a cancellation interrupted in it harms nobody. Through a proxy it is a pool of httpcore's with one
connection, which is used in the same way.
"""

from __future__ import annotations

import logging
import math
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from typing import Any, TypeAlias

import httpcore
import httpx
import trio

from .exchange import ExchangeError, Head, Sink
from .settings import Timing
from .way_out import find_proxy, no_connection

_AFTER_THE_END = 0.25
"""Seconds to wait for the end of a body whose answer is whole, so that the connection can be used again."""
_CLOSING = 1.0
_STARTING = 4
"""How many requests are started at once. Trio lets tasks go round, so calls that come together would all leave
when the last of them is ready; a few at a time, the first are being answered while the last are written."""


Way: TypeAlias = httpcore.AsyncHTTPConnection | httpcore.AsyncHTTPProxy | httpcore.AsyncSOCKSProxy
_FAILED = (
    httpcore.TimeoutException,
    httpcore.NetworkError,
    httpcore.ProtocolError,
    httpcore.ProxyError,
    httpcore.UnsupportedProtocol,
)

# At DEBUG it writes down the headers of every response, and a service may repeat there what it was sent.
logging.getLogger("httpcore").setLevel(logging.INFO)


class Pool:
    def __init__(
        self,
        url: str,
        headers: Mapping[str, str],
        environ: Mapping[str, str],
        timing: Timing,
        tls: ssl.SSLContext | None = None,
    ) -> None:
        """`url` is where paths start. Raises `ValueError` where httpx cannot read it."""
        self._base = _read_url(url)
        self._urls: dict[str, httpcore.URL] = {}
        named = {"host": self._base.netloc.decode(), **headers}
        self._headers = [(name.encode(), value.encode()) for name, value in named.items()]
        self._proxy = find_proxy(self._base.scheme, self._base.host, environ)
        self._timing = timing
        self._tls = tls
        self._starting = trio.Semaphore(_STARTING)
        self._idle: list[Way] = []

    @property
    def idle(self) -> int:
        return len(self._idle)

    async def send(self, method: str, path: str, body: bytes, on_head: Callable[[Head], Sink]) -> None:
        """One exchange. Raises `ExchangeError`, and whatever the sink raises."""
        while True:
            way = await self._take()
            try:
                return await self._exchange(way, method, path, body, on_head)
            except _StaleError:
                # The server closed it while it was idle, and nobody had read the request.
                continue

    async def aclose(self) -> None:
        while self._idle:
            await self._idle.pop().aclose()

    async def _take(self) -> Way:
        """One that may still be used: not left alone for too long, and not closed by the server meanwhile."""
        while self._idle:
            way = self._idle.pop()
            if not (isinstance(way, httpcore.AsyncHTTPConnection) and way.has_expired()):
                return way
            with trio.move_on_after(_CLOSING, shield=True):
                await way.aclose()
        return self._new_way()

    async def _exchange(
        self,
        way: Way,
        method: str,
        path: str,
        body: bytes,
        on_head: Callable[[Head], Sink],
    ) -> None:
        progress = _Progress(self._timing, self._starting)
        request = httpcore.Request(
            method,
            self._url(path),
            headers=[*self._headers, (b"content-length", b"%d" % len(body))],
            content=_Body(body),
            extensions=progress.extensions,
        )
        reading = _Reading(progress.scope)
        again = False
        try:
            await progress.wait_for_turn()
            with progress.scope:
                response = await way.handle_async_request(request)
                progress.head_came()
                await reading.read(response, on_head(_head(response)))
            if not progress.has_head:
                raise ExchangeError("provider.slow-start", f"{self._timing.first_byte:g} s")
            again = reading.finish(f"{self._timing.idle:g} s")
        except _FAILED as error:
            raise self._named(error, progress) from error
        finally:
            progress.end_turn()
            if again and _may_serve_again(way):
                self._idle.append(way)
            else:
                with trio.move_on_after(_CLOSING, shield=True):
                    await way.aclose()
                    await progress.aclose()

    def _url(self, path: str) -> httpcore.URL:
        if path not in self._urls:
            base = self._base
            self._urls[path] = httpcore.URL(
                scheme=base.raw_scheme,
                host=base.raw_host,
                port=base.port,
                target=base.raw_path.rstrip(b"/") + path.encode(),
            )
        return self._urls[path]

    def _new_way(self) -> Way:
        if self._proxy is not None:
            return self._new_proxy(self._proxy)
        secure = self._base.scheme == "https"
        return httpcore.AsyncHTTPConnection(
            self._url("").origin,
            ssl_context=self._context() if secure else None,
            keepalive_expiry=self._timing.keep_alive,
        )

    def _new_proxy(self, url: str) -> Way:
        try:
            proxy = httpx.Proxy(url)
            address = httpcore.URL(
                scheme=proxy.url.raw_scheme, host=proxy.url.raw_host, port=proxy.url.port, target=b"/"
            )
            more: dict[str, Any] = {
                "proxy_auth": proxy.raw_auth,
                "ssl_context": self._context(),
                "max_connections": 1,
                "keepalive_expiry": self._timing.keep_alive,
            }
            if proxy.url.scheme in ("http", "https"):
                return httpcore.AsyncHTTPProxy(address, **more)
            return httpcore.AsyncSOCKSProxy(address, **more)
        except (ImportError, RuntimeError):
            raise ExchangeError("provider.proxy", "a SOCKS proxy needs httpx[socks]; install that") from None
        except (ValueError, httpx.InvalidURL):
            raise ExchangeError("provider.proxy", "what the environment names as proxy is none") from None

    def _context(self) -> ssl.SSLContext:
        if self._tls is None and self._base.scheme == "https":
            self._tls = _trusting()
        elif self._tls is None:
            self._tls = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        return self._tls

    def _named(self, error: Exception, progress: _Progress) -> ExchangeError:
        """What httpcore raised before there was a head, by the name that we have for it."""
        cause = _cause(error)
        match error:
            case httpcore.ConnectTimeout():
                return ExchangeError("provider.connect-timeout", f"{self._timing.connect:g} s")
            case httpcore.TimeoutException():
                return ExchangeError("provider.slow-start", f"{self._timing.first_byte:g} s")
            case httpcore.ProxyError():
                return ExchangeError("provider.proxy", f"{self._first_stop()} said {error}")
            case httpcore.ConnectError():
                return no_connection(self._first_stop(), cause)
            case httpcore.LocalProtocolError():
                # Which one is not said: it may be the one that holds the key.
                return ExchangeError("provider.bad-request", "a header holds what no header can")
            case httpcore.RemoteProtocolError() if cause is not None:
                return ExchangeError("provider.not-http", str(cause))
            case _ if not progress.connected:
                return _StaleError("provider.reset")
            case _:
                return ExchangeError("provider.reset", "the connection was closed without an answer")

    def _first_stop(self) -> str:
        """`host:port` of what is connected to: the proxy, where there is one."""
        url = httpx.URL(self._proxy) if self._proxy else self._base
        return f"{url.host}:{url.port or (443 if url.scheme == 'https' else 80)}"


class _StaleError(ExchangeError):
    """A connection that had served before was closed without an answer."""


class _Body:
    """A request's body in one piece. httpcore's own is a generator, which a cancelled write leaves hanging."""

    def __init__(self, body: bytes) -> None:
        self._left = [body]

    def __aiter__(self) -> AsyncIterator[bytes]:
        return self

    async def __anext__(self) -> bytes:
        if self._left:
            return self._left.pop()
        raise StopAsyncIteration


class _Progress:
    """What httpcore is given on the way, and tells: how long it may take, whether it connected anew, and when
    the request has started out."""

    def __init__(self, timing: Timing, starting: trio.Semaphore) -> None:
        self.connected = False
        self.has_head = False
        self.scope = trio.CancelScope()
        """Of the exchange. Its deadline is set when the request is out, until the head is there: one that drips in is
        no faster than one that is late."""
        self._first_byte = timing.first_byte
        self._idle = timing.idle
        self._starting = starting
        self._has_turn = False
        self._close: Callable[[], Awaitable[None]] | None = None
        self._timeouts: dict[str, float | None] = {
            "connect": timing.connect,
            "write": timing.first_byte,
            "read": timing.first_byte,
            "pool": None,
        }
        self.extensions = {"timeout": self._timeouts, "trace": self._traced}

    async def wait_for_turn(self) -> None:
        await self._starting.acquire()
        self._has_turn = True

    def end_turn(self) -> None:
        if self._has_turn:
            self._has_turn = False
            self._starting.release()

    def head_came(self) -> None:
        self.has_head = True
        self.scope.deadline = math.inf
        self._timeouts["read"] = self._idle

    async def aclose(self) -> None:
        """The connection that was made, where httpcore forgets it: cancelled within a TLS handshake."""
        if self._close is not None:
            await self._close()

    async def _traced(self, event: str, info: Mapping[str, Any]) -> None:
        """A turn ends where a wait may begin: at a new connection, or at a body that the server does not
        take. So nothing that hangs holds up the others."""
        if event == "connection.connect_tcp.started":
            self.connected = True
            self.end_turn()
        elif event == "connection.connect_tcp.complete":
            self._close = info["return_value"].aclose
        elif event == "http11.send_request_headers.complete":
            self.end_turn()
        elif event == "http11.send_request_body.complete":
            self.scope.deadline = trio.current_time() + self._first_byte


class _Reading:
    """Feeds a body to a sink, within the scope of its exchange."""

    def __init__(self, scope: trio.CancelScope) -> None:
        self._scope = scope
        self._sink: Sink | None = None
        self._wrong: Exception | None = None
        self._enough = self._ended = self._stalled = False

    async def read(self, response: httpcore.Response, sink: Sink) -> None:
        self._sink = sink
        try:
            # Never left early, or the generators below it would be left hanging: what is enough, or wrong, stops the
            # next read instead.
            async for chunk in response.aiter_stream():
                self._feed(sink, chunk)
            await response.aclose()
            self._ended = True
        except httpcore.TimeoutException:
            self._stalled = True
        except _FAILED:
            # It broke: whether what came is whole is for the sink to say.
            self._ended = False

    def _feed(self, sink: Sink, chunk: bytes) -> None:
        try:
            done = self._wrong is None and sink.feed(chunk)
        except Exception as error:
            self._wrong = error
            self._scope.cancel()
        else:
            if done and not self._enough:
                self._enough = True
                self._scope.deadline = trio.current_time() + _AFTER_THE_END

    def finish(self, idle: str) -> bool:
        """Whether the body ended, so that the connection can be used again."""
        if self._wrong is not None:
            raise self._wrong
        if self._stalled and not self._enough:
            raise ExchangeError("provider.stalled", idle)
        assert self._sink is not None
        self._sink.closed(self._ended or self._enough)
        return self._ended


def _may_serve_again(way: Way) -> bool:
    """Not where the server closed it with the answer, nor where more came than the answer: httpcore would read that
    as the answer to the next request. Nothing public tells of it, and a test sees to it that this still does."""
    if isinstance(way, httpcore.AsyncHTTPConnection) and not way.is_idle():
        return False
    connections = getattr(way, "connections", (way,))
    states = [getattr(getattr(one, "_connection", None), "_h11_state", None) for one in connections]
    return not any(state is not None and state.trailing_data[0] for state in states)


def _head(response: httpcore.Response) -> Head:
    headers = {name.decode("latin-1").lower(): value.decode("latin-1") for name, value in response.headers}
    return Head(response.status, headers)


def _cause(error: Exception) -> BaseException | None:
    """What httpcore caught: it hands that on as the argument of its own error."""
    first = error.args[0] if error.args else None
    return first if isinstance(first, BaseException) else None


def _trusting() -> ssl.SSLContext:
    try:
        context = httpx.create_ssl_context()
        # httpx brings certificates of its own; those that this machine was given are as good.
        context.load_default_certs()
    except OSError as error:
        said = "the certificates that SSL_CERT_FILE or SSL_CERT_DIR names cannot be read"
        raise ExchangeError("provider.tls", f"{said} ({error.strerror or error})") from None
    return context


def _read_url(url: str) -> httpx.URL:
    try:
        return httpx.URL(url)
    except httpx.InvalidURL as error:
        raise ValueError(str(error)) from None
