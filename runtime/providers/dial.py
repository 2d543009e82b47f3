"""A new connection: name, address, proxy, TLS, each with its own way to fail."""

from __future__ import annotations

import socket
import ssl
from collections.abc import Callable, Sequence

import h11
import trio

from .connection import Connection
from .proxy import Origin, Proxy
from .settings import Timing

_READ = 65_536


class ConnectError(Exception):
    """No connection. `code` is one of the failures' names; `__cause__` says why."""

    def __init__(self, code: str, reason: str) -> None:
        super().__init__(reason)
        self.code = code


async def connect(
    origin: Origin, proxy: Proxy | None, tls: Callable[[], ssl.SSLContext], timing: Timing
) -> Connection:
    """A new connection, through TLS and a proxy where there is one. Raises `ConnectError`."""
    host, port = (proxy.host, proxy.port) if proxy else (origin.host, origin.port)
    with trio.move_on_after(timing.connect):
        stream = await _open(host, port)
        try:
            if proxy and origin.tls:
                await _tunnel(stream, origin, proxy)
            if not origin.tls:
                return Connection(stream)
            secured = trio.SSLStream(stream, tls(), server_hostname=origin.host, https_compatible=True)
            await secured.do_handshake()
            return Connection(secured)
        except BaseException as error:
            stream.socket.close()
            if isinstance(error, trio.BrokenResourceError) and isinstance(error.__cause__, ssl.SSLError):
                raise ConnectError("provider.tls", _reason(error.__cause__)) from error
            if isinstance(error, trio.BrokenResourceError | OSError):
                raise ConnectError("provider.reset", _reason(error)) from error
            raise
    raise ConnectError("provider.connect-timeout", f"{timing.connect:g} s")


async def _open(host: str, port: int) -> trio.SocketStream:
    try:
        stream = await trio.open_tcp_stream(host, port)
    except socket.gaierror as error:
        busy = error.errno == socket.EAI_AGAIN
        raise ConnectError(
            "provider.dns-busy" if busy else "provider.dns", f"{host}: {error.strerror}"
        ) from error
    except OSError as error:
        causes = _causes(error)
        refused = any(isinstance(cause, ConnectionRefusedError) for cause in causes)
        code = "provider.refused" if refused else "provider.unreachable"
        raise ConnectError(code, f"{host}:{port}: {_reason(causes[-1])}") from error
    return stream


async def _tunnel(stream: trio.SocketStream, origin: Origin, proxy: Proxy) -> None:
    http = h11.Connection(h11.CLIENT)
    target = f"{origin.host}:{origin.port}"
    headers = [("host", target)]
    if proxy.authorization is not None:
        headers.append(("proxy-authorization", proxy.authorization.reveal()))
    data = http.send(h11.Request(method="CONNECT", target=target, headers=headers)) or b""
    await stream.send_all(data + (http.send(h11.EndOfMessage()) or b""))
    while (event := http.next_event()) is h11.NEED_DATA:
        http.receive_data(await stream.receive_some(_READ))
    status = event.status_code if isinstance(event, h11.Response) else 0
    if not 200 <= status < 300:
        raise ConnectError("provider.proxy", f"{proxy.host}:{proxy.port} said {status or 'nothing'}")


def _causes(error: BaseException) -> Sequence[BaseException]:
    cause = error.__cause__
    if isinstance(cause, BaseExceptionGroup):
        return cause.exceptions
    return [cause or error]


def _reason(error: BaseException) -> str:
    return getattr(error, "strerror", None) or str(error) or type(error).__name__
