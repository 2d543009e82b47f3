"""The way out of this machine: which proxy stands in it, and what the system's own errors on it are called."""

from __future__ import annotations

import ipaddress
import os
import socket
import ssl
from collections.abc import Mapping, Sequence
from urllib.request import proxy_bypass_environment  # type: ignore[attr-defined]  # typeshed lacks it

import trio

from .exchange import ExchangeError


def find_proxy(scheme: str, host: str, environ: Mapping[str, str]) -> str | None:
    """Its url: `HTTPS_PROXY` or `HTTP_PROXY`, else `ALL_PROXY`, unless `NO_PROXY` names the host. What runs
    on this machine is never asked for through a proxy."""
    if _is_local(host) or proxy_bypass_environment(host, {"no": _setting(environ, "no")}):
        return None
    url = _setting(environ, scheme) or _setting(environ, "all")
    if not url:
        return None
    return url if "://" in url else f"http://{url}"


def no_connection(place: str, cause: BaseException | None) -> ExchangeError:
    """The error for a connection that was not made to `place` (`host:port`), from what Trio raised."""
    if isinstance(cause, trio.BrokenResourceError):
        inner = cause.__cause__ or cause
        return ExchangeError(
            "provider.tls" if isinstance(inner, ssl.SSLError) else "provider.reset", _reason(inner)
        )
    if isinstance(cause, socket.gaierror):
        busy = cause.errno == socket.EAI_AGAIN
        host = place.rpartition(":")[0]
        return ExchangeError("provider.dns-busy" if busy else "provider.dns", f"{host}: {cause.strerror}")
    causes = _causes(cause) if cause is not None else []
    refused = any(isinstance(cause, ConnectionRefusedError) for cause in causes)
    code = "provider.refused" if refused else "provider.unreachable"
    return ExchangeError(code, f"{place}: {_reason(causes[-1])}" if causes else place)


def _setting(environ: Mapping[str, str], name: str) -> str:
    return environ.get(f"{name}_proxy") or environ.get(f"{name.upper()}_PROXY") or ""


def _is_local(host: str) -> bool:
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _causes(error: BaseException) -> Sequence[BaseException]:
    """Of a name with several addresses, what became of each."""
    cause = error.__cause__
    if isinstance(cause, BaseExceptionGroup):
        return cause.exceptions
    return [cause or error]


def _reason(error: BaseException) -> str:
    if isinstance(error, OSError) and not isinstance(error, ssl.SSLError | socket.gaierror) and error.errno:
        return os.strerror(error.errno)
    return getattr(error, "strerror", None) or str(error) or type(error).__name__
