"""Permits and the circuit breaker, on a clock that only moves when everybody sleeps."""

from __future__ import annotations

import pytest
import trio

from judgeflow.runtime.judge.errors import ProviderError
from judgeflow.runtime.providers.breaker import Breaker
from judgeflow.runtime.providers.failures import Failures
from judgeflow.runtime.providers.permits import Permits

FAILURES = Failures("openai")


async def rounds(permits: Permits, calls: int) -> list[int]:
    """How many calls were allowed at once after each round of good answers."""
    seen: list[int] = []

    async def call() -> None:
        async with permits:
            await trio.sleep(1)
            permits.went_well()

    for _ in range(calls):
        async with trio.open_nursery() as nursery:
            for _ in range(permits.at_once + 1):
                nursery.start_soon(call)
        seen.append(permits.at_once)
    return seen


async def test_a_service_starts_low_and_doubles_to_its_limit(autojump_clock) -> None:
    permits = Permits(64)
    assert permits.at_once == 16
    seen = await rounds(permits, 3)
    assert seen[0] >= 32
    assert seen[-1] == 64


async def test_what_is_not_used_does_not_grow(autojump_clock) -> None:
    permits = Permits(64)
    for _ in range(100):
        async with permits:
            permits.went_well()
    assert permits.at_once == 16


async def test_a_declared_number_is_used_from_the_first_call(autojump_clock) -> None:
    assert Permits(128, start=128).at_once == 128


async def test_slow_down_halves_once_a_burst_and_then_it_grows_by_one_a_round(autojump_clock) -> None:
    permits = Permits(64, start=64)
    sent_at = trio.current_time()
    await trio.sleep(1)
    for _ in range(5):
        permits.slow_down(sent_at)
    assert permits.at_once == 32
    await trio.sleep(1)
    permits.slow_down(trio.current_time())
    assert permits.at_once == 16
    assert (await rounds(permits, 1))[0] in (16, 17)


async def test_there_is_always_room_for_one(autojump_clock) -> None:
    permits = Permits(4, start=4)
    for _ in range(5):
        await trio.sleep(1)
        permits.slow_down(trio.current_time())
    assert permits.at_once == 1


async def test_a_cancelled_wait_takes_no_permit(autojump_clock) -> None:
    permits = Permits(1, start=1)
    async with permits:
        with trio.move_on_after(1):
            async with trio.open_nursery() as nursery:
                nursery.start_soon(permits.__aenter__)
        assert permits.in_use == 1
    assert permits.in_use == 0


def broken(breaker: Breaker, code: str, times: int = 1) -> None:
    for _ in range(times):
        breaker.failed(FAILURES.make(code))


async def test_u34_the_circuit_opens_after_five_failures_in_a_row(autojump_clock) -> None:
    breaker = Breaker(FAILURES)
    broken(breaker, "provider.server-error", 4)
    breaker.went_well()
    broken(breaker, "provider.server-error", 4)
    breaker.check()
    broken(breaker, "provider.server-error")
    with pytest.raises(
        ProviderError, match=r"left alone for a while: 30 s more, because of: openai: it failed"
    ) as caught:
        breaker.check()
    assert (caught.value.code, caught.value.retryable) == ("provider.circuit-open", False)


async def test_after_the_cooldown_one_call_tries_for_all(autojump_clock) -> None:
    breaker = Breaker(FAILURES)
    broken(breaker, "provider.refused", 5)
    await trio.sleep(31)
    trial = breaker.check()
    assert trial
    with pytest.raises(ProviderError):
        breaker.check()
    assert breaker.check(trial=trial)
    breaker.went_well()
    assert breaker.check() is False


async def test_mistakes_of_ours_open_no_circuit(autojump_clock) -> None:
    breaker = Breaker(FAILURES)
    for code in ("provider.bad-request", "provider.rate-limited", "provider.length", "provider.refusal"):
        broken(breaker, code, 9)
    assert breaker.check() is False


async def test_case_080_a_spent_quota_opens_it_at_once(autojump_clock) -> None:
    breaker = Breaker(FAILURES)
    broken(breaker, "provider.quota")
    with pytest.raises(ProviderError):
        breaker.check()
