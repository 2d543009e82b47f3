"""The way to one service, through httpx and nothing else. No other module knows httpx.

An `httpx.AsyncHTTPTransport` is what an `httpx.AsyncClient` sends through: connections, TLS, proxies and
HTTP, without the client's redirects, cookies and default headers, none of which may touch a call with a key.
It is a pool of its own, and what a call costs in it grows with the calls that it has in hand. So each one here
has one connection and one exchange at a time. A call takes the one that was used last, or a new one, which
costs next to nothing because all share one TLS context; there are as many as there are permits in use. One
whose exchange did not end cleanly is closed and forgotten: what a cancellation interrupted in it harms nobody.
"""

from __future__ import annotations

import logging
import ssl
from collections.abc import AsyncIterator, Awaitable, Callable, Mapping
from typing import Any

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
        self._urls: dict[str, httpx.URL] = {}
        named = {"host": self._base.netloc.decode(), **headers}
        self._headers = [(name.encode(), value.encode()) for name, value in named.items()]
        self._proxy = find_proxy(self._base.scheme, self._base.host, environ)
        self._timing = timing
        self._tls = tls
        self._starting = trio.Semaphore(_STARTING)
        self._idle: list[httpx.AsyncHTTPTransport] = []

    @property
    def idle(self) -> int:
        return len(self._idle)

    async def send(self, method: str, path: str, body: bytes, on_head: Callable[[Head], Sink]) -> None:
        """One exchange. Raises `ExchangeError`, and whatever the sink raises."""
        while True:
            transport = self._idle.pop() if self._idle else self._new_transport()
            try:
                return await self._exchange(transport, method, path, body, on_head)
            except _StaleError:
                # The server closed it while it was idle, and nobody had read the request.
                continue

    async def aclose(self) -> None:
        while self._idle:
            await self._idle.pop().aclose()

    async def _exchange(
        self,
        transport: httpx.AsyncHTTPTransport,
        method: str,
        path: str,
        body: bytes,
        on_head: Callable[[Head], Sink],
    ) -> None:
        progress = _Progress(self._timing, self._starting)
        request = httpx.Request(
            method,
            self._url(path),
            headers=[*self._headers, (b"content-length", b"%d" % len(body))],
            stream=_Body(body),
            extensions=progress.extensions,
        )
        again = False
        try:
            await progress.wait_for_turn()
            with progress.until_head:
                response = await transport.handle_async_request(request)
            if progress.until_head.cancelled_caught:
                raise ExchangeError("provider.slow-start", f"{self._timing.first_byte:g} s")
            progress.head_came()
            again = await _read(response, on_head(_head(response)), self._timing.idle)
        except httpx.TransportError as error:
            raise self._named(error, progress) from error
        finally:
            progress.end_turn()
            if again and not _has_leftovers(transport):
                self._idle.append(transport)
            else:
                with trio.move_on_after(_CLOSING, shield=True):
                    await transport.aclose()
                    await progress.aclose()

    def _url(self, path: str) -> httpx.URL:
        if path not in self._urls:
            whole = self._base.raw_path.rstrip(b"/") + path.encode()
            self._urls[path] = self._base.copy_with(raw_path=whole)
        return self._urls[path]

    def _new_transport(self) -> httpx.AsyncHTTPTransport:
        one = httpx.Limits(
            max_connections=1, max_keepalive_connections=1, keepalive_expiry=self._timing.keep_alive
        )
        try:
            return httpx.AsyncHTTPTransport(
                verify=self._context(), proxy=self._proxy, limits=one, trust_env=False
            )
        except ImportError:
            raise ExchangeError("provider.proxy", "a SOCKS proxy needs httpx[socks]; install that") from None
        except (ValueError, httpx.InvalidURL):
            raise ExchangeError("provider.proxy", "what the environment names as proxy is none") from None

    def _context(self) -> ssl.SSLContext:
        if self._tls is None and self._base.scheme == "https":
            self._tls = httpx.create_ssl_context()
            # httpx brings certificates of its own; those that this machine was given are as good.
            self._tls.load_default_certs()
        elif self._tls is None:
            self._tls = ssl.SSLContext(ssl.PROTOCOL_TLS_CLIENT)
        return self._tls

    def _named(self, error: httpx.TransportError, progress: _Progress) -> ExchangeError:
        """What httpx raised before there was a head, by the name that we have for it."""
        cause = _cause(error)
        match error:
            case httpx.ConnectTimeout():
                return ExchangeError("provider.connect-timeout", f"{self._timing.connect:g} s")
            case httpx.TimeoutException():
                return ExchangeError("provider.slow-start", f"{self._timing.first_byte:g} s")
            case httpx.ProxyError():
                return ExchangeError("provider.proxy", f"{self._first_stop()} said {error}")
            case httpx.ConnectError():
                return no_connection(self._first_stop(), cause)
            case httpx.LocalProtocolError():
                # Which one is not said: it may be the one that holds the key.
                return ExchangeError("provider.bad-request", "a header holds what no header can")
            case httpx.RemoteProtocolError() if cause is not None:
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


class _Body(httpx.AsyncByteStream):
    """A request's body in one piece. httpx's own is a generator, which a cancelled write leaves hanging."""

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
        self.until_head = trio.CancelScope()
        """Its deadline is set when the request is out: a head that drips in is no faster than one that is late."""
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
            self.until_head.deadline = trio.current_time() + self._first_byte


async def _read(response: httpx.Response, sink: Sink, idle: float) -> bool:
    """Feeds a body to a sink. Returns whether it ended, so that the connection can be used again."""
    wrong: Exception | None = None
    enough, ended = False, False
    try:
        with trio.CancelScope() as scope:
            # Never left early, or the generators below it would be left hanging: what is enough, or wrong,
            # stops the next read instead.
            async for chunk in response.aiter_raw():
                try:
                    done = wrong is None and sink.feed(chunk)
                except Exception as error:
                    wrong = error
                    scope.cancel()
                else:
                    if done and not enough:
                        enough = True
                        scope.deadline = trio.current_time() + _AFTER_THE_END
            ended = True
    except httpx.TimeoutException:
        if not enough and wrong is None:
            raise ExchangeError("provider.stalled", f"{idle:g} s") from None
    except httpx.TransportError:
        # It broke: whether what came is whole is for the sink to say.
        ended = False
    if wrong is not None:
        raise wrong
    sink.closed(ended or enough)
    return ended


def _has_leftovers(transport: httpx.AsyncHTTPTransport) -> bool:
    """Whether more came than the answer. httpcore would read it as the answer to the next request; nothing public
    tells, and a test sees to it that this still does."""
    connections = getattr(getattr(transport, "_pool", None), "connections", ())
    states = [getattr(getattr(one, "_connection", None), "_h11_state", None) for one in connections]
    return any(state is not None and state.trailing_data[0] for state in states)


def _head(response: httpx.Response) -> Head:
    headers = {
        name.decode("latin-1").lower(): value.decode("latin-1") for name, value in response.headers.raw
    }
    return Head(response.status_code, headers)


def _cause(error: httpx.TransportError) -> BaseException | None:
    """What httpcore caught: it hands that on as the argument of its own error, and drops the chain."""
    below = error.__cause__
    first = below.args[0] if below is not None and below.args else None
    return first if isinstance(first, BaseException) else None


def _read_url(url: str) -> httpx.URL:
    try:
        return httpx.URL(url)
    except httpx.InvalidURL as error:
        raise ValueError(str(error)) from None
