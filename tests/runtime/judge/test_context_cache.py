"""Contexts that are kept for a while."""

from __future__ import annotations

from typing import Any

import pytest
import trio

from judgeflow.runtime.judge.context_cache import MOST, KeptContexts


class Source:
    def __init__(self) -> None:
        self.calls = 0
        self.fails = 0

    async def __call__(self) -> int:
        self.calls += 1
        await trio.sleep(1)
        if self.fails:
            self.fails -= 1
            raise LookupError
        return self.calls


async def test_c61_a_value_is_kept_for_its_time_from_when_it_was_there(autojump_clock: Any) -> None:
    kept, source = KeptContexts(10, trio.current_time), Source()
    assert await kept.get("a", source) == 1
    await trio.sleep(9.9)
    assert await kept.get("a", source) == 1
    await trio.sleep(0.1)
    assert await kept.get("a", source) == 2


async def test_keys_do_not_wait_for_each_other(autojump_clock: Any) -> None:
    kept, source = KeptContexts(10, trio.current_time), Source()
    async with trio.open_nursery() as nursery:
        for key in range(5):
            nursery.start_soon(kept.get, key, source)
    assert (source.calls, trio.current_time()) == (5, 1.0)


async def test_who_waits_for_one_that_fails_tries_itself(autojump_clock: Any) -> None:
    kept, source = KeptContexts(10, trio.current_time), Source()
    source.fails = 2
    outcomes: list[Any] = []

    async def get() -> None:
        try:
            outcomes.append(await kept.get("a", source))
        except LookupError:
            outcomes.append("failed")

    async with trio.open_nursery() as nursery:
        for _ in range(4):
            nursery.start_soon(get)
    assert sorted(map(str, outcomes)) == ["3", "3", "failed", "failed"]


async def test_who_is_cancelled_while_it_waits_holds_up_nobody(autojump_clock: Any) -> None:
    kept, source = KeptContexts(10, trio.current_time), Source()
    with trio.move_on_after(0.5):
        async with trio.open_nursery() as nursery:
            for _ in range(3):
                nursery.start_soon(kept.get, "a", source)
    assert await kept.get("a", source) == 2
    assert kept._resolving == {}


async def test_the_oldest_are_forgotten_first() -> None:
    kept = KeptContexts(10, trio.current_time)

    async def value() -> str:
        return "value"

    for key in range(MOST + 10):
        await kept.get(key, value)
    assert (len(kept._kept), next(iter(kept._kept))) == (MOST, 10)
    assert kept._resolving == {}


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_two_event_loops_at_once_wait_for_their_own_alone(order: tuple[int, int]) -> None:
    kept = KeptContexts(10, lambda: 0.0)
    calls: list[int] = []

    async def use(number: int) -> None:
        async def resolve() -> int:
            calls.append(number)
            await trio.lowlevel.checkpoint()
            return number

        await kept.get("a", resolve)

    async def main() -> None:
        async with trio.open_nursery() as nursery:
            for number in order:
                nursery.start_soon(trio.to_thread.run_sync, trio.run, use, number)

    trio.run(main)
    assert 1 <= len(calls) <= 2
    assert kept._resolving == {}
