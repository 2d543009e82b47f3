"""Limits of a run: asked before a call and after it, and never overshot by calls at once together."""

from __future__ import annotations

from decimal import Decimal
from typing import Any

import pytest
import trio

import judgeflow as jf
from judgeflow.dsl.plan import LimitPlan
from judgeflow.runtime.judge.errors import LimitReached, ProviderError
from judgeflow.runtime.judge.protocol import Usage
from judgeflow.runtime.run import Ledger, Limits

from ..helpers import Model, opened, run, step, unchecked

USED = Usage(60, 40)


def limits(**allowed: Any) -> Limits:
    return Limits([LimitPlan(what, str(amount), "run") for what, amount in allowed.items()], Ledger())  # type: ignore[arg-type]


# --- claims


async def test_without_a_limit_everything_fits_and_days_are_not_runs() -> None:
    free = Limits([LimitPlan("calls", "1", "day")], Ledger())
    assert not free.counts
    for _ in range(3):
        await free.claim(10**9, Decimal(10**9))
    free.check_spent()


async def test_what_is_claimed_is_set_aside_and_others_wait_for_it(autojump_clock: Any) -> None:
    own = limits(tokens=100)
    order: list[str] = []

    async def call(name: str) -> None:
        claim = await own.claim(60)
        order.append(f"{name} starts")
        await trio.sleep(1)
        own.ledger.book(name, Usage(10, 10), Decimal(0))
        order.append(f"{name} ends")
        own.release(claim)

    async with trio.open_nursery() as nursery:
        for name in ("a", "b"):
            nursery.start_soon(call, name)
            await trio.testing.wait_all_tasks_blocked()
    assert order == ["a starts", "a ends", "b starts", "b ends"]


async def test_a_claim_that_would_not_fit_alone_is_refused_and_says_what_is_left() -> None:
    own = limits(tokens=100)
    own.ledger.book("a", USED, Decimal(0))
    with pytest.raises(LimitReached, match="the limit of 100 tokens per run is spent"):
        await own.claim(1)
    own = limits(cost="0.5")
    own.ledger.book("a", USED, Decimal("0.3"))
    await own.claim(0, Decimal("0.2"))
    with pytest.raises(
        LimitReached, match=r"may use 0.3 US dollars, and 0.2 of the 0.5 per run are left"
    ) as caught:
        await own.claim(0, Decimal("0.3"))
    assert (caught.value.what, caught.value.allowed, caught.value.spent) == ("cost", "0.5", "0.3")


def test_crossing_a_limit_is_noticed_and_reaching_it_is_not_crossing() -> None:
    own = limits(tokens=100)
    own.ledger.book("a", USED, Decimal(0))
    own.check_spent()
    own.ledger.book("a", Usage(1, 0), Decimal(0))
    with pytest.raises(LimitReached) as caught:
        own.check_spent()
    assert (caught.value.code, caught.value.spent) == ("limit.tokens", "101")


def test_a_limit_is_only_ever_lowered() -> None:
    own = limits(time=60)
    own.tighten("time", Decimal(90))
    assert own.seconds == 60
    own.tighten("time", Decimal("1.5"))
    assert own.seconds == 1.5


# --- in a run


SOURCE = """
model small "fake/small" {clauses}
agent writer(topic: text) {{ model small  judges [again]  retries 9 }}
code judge again {{ require reply == "good" else "again" }}
limits {{ {limit} per run }}
flow main(items: json) -> json {{
  all = each item in items at most 10 at once: writer("{{{{ item }}}}")
  return all
}}
"""


def source(limit: str, clauses: str = "{ price $1 in, $1000 out }") -> str:
    return SOURCE.format(limit=limit, clauses=clauses)


async def spent(
    limit: str, *replies: Any, items: int = 1, clauses: str = "{ price $1 in, $1000 out }", **more: Any
) -> Any:
    small = Model(*replies, usage=USED, **more)
    result = await run(source(limit, clauses), {"items": list(range(items))}, models={"small": small})
    return result, small


