"""The cancellation guard."""

import trio
from trio.testing import MockClock, assert_checkpoints

from judgeflow.runtime.core import RunGuard


async def test_the_check_notices_a_deadline_that_passed_in_synchronous_work(mock_clock: MockClock) -> None:
    reached = False
    with trio.move_on_after(1) as scope:
        mock_clock.jump(2)
        await RunGuard(scope).check()
        reached = True
    assert scope.cancelled_caught
    assert not reached


async def test_the_check_is_a_full_checkpoint() -> None:
    with trio.CancelScope() as scope, assert_checkpoints():
        await RunGuard(scope).check()
