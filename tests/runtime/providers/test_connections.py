"""Connections: used again, never trusted when stale, closed with a cancelled call, as many as the permits."""

from __future__ import annotations

import json

import pytest
import trio
import trio.testing

from judgeflow.runtime.providers.open import open_provider
from judgeflow.runtime.providers.settings import Timing


async def test_a_connection_is_used_again(kit) -> None:
    async with kit.provider(kit.answers(kit.said("ok"))) as (provider, server):
        for _ in range(5):
            await provider.chat(kit.asks())
    assert (len(server.requests), server.connections) == (5, 1)


async def test_a_stream_leaves_its_connection_for_the_next_call(kit) -> None:
    async with kit.provider(kit.streams(kit.delta("ok", "stop"))) as (provider, server):
        for _ in range(3):
            await provider.chat(kit.asks())
    assert server.connections == 1


async def test_an_answer_is_there_once_it_is_whole_even_where_the_body_does_not_end(kit) -> None:
    async def endless(_, wire) -> None:
        body = kit.event(kit.delta("ok", "stop")) + kit.event("[DONE]")
        await wire.send(kit.HEAD_OF_A_STREAM + kit.chunk(body))
        await wire.until_closed()

    async with kit.provider(endless) as (provider, server):
        with trio.fail_after(20):
            assert (await provider.chat(kit.asks())).text == "ok"
    assert server.connections == 1


async def test_a_connection_that_the_server_closed_is_not_used_and_nothing_is_retried(kit) -> None:
    async def last(_, wire) -> None:
        await wire.send(kit.http(kit.said("ok")))
        wire.close()

    waits: list[float] = []
    clock = kit.clockwork(on_retry=lambda _, delay, __: waits.append(delay))
    async with kit.provider(last, clock=clock) as (provider, server):
        for _ in range(3):
            await provider.chat(kit.asks())
            await trio.sleep(0.01)
    assert (server.connections, waits) == (3, [])


@pytest.mark.parametrize("framed", [True, False])
async def test_a_connection_that_ends_with_its_answer_is_not_used_again(kit, framed) -> None:
    async def last(_, wire) -> None:
        if framed:
            await wire.send(kit.http(kit.said("ok"), headers={"connection": "close"}))
        else:
            await wire.send(b"HTTP/1.0 200 OK\r\ncontent-type: application/json\r\n\r\n")
            await wire.send(json.dumps(kit.said("ok")).encode())
        wire.close()

    async with kit.provider(last, retries=0) as (provider, server):
        for _ in range(3):
            assert (await provider.chat(kit.asks())).text == "ok"
    assert (server.connections, len(server.requests)) == (3, 3)


async def test_a_server_that_closes_just_as_we_send_is_asked_on_a_new_connection(kit) -> None:
    async def vanish(_, wire) -> None:
        wire.close()

    plays = (kit.answers(kit.said("one")), vanish, kit.answers(kit.said("two")))
    async with kit.provider(*plays, retries=0) as (provider, server):
        await provider.chat(kit.asks())
        assert (await provider.chat(kit.asks())).text == "two"
    assert (server.connections, len(server.requests)) == (2, 3)


async def test_case_086_declared_concurrency_is_reached_at_once(kit) -> None:
    together = trio.Event()

    async def play(_, wire) -> None:
        if server.at_once == 48:
            together.set()
        await together.wait()
        await wire.send(kit.http(kit.said("ok")))

    async with kit.provider(play, concurrency=48) as (provider, server):
        assert provider.concurrency == 48
        with trio.fail_after(20):
            async with trio.open_nursery() as nursery:
                for _ in range(48):
                    nursery.start_soon(provider.chat, kit.asks())
    assert (server.most_at_once, server.connections) == (48, 48)


async def test_more_calls_than_permits_wait_and_waiting_is_no_failure(kit) -> None:
    async def slow(_, wire) -> None:
        await wire.sleep(0.09)
        await wire.send(kit.http(kit.said("ok")))

    texts: list[str] = []
    async with kit.provider(slow, concurrency=2) as (provider, server):

        async def call() -> None:
            texts.append((await provider.chat(kit.asks(timeout=0.42))).text)

        async with trio.open_nursery() as nursery:
            for _ in range(10):
                nursery.start_soon(call)
    assert (texts, server.most_at_once) == (["ok"] * 10, 2)


