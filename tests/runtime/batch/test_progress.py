"""What the screen shows of a batch."""

from __future__ import annotations

import io

import msgspec
import pytest

from judgeflow.runtime.batch.progress import Progress, Tally, clock
from judgeflow.runtime.run import events

from .test_results_file import result


class Clock:
    def __init__(self) -> None:
        self.seconds = 100.0

    def __call__(self) -> float:
        return self.seconds


def progress(of: int, *, live: bool = True) -> tuple[Progress, io.StringIO, Clock]:
    stream, now = io.StringIO(), Clock()
    return Progress(stream, Tally(of=of), live, now), stream, now


def test_a_line_tells_rate_cost_what_is_left_and_what_waits() -> None:
    shown, _, now = progress(1000)
    shown.under_way = lambda: 8
    now.seconds += 10
    for exit in (0, 0, 4, 1, 5):
        shown.ended(msgspec.structs.replace(result("x", exit), cost="0.25", known="0.25"))
    shown.event(events.Retrying(run="r", at=0, party="agent:a", delay=11.2, reason="rate limited", attempt=2))
    assert shown.line() == (
        "[                        ] 5 of 1,000  30.0/min  $1.2500  ETA 33:10  8 under way  1 not good enough  "
        "1 paused  1 failed  retrying in 0:12 (rate limited)"
    )
    now.seconds += 12
    assert "retrying" not in shown.line()


def test_an_unknown_cost_is_never_shown_as_nothing() -> None:
    shown, _, _ = progress(2)
    shown.ended(msgspec.structs.replace(result("x"), cost="unknown", known="0.5"))
    assert "$0.5000 + unknown" in shown.line()


def test_a_terminal_has_one_line_that_is_not_written_more_often_than_it_is_read() -> None:
    shown, stream, now = progress(100)
    for _ in range(50):
        shown.ended(result("x"))
    assert stream.getvalue().count("\r") == 1
    now.seconds += 1
    shown.draw()
    shown.close()
    assert stream.getvalue().endswith("50.0/s  $0.00  ETA 0:01\n")


def test_without_a_terminal_there_are_a_few_lines() -> None:
    shown, stream, _ = progress(1000, live=False)
    for _ in range(1000):
        shown.ended(result("x"))
    lines = stream.getvalue().splitlines()
    assert len(lines) == 20
    assert "\r" not in stream.getvalue()
    assert lines[-1].startswith("[████████████████████████] 1,000 of 1,000")


@pytest.mark.parametrize(
    ("seconds", "shown"), [(0, "0:00"), (11.2, "0:12"), (60, "1:00"), (3599.5, "1:00:00"), (3723, "1:02:03")]
)
def test_times(seconds: float, shown: str) -> None:
    assert clock(seconds) == shown


def test_on_a_narrow_terminal_the_line_is_cut_so_that_it_can_be_written_again() -> None:
    shown, stream, _ = progress(1000)
    shown.width = lambda: 20
    shown.draw(always=True)
    assert stream.getvalue() == "\r\x1b[2K[" + " " * 17 + "…"
