"""TLS and proxies."""

from __future__ import annotations

import socket
import ssl
from base64 import b64encode

import pytest
import trio

from judgeflow.runtime.judge.errors import ProviderError
from judgeflow.runtime.providers.open import open_provider
from judgeflow.runtime.providers.way_out import find_proxy

CERTIFICATE = """\
-----BEGIN CERTIFICATE-----
MIIBrTCCAVOgAwIBAgIUXfsOiHy8lQok/GLKCc1EP2cPy7AwCgYIKoZIzj0EAwIw
FDESMBAGA1UEAwwJbG9jYWxob3N0MCAXDTI2MTEzMDA1NDMwOFoYDzIxMjYxMTA2
MDU0MzA4WjAUMRIwEAYDVQQDDAlsb2NhbGhvc3QwWTATBgcqhkjOPQIBBggqhkjO
PQMBBwNCAASiAk0RHbc7KRCxhhR+fqPmLbc2w3AS0zlNbzpE6m71+3+dVZVtZLsT
GDELugvgKvxsPT+8gz1ngMfnTfCjTc/Xo4GAMH4wHQYDVR0OBBYEFHRLTE9M522m
FmAL/tH8k15HWm5zMB8GA1UdIwQYMBaAFHRLTE9M522mFmAL/tH8k15HWm5zMA8G
A1UdEwEB/wQFMAMBAf8wKwYDVR0RBCQwIoIJbG9jYWxob3N0gg9zZXJ2aWNlLmV4
YW1wbGWHBH8AAAEwCgYIKoZIzj0EAwIDSAAwRQIgPYFA5k2JNBKGGA7p7srdc9l2
WL/J/cfM0FLy1PJMvQkCIQCYsLhP6K+DVSy8vU3hauhmXVggp/G4EMe1s8CmlU40
Yg==
-----END CERTIFICATE-----
"""
KEY = """\
-----BEGIN PRIVATE KEY-----
MIGHAgEAMBMGByqGSM49AgEGCCqGSM49AwEHBG0wawIBAQQgGFg9MBqO0us7OTg5
Zd2jvmxJv45C25ophfqiJlNxXN6hRANCAASiAk0RHbc7KRCxhhR+fqPmLbc2w3AS
0zlNbzpE6m71+3+dVZVtZLsTGDELugvgKvxsPT+8gz1ngMfnTfCjTc/X
-----END PRIVATE KEY-----
"""


@pytest.fixture
def identity(tmp_path):
    """A certificate for localhost that nobody but this test trusts."""
    pem = tmp_path / "localhost.pem"
    pem.write_text(KEY + CERTIFICATE)
    return pem


async def secured(kit, identity, server, task_status=trio.TASK_STATUS_IGNORED) -> None:
    context = ssl.create_default_context(ssl.Purpose.CLIENT_AUTH)
    context.load_cert_chain(identity)
    listeners = await trio.open_ssl_over_tcp_listeners(0, context, host="127.0.0.1", https_compatible=True)
    task_status.started(listeners[0].transport_listener.socket.getsockname()[1])

    async def handle(stream) -> None:
        try:
            await server.serve(stream)
        except (trio.BrokenResourceError, ssl.SSLError, AttributeError):
            await trio.lowlevel.checkpoint()

    await trio.serve_listeners(handle, listeners)


async def test_a_certificate_that_nobody_vouches_for_is_refused_and_nothing_is_sent(kit, identity) -> None:
    server = kit.Server([kit.answers(kit.said("ok"))])
    async with trio.open_nursery() as nursery:
        port = await nursery.start(secured, kit, identity, server)
        target = kit.target(f"https://localhost:{port}/v1")
        async with open_provider(target, kit.clockwork()) as provider:
            with pytest.raises(ProviderError) as caught:
                await provider.chat(kit.asks())
        nursery.cancel_scope.cancel()
    assert (caught.value.code, caught.value.attempts, server.requests) == ("provider.tls", 1, [])
    assert "certificate" in caught.value.message


@pytest.mark.parametrize("text", [None, "no certificate\n"])
async def test_certificates_that_cannot_be_read_are_told_by_the_variable_that_names_them(
    kit, tmp_path, monkeypatch, text
) -> None:
    file = tmp_path / "roots.pem"
    if text is not None:
        file.write_text(text)
    monkeypatch.setenv("SSL_CERT_FILE", str(file))
    async with open_provider(kit.target("https://127.0.0.1:9/v1"), kit.clockwork()) as provider:
        with pytest.raises(
            ProviderError, match="SSL_CERT_FILE or SSL_CERT_DIR names cannot be read"
        ) as caught:
            await provider.chat(kit.asks())
    assert (caught.value.code, caught.value.attempts) == ("provider.tls", 1)


async def test_a_certificate_that_is_trusted_carries_the_call(kit, identity) -> None:
    server = kit.Server([kit.streams(kit.delta("ok", "stop"))])
    trusting = ssl.create_default_context(cadata=CERTIFICATE)
    async with trio.open_nursery() as nursery:
        port = await nursery.start(secured, kit, identity, server)
        target = kit.target(f"https://localhost:{port}/v1")
        async with open_provider(target, kit.clockwork(tls=trusting)) as provider:
            texts = [(await provider.chat(kit.asks())).text for _ in range(2)]
        nursery.cancel_scope.cancel()
    assert (texts, server.connections) == (["ok", "ok"], 1)


OPENAI = ("https", "api.openai.com")