async def test_case_120_a_permit_is_not_held_between_two_calls(kit) -> None:
    async with kit.provider(kit.answers(kit.said("ok")), concurrency=3) as (provider, server):

        async def parent() -> None:
            await provider.chat(kit.asks())
            async with trio.open_nursery() as children:
                children.start_soon(provider.chat, kit.asks())
                children.start_soon(provider.chat, kit.asks())

        with trio.fail_after(5):
            async with trio.open_nursery() as nursery:
                for _ in range(5):
                    nursery.start_soon(parent)
    assert len(server.requests) == 15


async def test_no_permit_is_held_while_a_retry_waits(kit) -> None:
    limited = kit.answers({"error": {"message": "m"}}, 429, headers={"retry-after": "0.2"})
    order: list[str] = []
    async with kit.provider(limited, kit.answers(kit.said("ok")), concurrency=1) as (provider, _):

        async def call(name: str) -> None:
            await provider.chat(kit.asks())
            order.append(name)

        async with trio.open_nursery() as nursery:
            nursery.start_soon(call, "first")
            await trio.sleep(0.05)
            nursery.start_soon(call, "second")
    assert order == ["second", "first"]


async def test_a_request_that_nobody_takes_holds_up_no_other(kit) -> None:
    stuck = 6

    async def play(_, wire) -> None:
        """The first connections answer one request and read no byte of the next one."""
        await wire.sleep(0.02)
        await wire.send(kit.http(kit.said("ok")))
        if server.connections <= stuck:
            await wire.sleep(60)

    async with kit.provider(play, concurrency=20) as (provider, server):
        async with trio.open_nursery() as nursery:
            for _ in range(stuck):
                nursery.start_soon(provider.chat, kit.asks())
        with trio.fail_after(20):
            async with trio.open_nursery() as nursery:
                for _ in range(stuck):
                    nursery.start_soon(provider.chat, kit.asks("x" * 8_000_000))
                await trio.testing.wait_all_tasks_blocked(0.05)
                assert (await provider.chat(kit.asks())).text == "ok"
                nursery.cancel_scope.cancel()
    assert (server.connections, len(server.requests)) == (stuck + 1, stuck + 1)


async def test_a_connection_that_was_not_used_for_long_is_not_trusted(kit) -> None:
    clock = kit.clockwork(timing=Timing(keep_alive=0.01))
    async with kit.provider(kit.answers(kit.said("ok")), clock=clock) as (provider, server):
        await provider.chat(kit.asks())
        await trio.sleep(0.03)
        await provider.chat(kit.asks())
        assert (server.connections, server.open) == (2, 1)


async def test_nothing_that_a_service_sets_is_sent_back(kit) -> None:
    baked = kit.answers(kit.said("ok"), headers={"set-cookie": "session=1; Path=/"})
    async with kit.provider(baked) as (provider, server):
        for _ in range(2):
            await provider.chat(kit.asks())
    assert all("cookie" not in request.headers for request in server.requests)


async def test_closing_a_provider_closes_its_connections(kit) -> None:
    async with kit.serving(kit.answers(kit.said("ok"))) as server:
        async with open_provider(kit.target(server.url), kit.clockwork()) as provider:
            await provider.chat(kit.asks())
            assert server.open == 1
        await trio.sleep(0.02)
        assert server.open == 0


async def test_case_075_retry_after_is_waited_out_before_the_second_call(kit) -> None:
    limited = kit.answers({"error": {"message": "m"}}, 429, headers={"retry-after": "0.3"})
    async with kit.provider(limited, kit.answers(kit.said("ok"))) as (provider, server):
        await provider.chat(kit.asks())
    assert 0.3 <= server.times[1] - server.times[0] < 3


async def test_a_retry_is_announced_with_its_caller_its_wait_and_its_reason(kit) -> None:
    told = []
    clock = kit.clockwork(on_retry=lambda *what: told.append(what))
    async with kit.provider(kit.answers({}, 500), kit.answers(kit.said("ok")), clock=clock) as (provider, _):
        await provider.chat(kit.asks())
    [(caller, delay, error)] = told
    assert (caller.party, error.code, error.attempts) == ("agent:writer", "provider.server-error", 1)
    assert 0 < delay < 0.01


async def test_a_wait_that_is_longer_than_the_time_allowed_is_not_begun(kit) -> None:
    limited = kit.answers({"error": {"message": "m"}}, 429, headers={"retry-after": "60"})
    async with kit.provider(limited) as (provider, server):
        error = None
        with trio.fail_after(20):
            try:
                await provider.chat(kit.asks(timeout=5))
            except Exception as caught:
                error = caught
    assert (getattr(error, "code", None), len(server.requests)) == ("provider.rate-limited", 1)
