"""The way out: which proxy, if any, stands between us and a service."""

from __future__ import annotations

import ipaddress
from base64 import b64encode
from collections.abc import Mapping
from urllib.parse import unquote, urlsplit

import attrs

from .settings import Secret


@attrs.frozen
class Origin:
    scheme: str
    host: str
    port: int

    @property
    def tls(self) -> bool:
        return self.scheme == "https"

    @property
    def authority(self) -> str:
        host = f"[{self.host}]" if ":" in self.host else self.host
        return host if self.port == (443 if self.tls else 80) else f"{host}:{self.port}"


@attrs.frozen
class Proxy:
    host: str
    port: int
    authorization: Secret | None = None


def find_proxy(origin: Origin, environ: Mapping[str, str]) -> Proxy | None:
    """As curl does: `HTTPS_PROXY` or `HTTP_PROXY`, else `ALL_PROXY`, unless `NO_PROXY` names the host.
    What runs on this machine is never asked for through a proxy."""
    if _is_local(origin.host) or _is_exempt(origin.host, _get(environ, "no_proxy")):
        return None
    url = _get(environ, f"{origin.scheme}_proxy") or _get(environ, "all_proxy")
    if not url:
        return None
    parts = urlsplit(url if "//" in url else f"//{url}")
    if parts.scheme not in ("", "http") or not parts.hostname:
        return None
    authorization = None
    if parts.username is not None:
        login = f"{unquote(parts.username)}:{unquote(parts.password or '')}"
        authorization = Secret("Basic " + b64encode(login.encode()).decode())
    return Proxy(parts.hostname, parts.port or 80, authorization)


def _get(environ: Mapping[str, str], name: str) -> str:
    return environ.get(name) or environ.get(name.upper()) or ""


def _is_local(host: str) -> bool:
    if host == "localhost" or host.endswith(".localhost"):
        return True
    try:
        return ipaddress.ip_address(host).is_loopback
    except ValueError:
        return False


def _is_exempt(host: str, no_proxy: str) -> bool:
    names = [name.strip().lower().lstrip(".") for name in no_proxy.split(",") if name.strip()]
    return "*" in names or any(host == name or host.endswith("." + name) for name in names)
