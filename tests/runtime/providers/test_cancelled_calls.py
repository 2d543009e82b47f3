"""Calls that are cancelled, at any moment of theirs: the pool behind them works on, and nothing stays open."""

from __future__ import annotations

from random import Random

import pytest
import trio


class CancelAt(trio.abc.Instrument):
    """Cancels a scope before the n-th step of the task that made this."""

    def __init__(self, step: int, scope: trio.CancelScope) -> None:
        self._left = step
        self._scope = scope
        self._task = trio.lowlevel.current_task()

    def before_task_step(self, task: trio.lowlevel.Task) -> None:
        if task is self._task:
            self._left -= 1
            if self._left == 0:
                self._scope.cancel()


async def cut_off(provider, request, step: int) -> bool:
    """Whether the call was still running at that step."""
    with trio.CancelScope() as scope:
        cancelling = CancelAt(step, scope)
        trio.lowlevel.add_instrument(cancelling)
        try:
            await provider.chat(request)
        finally:
            trio.lowlevel.remove_instrument(cancelling)
    return scope.cancelled_caught


@pytest.mark.parametrize("warm", [True, False])
async def test_a_call_cancelled_at_any_of_its_steps_costs_the_pool_nothing(kit, warm) -> None:
    async with kit.provider(kit.streams(kit.delta("ok", "stop")), concurrency=6) as (provider, server):
        step = 0
        cancelled = True
        while cancelled:
            step += 1
            for _ in range(6):
                if warm:
                    await provider.chat(kit.asks())
                cancelled = await cut_off(provider, kit.asks(), step)
        with trio.fail_after(20):
            async with trio.open_nursery() as nursery:
                for _ in range(12):
                    nursery.start_soon(provider.chat, kit.asks())
        await trio.sleep(0.02)
        assert server.open <= 6
    assert step > 5


@pytest.mark.parametrize("seed", range(4))
async def test_calls_cancelled_at_any_moment_never_wedge_a_pool(kit, seed) -> None:
    """While connecting, in line, before the head, within the body, after the end: what comes later is served."""
    random = Random(seed)

    async def play(_, wire) -> None:
        await wire.sleep(random.choice([0, 0, 0.001, 0.004]))
        await wire.send(kit.HEAD_OF_A_STREAM + kit.chunk(kit.event(kit.delta("o"))))
        await wire.sleep(random.choice([0, 0, 0.001, 0.004]))
        await wire.send(kit.chunk(kit.event(kit.delta("k", "stop"))) + b"0\r\n\r\n")

    ended: list[str] = []
    async with kit.provider(play, concurrency=6) as (provider, server):

        async def call() -> None:
            with trio.move_on_after(random.random() * 0.02):
                ended.append((await provider.chat(kit.asks())).text)

        for _ in range(6):
            async with trio.open_nursery() as nursery:
                for _ in range(25):
                    nursery.start_soon(call)
        cancelled = 150 - len(ended)
        with trio.fail_after(20):
            async with trio.open_nursery() as nursery:
                for _ in range(24):
                    nursery.start_soon(lambda: provider.chat(kit.asks()))
        await trio.sleep(0.02)
        assert server.open <= 6
    assert set(ended) <= {"ok"}
    assert cancelled > 20
    assert server.most_at_once <= 12  # those that were left are told so a moment later


async def test_cancelled_calls_leave_a_pool_that_works(kit) -> None:
    slow = True

    async def play(_, wire) -> None:
        if slow:
            await wire.until_closed()
        else:
            await wire.send(kit.http(kit.said("ok")))

    async with kit.provider(play, concurrency=4) as (provider, server):
        for _ in range(5):
            with trio.move_on_after(0.02):
                async with trio.open_nursery() as nursery:
                    for _ in range(12):
                        nursery.start_soon(provider.chat, kit.asks())
        slow = False
        with trio.fail_after(20):
            assert (await provider.chat(kit.asks())).text == "ok"
        assert server.open == 1