@pytest.mark.parametrize(
    ("limit", "code", "calls", "allowed", "used"),
    [
        ("calls 3", "limit.calls", 3, "3", "3"),
        ("tokens 250", "limit.tokens", 3, "250", "300"),
        ("cost $0.1", "limit.cost", 3, "0.1", "0.12018"),
    ],
)
async def test_a_limit_crossed_ends_the_run_as_guarded_with_the_reason(
    limit: str, code: str, calls: int, allowed: str, used: str
) -> None:
    result, small = await spent(limit, "bad")
    assert (result.status, result.record.code, len(small.requests)) == ("guarded", code, calls)
    [hit] = result.record.limits
    assert (hit.limit, hit.per, hit.allowed, hit.spent) == (code[6:], "run", allowed, used)
    assert "per run is spent" in result.record.reason
    assert [a.outcome for a in step(result, "writer").attempts][:2] == ["rejected", "rejected"]
    assert result.record.usage.calls == calls


async def test_the_answer_that_crossed_a_limit_is_in_the_record() -> None:
    result, _ = await spent("tokens 50", "good")
    [attempt] = step(result, "writer").attempts
    assert (attempt.outcome, attempt.answer) == ("failed", "good")
    assert (attempt.usage.calls, attempt.cost) == (1, "0.04006")
    assert result.status == "guarded"


async def test_a_limit_that_is_exactly_enough_lets_the_run_answer() -> None:
    assert (await spent("calls 1", "good"))[0].status == "answered"
    assert (await spent("tokens 100", "good"))[0].status == "answered"
    assert (await spent("cost $0.04006", "good"))[0].status == "answered"


async def test_calls_at_once_cannot_overshoot_the_number_of_calls(autojump_clock: Any) -> None:
    result, small = await spent("calls 3", "good", items=10, seconds=1)
    assert (result.status, len(small.requests), result.record.usage.calls) == ("guarded", 3, 3)


async def test_calls_at_once_reserve_what_their_longest_answer_may_use(autojump_clock: Any) -> None:
    clauses = "{ price $1 in, $1000 out  max_tokens 100 }"
    result, small = await spent("tokens 100", "good", items=3, clauses=clauses, seconds=1)
    assert (result.status, len(small.requests), result.record.usage.calls) == ("guarded", 1, 1)
    result, small = await spent("cost $0.15", "good", items=3, clauses=clauses, seconds=1)
    # Two could have cost $0.20 together, so they ran one after the other; each cost $0.04 in the end.
    assert (small.most, result.record.usage.calls, result.record.code) == (1, 2, "limit.cost")


async def test_a_call_that_could_not_be_paid_is_not_begun() -> None:
    result, small = await spent("cost $0.05", "good", clauses="{ price $1 in, $1000 out  max_tokens 100 }")
    assert (result.status, result.record.code, small.requests) == ("guarded", "limit.cost", [])
    assert result.record.reason == (
        "one more call may use 0.1 US dollars, and 0.05 of the 0.05 per run are left"
    )


async def test_a_failed_call_gives_back_what_it_had_claimed(autojump_clock: Any) -> None:
    small = Model(ProviderError("it is down"), "good", seconds=1)
    body = source("calls 1").replace('writer("{{ item }}")\n', 'try writer("{{ item }}") else "none"\n')
    result = await run(body, {"items": [1, 2]}, models={"small": small})
    assert (result.status, sorted(result.answer)) == ("answered", ["good", "none"])


async def test_the_time_limit_ends_the_run_as_guarded_with_what_was_paid(autojump_clock: Any) -> None:
    result, small = await spent("time 5s", "bad", seconds=2)
    assert trio.current_time() == 5
    assert (result.status, result.record.code) == ("guarded", "limit.time")
    assert result.record.limits[0].limit == "time"
    assert (small.answered, [a.outcome for a in step(result, "writer").attempts]) == (
        2,
        ["rejected", "rejected", "cancelled"],
    )


async def test_a_cost_limit_wants_a_price_of_every_model_that_may_be_called() -> None:
    tight = limits(cost=1)
    small = Model("good")
    async with opened(unchecked(source("calls 9", "{ temperature 0 }")), {"small": small}) as session:
        with pytest.raises(jf.ConfigurationError, match="small has no price") as caught:
            await session.run({"items": [1]}, limits=tight)
    assert (caught.value.code, small.requests) == ("model.no-price", [])
