"""The way to models: kinds, fallbacks, prices, and what is booked when a call does not come back."""

from __future__ import annotations

from typing import Any

import pytest
import trio

from judgeflow.runtime.core import ActorCrashed
from judgeflow.runtime.judge.errors import ProviderContractError, ProviderError
from judgeflow.runtime.judge.protocol import ChatReply, Usage
from judgeflow.runtime.run import events

from ..helpers import Model, opened, run, step, unchecked

SOURCE = """
model small "fake/small" {clauses}
model other "spare/other" {{ price $4 in, $4 out }}
agent writer {{ model small }}
flow main(task: text) -> text {{ return writer(task) }}
"""
PRICED = "{ price $1 in, $2 out }"


def source(clauses: str = PRICED) -> str:
    return SOURCE.format(clauses=clauses)


async def one(reply: Any, clauses: str = PRICED, other: Any = "spare") -> tuple[Any, Model]:
    second = Model(other)
    return await run(source(clauses), "go", models={"small": Model(reply), "other": second}), second


@pytest.mark.parametrize(
    ("usage", "expected"),
    [
        (Usage(1000, 500), "0.002"),
        (Usage(1000, 500, cached_tokens=900, reasoning_tokens=400), "0.002"),
        (Usage(1000, 500, cost="0.0007"), "0.0007"),
        (Usage(None, None), "unknown"),
        (Usage(1000, 500, incomplete=True), "unknown"),
    ],
)
async def test_a_services_own_figure_wins_then_price_times_tokens_and_else_nobody_knows(
    usage: Usage, expected: str
) -> None:
    result, _ = await one(ChatReply("x", usage=usage))
    assert result.cost.total == expected
    assert result.cost.parties == {"agent:writer": expected}


async def test_an_incomplete_cost_keeps_what_is_known_of_it() -> None:
    result, _ = await one(ChatReply("x", usage=Usage(1000, 500, incomplete=True)))
    assert (result.cost.total, result.cost.known) == ("unknown", "0.002")
    assert result.record.usage.unreported == 1


async def test_u14_a_model_without_a_price_is_unknown_and_never_free() -> None:
    result, _ = await one("x", "{ temperature 0 }")
    assert result.cost.total == "unknown"


@pytest.mark.parametrize("slug", ["script/x", "echo/x", "local/x"])
async def test_what_runs_inside_costs_nothing(slug: str) -> None:
    free = source("").replace("fake/small", slug)
    result = await run(unchecked(free), "go", models={"small": Model("x"), "other": Model("")})
    assert (result.cost.total, result.record.usage.input_tokens) == ("0", 10)


async def test_a_refused_answer_that_was_paid_for_is_booked() -> None:
    error = ProviderError("it refused", code="provider.refused", usage=Usage(10, 5))
    result, _ = await one(error)
    assert (result.status, result.record.code) == ("failed", "step.agent")
    assert (result.cost.total, result.record.usage.calls) == ("0.00002", 1)


async def test_a_call_that_failed_for_nothing_is_not_booked() -> None:
    result, _ = await one(ProviderError("it is down", code="provider.down"))
    assert (result.cost.total, result.record.usage.calls) == ("0", 0)


async def test_a_fallback_is_asked_when_there_is_no_whole_answer_and_pays_its_own_price() -> None:
    error = ProviderError("it is down", code="provider.down")
    result, other = await one(error, "{ price $1 in, $2 out  fallback [other] }")
    assert (result.answer, len(other.requests)) == ("spare", 1)
    assert result.cost.total == "0.00006"
    assert result.record.warnings == ("agent:writer: it is down (provider.down); asked other instead",)


async def test_where_the_last_fallback_fails_too_its_error_is_the_steps() -> None:
    error = ProviderError("it is down", code="provider.down")
    last = ProviderError("so is this", code="provider.down")
    result, _ = await one(error, "{ fallback [other] }", last)
    assert result.record.reason == "writer: so is this"
    assert result.error.__cause__ is last


async def test_a_broken_contract_is_no_reason_to_ask_another_one() -> None:
    result, other = await one(ProviderContractError("nonsense"), "{ fallback [other] }")
    assert (result.status, other.requests) == ("failed", [])


async def test_a_bug_in_a_provider_ends_its_run_and_spares_the_others(autojump_clock: Any) -> None:
    small = Model(KeyError("choices"), "x")
    async with opened(source(), {"small": small, "other": Model("")}) as session:
        bad = await session.run("one")
        good = await session.run("two")
    assert (bad.status, bad.record.code, good.status) == ("failed", "step.agent", "answered")
    assert isinstance(bad.error.__cause__ if bad.error else None, ActorCrashed)
    assert bad.cost.total == "unknown", "nobody knows what the call has cost"
    assert small.opened == 2, "its connections were renewed"


async def test_a_cancelled_call_may_have_cost_something(autojump_clock: Any) -> None:
    seen: list[events.Event] = []
    with trio.move_on_after(1):
        await run(
            source(), "go", models={"small": Model("x", seconds=9), "other": Model("")}, hooks=[seen.append]
        )
    [ended] = [event for event in seen if isinstance(event, events.RunEnded)]
    assert ended.tern.status == "cancelled"
    assert (ended.tern.cost.total, ended.tern.usage.calls, ended.tern.usage.unreported) == ("unknown", 1, 1)


async def test_settings_of_the_model_reach_the_service_under_its_own_name() -> None:
    small = Model("x")
    await run(
        source("{ temperature 0.3  max_tokens 77  timeout 9s }"),
        "go",
        models={"small": small, "other": small},
    )
    request = small.requests[0]
    assert (request.model, request.temperature, request.max_tokens, request.timeout) == (
        "fake/small",
        0.3,
        77,
        9.0,
    )
    caller = request.caller
    assert (caller.party, caller.name, caller.attempt, caller.sample) == ("agent:writer", "writer", 0, 0)
    assert (caller.step, dict(caller.values)) == ("1", {"task": "go"})


async def test_models_of_one_provider_share_it() -> None:
    shared = Model("x")
    await run(source(), "go", models={"small": shared, "other": shared})
    assert shared.opened == 1


async def test_a_step_keeps_which_model_answered() -> None:
    result, _ = await one(ChatReply("x", model="small-2026-01", usage=Usage(1, 1)))
    assert step(result, "writer").attempts[0].model == "small-2026-01"
