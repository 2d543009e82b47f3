"""The process that started the server: when it is gone the server leaves."""

from __future__ import annotations

import os
import subprocess
import sys

import pytest
import trio
import trio.testing

from judgeflow.lsp.parent import INTERVAL, can_be_watched, parent_is_gone, watch_parent
from judgeflow.lsp.testing import started


def test_a_process_that_ended_is_gone() -> None:
    child = subprocess.Popen([sys.executable, "-c", ""])
    child.wait()
    assert parent_is_gone(child.pid)
    assert not parent_is_gone(os.getpid())
    assert parent_is_gone(1 << 80)


async def test_the_server_leaves_once_its_parent_is_gone(autojump_clock: trio.testing.MockClock) -> None:
    left: list[float] = []
    await watch_parent(
        7, lambda: left.append(trio.current_time()), lambda pid: trio.current_time() > 3 * INTERVAL
    )
    assert left == [4 * INTERVAL]


@pytest.mark.parametrize(("pid", "expected"), [(0, False), (-1, False), (7, False), (8, True)])
def test_a_parent_that_was_never_there_is_not_waited_for(pid: int, expected: bool) -> None:
    assert can_be_watched(pid, lambda pid: pid == 7) is expected


@pytest.mark.slow
async def test_a_server_whose_editor_was_killed_ends_although_its_input_is_open() -> None:
    editor = await trio.lowlevel.open_process([sys.executable, "-c", "input()"], stdin=subprocess.PIPE)
    with trio.fail_after(30):
        async with started() as (process, client):
            await client.initialize(processId=editor.pid)
            await client.open("file:///w/main.judge", "")
            editor.kill()
            await editor.wait()
            assert await process.wait() == 1
