"""The cancellation guard."""

# ruff: noqa: PT012 - what raises is the whole scenario

import pytest
import trio
from trio.testing import MockClock, assert_checkpoints

from judgeflow.runtime.core import AbortError, CancelHandle, check, shielded, shrink


async def test_the_check_notices_a_deadline_that_passed_in_synchronous_work(mock_clock: MockClock) -> None:
    reached = False
    with trio.move_on_after(1) as scope:
        mock_clock.jump(2)
        await check()
        reached = True
    assert scope.cancelled_caught
    assert not reached


async def test_the_check_is_a_full_checkpoint() -> None:
    with assert_checkpoints():
        await check()


async def test_an_edge_turns_our_own_handle_into_an_abort_with_its_first_reason() -> None:
    handle = CancelHandle()
    reached = False
    with pytest.raises(AbortError, match="limit reached") as caught, handle.edge():
        handle.cancel("limit reached")
        handle.cancel("later")
        await check()
        reached = True
    assert not reached
    assert caught.value.code == "abort"


async def test_a_handle_that_was_cancelled_before_cancels_whatever_it_is_linked_to() -> None:
    handle = CancelHandle()
    handle.cancel("early")
    for _ in range(2):
        with pytest.raises(AbortError, match="early"), handle.edge():
            await check()


async def test_a_handle_cancels_every_edge_that_is_open(autojump_clock: MockClock) -> None:
    handle = CancelHandle()
    ended: list[float] = []

    async def work() -> None:
        with pytest.raises(AbortError), handle.edge():
            await trio.sleep_forever()
        ended.append(trio.current_time())

    async with trio.open_nursery() as nursery:
        nursery.start_soon(work)
        nursery.start_soon(work)
        await trio.sleep(3)
        handle.cancel("enough")
    assert ended == [3, 3]


async def test_a_closed_edge_is_let_go_of() -> None:
    handle = CancelHandle()
    with handle.edge():
        await check()
    handle.cancel("too late")
    await check()
    assert not handle._scopes


async def test_a_callers_cancelled_is_no_abort() -> None:
    handle = CancelHandle()
    with trio.CancelScope() as scope:
        scope.cancel()
        with handle.edge():
            await check()
    assert scope.cancelled_caught


async def test_when_both_are_cancelled_the_caller_wins() -> None:
    handle = CancelHandle()
    with trio.CancelScope() as scope, handle.edge():
        scope.cancel()
        handle.cancel("as well")
        await check()
    assert scope.cancelled_caught


async def test_a_result_that_was_there_in_spite_of_the_handle_is_kept() -> None:
    handle = CancelHandle()
    result = 0
    with handle.edge():
        handle.cancel("late")
        result = 1
    assert result == 1


async def test_shielded_clean_up_runs_under_cancellation_and_ends_with_its_seconds(
    autojump_clock: MockClock,
) -> None:
    done = False
    with trio.move_on_after(1):
        try:
            await trio.sleep_forever()
        finally:
            with shielded(5):
                await trio.sleep(2)
                done = True
                await trio.sleep_forever()
    assert done
    assert trio.current_time() == 6


async def test_a_deadline_only_shrinks(mock_clock: MockClock) -> None:
    assert shrink(3) == 3
    assert shrink() == float("inf")
    with trio.CancelScope(deadline=10):  # noqa: ASYNC100 - only asked for its deadline
        assert (shrink(3), shrink(30), shrink()) == (3, 10, 10)
        with trio.CancelScope(deadline=20):  # noqa: ASYNC100 - the same
            assert shrink(15) == 10
