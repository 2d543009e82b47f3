"""What waits is told: as an event, and on the screen. What was cancelled is never sent again."""

from __future__ import annotations

import io

import msgspec
import pytest
import trio

from judgeflow.runtime.report.live import LiveView
from judgeflow.runtime.run import events

from ..helpers import program

SOURCE = """
provider own { api openai  url env OWN_URL }
provider spare { api openai  url env SPARE_URL }
model big "big" via own { retries 3  fallback [small] }
model small "small" via spare
agent writer(topic: text) { model big }
flow main(topic: text) -> text { return writer(topic) }
"""


def limited(kit, wait: str):
    return kit.answers({"error": {"message": "slow down"}}, 429, headers={"retry-after": wait})


@pytest.mark.parametrize(
    ("delay", "shown"), [(12.0, "0:12"), (11.2, "0:12"), (0.3, "0:01"), (75.0, "1:15"), (300.0, "5:00")]
)
def test_the_screen_shows_how_long_it_will_be(delay, shown) -> None:
    stream = io.StringIO()
    view = LiveView(stream, live=False, colour=False, workflow="w")
    view(
        events.Retrying(
            run="r", at=0.0, party="agent:writer", delay=delay, reason="own: rate limited", attempt=3
        )
    )
    assert stream.getvalue() == f"? agent:writer  retrying in {shown} (attempt 3)  own: rate limited\n"


async def test_case_087_every_retry_of_a_run_is_an_event_and_a_line(kit, monkeypatch) -> None:
    stream, seen = io.StringIO(), []
    view = LiveView(stream, live=False, colour=False, workflow="w")
    plays = (limited(kit, "0.05"), limited(kit, "0.05"), kit.answers(kit.said("ok")))
    async with kit.serving(*plays) as server:
        monkeypatch.setenv("OWN_URL", server.url)
        monkeypatch.setenv("SPARE_URL", server.url)
        async with program(SOURCE).opened() as session:
            result = await session.run("terns", hooks=(view, seen.append))
    assert result.answer == "ok"
    told = [event for event in seen if isinstance(event, events.Retrying)]
    assert [(event.party, event.attempt) for event in told] == [("agent:writer", 2), ("agent:writer", 3)]
    assert all(0.05 <= event.delay < 0.2 for event in told)
    assert b'"event":"call.retrying"' in msgspec.json.encode(told[0])
    line = "? agent:writer  retrying in 0:01 (attempt 2)  own: rate limited (HTTP 429): slow down\n"
    assert line in stream.getvalue()


async def test_the_model_after_it_is_asked_where_retries_are_spent_or_cannot_help(kit, monkeypatch) -> None:
    down = kit.answers({"error": {"message": "no such model"}}, 404)
    async with kit.serving(down) as first, kit.serving(kit.answers(kit.said("from the spare"))) as second:
        monkeypatch.setenv("OWN_URL", first.url)
        monkeypatch.setenv("SPARE_URL", second.url)
        async with program(SOURCE).opened() as session:
            result = await session.run("terns")
    assert result.answer == "from the spare"
    [warning] = result.record.warnings
    assert warning == (
        "agent:writer: own: it has no such model, or the url is wrong (HTTP 404): no such model "
        "(provider.no-model); asked small instead"
    )
    assert (len(first.requests), len(second.requests)) == (1, 1)


async def test_a_service_that_is_left_alone_costs_its_fallback_no_wait(kit, monkeypatch) -> None:
    told = {"error": {"message": "m", "type": "insufficient_quota"}}
    async with (
        kit.serving(kit.answers(told, 429)) as first,
        kit.serving(kit.answers(kit.said("ok"))) as second,
    ):
        monkeypatch.setenv("OWN_URL", first.url)
        monkeypatch.setenv("SPARE_URL", second.url)
        async with program(SOURCE).opened() as session:
            results = [await session.run("terns") for _ in range(3)]
    assert [result.answer for result in results] == ["ok"] * 3
    assert "provider.quota" in results[0].record.warnings[0]
    assert "provider.circuit-open" in results[1].record.warnings[0]
    assert (len(first.requests), len(second.requests)) == (1, 3)


def stop(event: events.Event, scope: trio.CancelScope) -> None:
    if isinstance(event, events.Retrying):
        scope.cancel()


async def test_a_run_cancelled_while_it_waits_sends_nothing_more_and_asks_no_fallback(
    kit, monkeypatch
) -> None:
    async with kit.serving(limited(kit, "30")) as first, kit.serving(kit.answers(kit.said("ok"))) as second:
        monkeypatch.setenv("OWN_URL", first.url)
        monkeypatch.setenv("SPARE_URL", second.url)
        async with program(SOURCE).opened() as session:
            with trio.fail_after(20), trio.CancelScope() as scope:
                await session.run("terns", hooks=(lambda event: stop(event, scope),))
        await trio.sleep(0.05)
    assert (scope.cancelled_caught, len(first.requests), second.requests) == (True, 1, [])
