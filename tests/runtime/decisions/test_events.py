"""What an application is told of a decision, when, and that being told can do no harm."""

from __future__ import annotations

from typing import Any

import attrs
import pytest

import judgeflow as jf
from judgeflow.runtime.judge.protocol import Usage

from .by_hand import BILLING, LEVELS, QUESTION, SEVERE, TEAMS, TOLD, UNSURE, WHICH_TEAM, YES, Calls, judge


async def events_of(*answers: Any, **settings: Any) -> list[jf.DecisionEvent]:
    seen: list[jf.DecisionEvent] = []
    asks, _ = judge(*answers, on_decision=seen.append, **settings)
    for answer in answers:
        if answer.kind == "boolean":
            await asks.boolean(condition=QUESTION, context={"customer": "Ada"})
        elif answer.kind == "choice":
            await asks.choice(question=WHICH_TEAM, options=TEAMS, context={"customer": "Ada"})
        else:
            await asks.score(question="How bad?", levels=LEVELS, context={"customer": "Ada"})
    return seen


async def test_c78_what_an_event_holds() -> None:
    ticks = iter([10.0, 10.25])
    answer = attrs.evolve(YES, metadata=TOLD)
    [event] = await events_of(answer, ids=lambda: "id-1", clock=lambda: next(ticks))
    assert event == jf.DecisionEvent(
        id="id-1",
        kind="boolean",
        selected=True,
        confidence=0.9,
        outcome="accepted",
        duration_ms=250.0,
        provider="vendor",
        gateway="gateway",
        model="model-1",
        usage=Usage(input_tokens=7, output_tokens=0),
    )


async def test_c78_a_provider_that_tells_nothing_of_itself_has_its_name() -> None:
    [event] = await events_of(YES)
    assert (event.provider, event.gateway, event.model, event.usage) == ("hand", None, None, None)


async def test_c79_x21_the_event_comes_after_validation_and_before_the_callback() -> None:
    order: list[str] = []
    asks, _ = judge(YES, on_decision=lambda event: order.append("event"))
    await asks.judge_if(
        condition=QUESTION, then=lambda meta: order.append("then"), otherwise=lambda meta: None
    )
    assert order == ["event", "then"]
    asks, _ = judge(attrs.evolve(YES, confidence=7), on_decision=lambda event: order.append("event"))
    with pytest.raises(jf.ProviderContractError):
        await asks.boolean(condition=QUESTION)
    assert order == ["event", "then"]


async def test_c80_an_event_tells_the_outcome_and_nothing_of_the_callback() -> None:
    seen: list[jf.DecisionEvent] = []
    asks, _ = judge(YES, UNSURE, UNSURE, on_decision=seen.append)

    def fails(meta: object) -> None:
        raise LookupError

    bar = jf.Confidence(0.8, uncertain=fails)
    for _ in range(2):
        with pytest.raises(LookupError):
            await asks.judge_if(condition=QUESTION, then=fails, otherwise=fails, confidence=bar)
    await asks.boolean(condition=QUESTION)
    assert [event.outcome for event in seen] == ["accepted", "uncertain", "accepted"]


class Hook:
    def __init__(self, error: Exception) -> None:
        self.error = error

    def __call__(self, event: object) -> None:
        raise self.error


async def test_c81_a_hook_that_raises_changes_nothing() -> None:
    calls = Calls()
    asks, _ = judge(YES, on_decision=Hook(RuntimeError("disk full")))
    assert await asks.judge_if(condition=QUESTION, **calls.branches) == "then"
    assert calls.meta.decision == YES


async def test_c82_its_failure_reaches_on_error() -> None:
    failures: list[jf.ObservabilityError] = []
    error = RuntimeError("disk full")
    asks, _ = judge(YES, on_decision=Hook(error), on_error=failures.append, ids=lambda: "id-1")
    await asks.boolean(condition=QUESTION)
    [failure] = failures
    assert isinstance(failure, jf.ObservabilityError)
    assert (failure.code, failure.id, failure.__cause__) == ("observability", "id-1", error)
    assert failure.message == "on_decision failed (RuntimeError)"


async def test_c82_an_on_error_that_raises_changes_nothing_either() -> None:
    asks, _ = judge(YES, on_decision=Hook(RuntimeError()), on_error=Hook(RuntimeError()))
    assert await asks.boolean(condition=QUESTION) == YES


async def test_c82_a_hook_that_returns_a_coroutine_is_told_and_the_coroutine_is_closed() -> None:
    async def later(event: object) -> None: ...

    def hook(event: object) -> object:
        return later(event)

    failures: list[jf.ObservabilityError] = []
    asks, _ = judge(YES, on_decision=hook, on_error=failures.append)
    await asks.boolean(condition=QUESTION)
    assert "coroutine" in str(failures[0].__cause__)


@pytest.mark.parametrize(
    "metadata",
    [
        "vendor",
        {"provider": "vendor"},
        jf.ProviderMetadata(7),  # type: ignore[arg-type]
        jf.ProviderMetadata("v", model=b"m"),  # type: ignore[arg-type]
        jf.ProviderMetadata("v", usage={"input_tokens": 3}),  # type: ignore[arg-type]
        jf.ProviderMetadata("v", usage=Usage(input_tokens=-1)),
        jf.ProviderMetadata("v", usage=Usage(input_tokens="many")),  # type: ignore[arg-type]
    ],
)
async def test_c82_what_a_provider_tells_of_itself_never_costs_a_decision(metadata: Any) -> None:
    failures: list[jf.ObservabilityError] = []
    [event] = await events_of(attrs.evolve(YES, metadata=metadata), on_error=failures.append)
    assert (event.provider, event.usage) == ("hand", None)
    assert [failure.message for failure in failures] == ["what hand tells of itself cannot be read"]


async def test_c83_no_context_and_nothing_raw_is_in_an_event() -> None:
    [event] = await events_of(attrs.evolve(YES, raw={"reply": "Ada"}))
    assert event.captured is None
    assert "Ada" not in repr(event)


async def test_c83_capturing_is_opted_into_and_does_not_show_itself() -> None:
    [event] = await events_of(attrs.evolve(YES, raw={"reply": "sk-1"}), capture=True)
    assert event.captured is not None
    assert (event.captured.context, event.captured.raw) == ({"customer": "Ada"}, {"reply": "sk-1"})
    assert "Ada" not in repr(event)
    assert "sk-1" not in repr(event)


async def test_c83_a_provider_cannot_change_what_is_captured() -> None:
    seen: list[jf.DecisionEvent] = []

    def spoils(input: Any) -> Any:
        input.context["customer"] = "somebody else"
        return YES

    asks, _ = judge(spoils, on_decision=seen.append, capture=True)
    await asks.boolean(condition=QUESTION, context={"customer": "Ada"})
    assert seen[0].captured is not None
    assert seen[0].captured.context == {"customer": "Ada"}


def test_c84_what_a_judge_is_made_with() -> None:
    asks, _ = judge(YES, context={"application": "shop"}, on_decision=print, on_error=print)
    assert isinstance(asks, jf.Judge)


async def test_c85_choices_and_scores_are_told_too() -> None:
    told = [(event.kind, event.selected, event.outcome) for event in await events_of(BILLING, SEVERE)]
    assert told == [("choice", "billing", "accepted"), ("score", "high", "accepted")]
