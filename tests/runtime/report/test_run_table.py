from __future__ import annotations

from typing import Any

from judgeflow.runtime.report.run_table import render_runs
from judgeflow.runtime.store.money import Cost
from judgeflow.runtime.store.records import TernHead

STARTED, ENDED = "2026-03-01T11:59:00.000Z", "2026-03-01T11:59:04.200Z"


def head(id: str = "7f3a9c0112345678", **fields: Any) -> TernHead:
    defaults: dict[str, Any] = {
        "thread": "t1",
        "flow": "answer",
        "workflow": "support",
        "status": "answered",
        "task": "My name is Pavel",
        "started": STARTED,
        "ended": ENDED,
    }
    return TernHead(id=id, **(defaults | fields))


def test_a_run_is_a_line() -> None:
    cost = Cost().plus("agent:writer", "0.0044")
    assert render_runs([head(cost=cost)]) == (
        "run       started (UTC)     status      flow              time   cost     task\n"
        "7f3a9c01  2026-03-01 11:59  ✔ answered  support · answer  4.2 s  $0.0044  My name is Pavel\n"
    )


def test_a_run_that_was_not_answered_says_why() -> None:
    assert "My name is Pavel — the service said no" in render_runs(
        [head(status="failed", reason="the service said no")]
    )


def test_unreadable_judgements_are_counted_where_the_status_stands() -> None:
    assert "✔ answered, 2 unreadable" in render_runs([head(unreadable=2)])


def test_a_run_that_goes_on_has_no_time_yet() -> None:
    assert "▶ running" in render_runs([head(status="running", ended=None)])


def test_ids_are_as_long_as_telling_them_apart_takes() -> None:
    lines = render_runs([head("7f3a9c01aa"), head("7f3a9c01ab")]).splitlines()
    assert [line.split()[0] for line in lines[1:]] == ["7f3a9c01aa", "7f3a9c01ab"]


def test_no_line_is_wider_than_the_screen() -> None:
    text = render_runs([head(task="x y " * 200), head(task="日本語 " * 200)], width=100)
    assert all(len(line) <= 100 for line in text.splitlines())
    assert text.count("…") == 2


def test_more_runs_than_are_shown_are_announced() -> None:
    assert render_runs([head()], total=1234).endswith("1 of 1,234 runs; --limit 1234 shows them all\n")
    assert "shows them all" not in render_runs([head()], total=1)


def test_no_runs_is_said() -> None:
    assert render_runs([]) == "no runs\n"


def test_a_task_cannot_move_the_cursor() -> None:
    assert "\x1b" not in render_runs([head(task="\x1b[2J", flow="\x1b[1m")])