@pytest.mark.parametrize(
    ("origin", "environ", "proxy"),
    [
        (OPENAI, {}, None),
        (OPENAI, {"HTTPS_PROXY": "http://proxy:3128"}, "http://proxy:3128"),
        (OPENAI, {"https_proxy": "proxy:3128", "HTTPS_PROXY": "other:1"}, "http://proxy:3128"),
        (OPENAI, {"HTTP_PROXY": "http://proxy:3128"}, None),
        (OPENAI, {"ALL_PROXY": "http://proxy:3128"}, "http://proxy:3128"),
        (OPENAI, {"ALL_PROXY": "socks5://proxy:1080"}, "socks5://proxy:1080"),
        (OPENAI, {"HTTPS_PROXY": "http://proxy:1", "NO_PROXY": "a.com, .openai.com"}, None),
        (OPENAI, {"HTTPS_PROXY": "http://proxy:1", "NO_PROXY": "*"}, None),
        (OPENAI, {"HTTPS_PROXY": "http://proxy:1", "NO_PROXY": "notopenai.com"}, "http://proxy:1"),
        (("http", "127.0.0.1"), {"ALL_PROXY": "http://proxy:1"}, None),
        (("http", "::1"), {"ALL_PROXY": "http://proxy:1"}, None),
        (("http", "localhost"), {"HTTP_PROXY": "http://proxy:1"}, None),
    ],
)
def test_a_proxy_is_found_as_curl_finds_it(origin, environ, proxy) -> None:
    assert find_proxy(*origin, environ) == proxy


async def test_a_proxy_is_asked_for_the_whole_address(kit) -> None:
    async with kit.serving(kit.answers(kit.said("ok"))) as server:
        environ = {"HTTP_PROXY": f"http://user:pass@127.0.0.1:{server.port}"}
        target = kit.target("http://api.example.com/v1")
        async with open_provider(target, kit.clockwork(environ=environ)) as provider:
            assert (await provider.chat(kit.asks())).text == "ok"
    assert server.requests[0].target == "http://api.example.com/v1/chat/completions"
    assert server.requests[0].headers["proxy-authorization"] == "Basic " + b64encode(b"user:pass").decode()


async def test_a_proxy_that_lets_nothing_through_is_named_and_sees_no_key(kit) -> None:
    async with kit.serving(kit.answers("", 407)) as server:
        environ = {"HTTPS_PROXY": f"http://127.0.0.1:{server.port}"}
        async with open_provider(
            kit.target("https://api.example.com/v1"), kit.clockwork(environ=environ)
        ) as provider:
            with pytest.raises(ProviderError) as caught:
                await provider.chat(kit.asks())
    assert caught.value.code == "provider.proxy"
    assert "407" in caught.value.message
    assert server.requests[0].target == "api.example.com:443"
    assert "authorization" not in server.requests[0].headers


@pytest.mark.parametrize(
    ("proxy", "said"), [("socks5://u:pw@127.0.0.1:1", "httpx[socks]"), ("ftp://u:pw@127.0.0.1:1", "is none")]
)
async def test_a_proxy_that_cannot_be_used_is_named_and_never_gone_around(kit, proxy, said) -> None:
    clock = kit.clockwork(environ={"ALL_PROXY": proxy})
    async with open_provider(kit.target("http://api.example.com/v1"), clock) as provider:
        with pytest.raises(ProviderError) as caught:
            await provider.chat(kit.asks())
    assert (caught.value.code, caught.value.attempts) == ("provider.proxy", 1)
    assert said in caught.value.message
    assert "pw" not in caught.value.message


async def test_a_proxy_that_is_not_there_is_the_one_that_is_named(kit) -> None:
    with socket.socket() as taken:
        taken.bind(("127.0.0.1", 0))
        port = taken.getsockname()[1]
    clock = kit.clockwork(environ={"HTTPS_PROXY": f"http://127.0.0.1:{port}"})
    async with open_provider(kit.target("https://api.example.com/v1", retries=0), clock) as provider:
        with pytest.raises(ProviderError) as caught:
            await provider.chat(kit.asks())
    assert caught.value.code == "provider.refused"
    assert f"127.0.0.1:{port}" in caught.value.message


async def test_a_tunnel_carries_tls_to_the_service(kit, identity) -> None:
    behind = kit.Server([kit.answers(kit.said("ok"))])

    async def tunnel(stream) -> None:
        head = b""
        while b"\r\n\r\n" not in head:
            head += await stream.receive_some(4096)
        port = int(head.split(b" ")[1].rpartition(b":")[2])
        await stream.send_all(b"HTTP/1.1 200 Connection established\r\n\r\n")
        onward = await trio.open_tcp_stream("127.0.0.1", port)
        async with onward, trio.open_nursery() as nursery:
            nursery.start_soon(copy, stream, onward)
            nursery.start_soon(copy, onward, stream)

    async def copy(source, sink) -> None:
        try:
            async for data in source:
                await sink.send_all(data)
        except trio.BrokenResourceError:
            await trio.lowlevel.checkpoint()

    trusting = ssl.create_default_context(cadata=CERTIFICATE)
    async with trio.open_nursery() as nursery:
        port = await nursery.start(secured, kit, identity, behind)
        proxies = await trio.open_tcp_listeners(0, host="127.0.0.1")
        nursery.start_soon(trio.serve_listeners, tunnel, proxies)
        environ = {"HTTPS_PROXY": f"http://127.0.0.1:{proxies[0].socket.getsockname()[1]}"}
        clock = kit.clockwork(environ=environ, tls=trusting)
        # A name that is not this machine's, or no proxy would be asked; the certificate holds it too.
        async with open_provider(kit.target(f"https://service.example:{port}/v1"), clock) as provider:
            assert (await provider.chat(kit.asks())).text == "ok"
        nursery.cancel_scope.cancel()
    assert behind.requests[0].headers["authorization"] == f"Bearer {kit.KEY}"
