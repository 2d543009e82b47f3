"""Exactly one callback: which, with what, and what becomes of what it gives or raises."""

from __future__ import annotations

from typing import Any

import attrs
import pytest
import trio

import judgeflow as jf

from .by_hand import BILLING, NO, QUESTION, TEAMS, UNSURE, WHICH_TEAM, YES, Calls, judge


async def use_if(answer: Any, calls: Calls, minimum: float | None = None, **more: Any) -> Any:
    asks, _ = judge(answer)
    bar = None if minimum is None else jf.Confidence(minimum, uncertain=calls["uncertain"])
    return await asks.judge_if(condition=QUESTION, confidence=bar, **calls.branches, **more)


async def test_c20_an_accepted_yes_calls_then_once_and_gives_what_it_gave() -> None:
    calls = Calls()
    assert await use_if(YES, calls, 0.8) == "then"
    assert calls.names == ["then"]


async def test_c21_an_accepted_no_calls_otherwise_once() -> None:
    calls = Calls()
    assert await use_if(NO, calls, 0.8) == "otherwise"
    assert calls.names == ["otherwise"]


async def test_c22_below_the_bar_uncertain_alone_is_called() -> None:
    calls = Calls()
    assert await use_if(UNSURE, calls, 0.8) == "uncertain"
    assert calls.names == ["uncertain"]


@pytest.mark.parametrize("minimum", [None, 0.0, 0.5, 0.95, 1.0])
@pytest.mark.parametrize("answer", [YES, NO, UNSURE])
async def test_c23_exactly_one_callback_is_called(answer: jf.BooleanDecision, minimum: float | None) -> None:
    calls = Calls()
    await use_if(answer, calls, minimum)
    assert len(calls.names) == 1


async def test_c24_c25_a_switch_calls_the_chosen_case_with_all_the_probabilities() -> None:
    asks, provider = judge(BILLING)
    calls = Calls()
    assert await asks.judge_switch(question=WHICH_TEAM, cases=calls.cases) == "billing"
    assert calls.names == ["billing"]
    assert calls.meta.decision.value == "billing"
    assert calls.meta.decision.probabilities == {"billing": 0.75, "technical": 0.25}
    assert provider.inputs[0].options == ("billing", "technical")


async def test_c24_below_the_bar_a_switch_calls_uncertain_alone() -> None:
    asks, _ = judge(BILLING)
    calls = Calls()
    bar = jf.Confidence(0.8, uncertain=calls["uncertain"])
    assert await asks.judge_switch(question=WHICH_TEAM, cases=calls.cases, confidence=bar) == "uncertain"
    assert calls.names == ["uncertain"]


async def test_c26_what_an_async_callback_gives_is_awaited() -> None:
    async def later(meta: object) -> str:
        await trio.lowlevel.checkpoint()
        return "later"

    asks, _ = judge(YES, NO, UNSURE)
    bar = jf.Confidence(0.8, uncertain=later)
    results = [
        await asks.judge_if(condition=QUESTION, then=later, otherwise=later, confidence=bar) for _ in range(3)
    ]
    assert results == ["later", "later", "later"]


@pytest.mark.parametrize("number", [0.1, 0.3, 0.7, 0.8, 0.9, 1 / 3, 1.0])
async def test_c27_a_confidence_at_the_bar_is_accepted(number: float) -> None:
    calls = Calls()
    await use_if(jf.BooleanDecision(True, 0.5, number), calls, number)
    assert calls.names == ["then"]


async def test_c28_without_a_bar_the_chosen_branch_runs_whatever_the_confidence() -> None:
    calls = Calls()
    await use_if(jf.BooleanDecision(False, 0.5, 0.0), calls)
    assert calls.names == ["otherwise"]


async def test_c29_nothing_but_the_confidence_is_held_against_the_bar() -> None:
    even = jf.ChoiceDecision("billing", {"billing": 0.5, "technical": 0.5}, 0.95)
    asks, _ = judge(even)
    calls = Calls()
    bar = jf.Confidence(0.9, uncertain=calls["uncertain"])
    await asks.judge_switch(question=WHICH_TEAM, cases=calls.cases, confidence=bar)
    assert calls.names == ["billing"]


@pytest.mark.parametrize(
    ("preset", "own", "went"),
    [
        (0.5, None, "then"),
        (0.5, 0.9, "uncertain"),
        (0.9, 0.5, "then"),
        (0.9, None, "uncertain"),
        (0.9, 0, "then"),
    ],
)
async def test_c30_c31_the_uses_own_minimum_overrides_the_presets(
    preset: float, own: float | None, went: str
) -> None:
    asks, _ = judge(UNSURE)
    calls = Calls()
    urgent = jf.BooleanPreset[Any](condition=QUESTION, confidence=jf.Confidence(preset))
    bar = jf.Confidence(own, uncertain=calls["uncertain"])
    await asks.judge_if(condition=urgent, confidence=bar, **calls.branches)
    assert calls.names == [went]
    if went == "uncertain":
        assert calls.meta.minimum == (own if own is not None else preset)


@pytest.mark.parametrize(
    ("minimum", "confidence", "went"), [(0, 0.0, "then"), (1, 1.0, "then"), (1, 0.999999, "uncertain")]
)
async def test_c32_a_minimum_of_zero_accepts_all_and_of_one_only_certainty(
    minimum: float, confidence: float, went: str
) -> None:
    calls = Calls()
    await use_if(attrs.evolve(YES, confidence=confidence), calls, minimum)
    assert calls.names == [went]


class Oops(Exception):
    """Something of the application's own."""


async def test_c68_c69_what_a_callback_raises_is_raised_as_it_is_and_nothing_else_runs() -> None:
    error = Oops("mine")

    def fails(meta: object) -> None:
        raise error

    async def fails_later(meta: object) -> None:
        await trio.lowlevel.checkpoint()
        raise error

    for callback in (fails, fails_later):
        asks, provider = judge(YES)
        calls = Calls()
        bar = jf.Confidence(0.5, uncertain=calls["uncertain"])
        with pytest.raises(Oops) as caught:
            await asks.judge_if(
                condition=QUESTION, then=callback, otherwise=calls["otherwise"], confidence=bar
            )
        assert (caught.value, caught.value.__cause__, caught.value.__context__) == (error, None, None)
        assert (calls.names, len(provider.inputs)) == ([], 1)


async def test_c69_a_provider_error_that_a_callback_raises_is_not_taken_for_the_providers() -> None:
    def fails(meta: object) -> None:
        raise jf.ProviderError("another service", code="decision.refused")

    asks, provider = judge(YES)
    calls = Calls()
    bar = jf.Confidence(0.5, uncertain=calls["uncertain"])
    with pytest.raises(jf.ProviderError, match="another service"):
        await asks.judge_if(condition=QUESTION, then=fails, otherwise=fails, confidence=bar)
    assert (calls.names, len(provider.inputs)) == ([], 1)


@pytest.mark.parametrize(
    "context", [{"when": object()}, {"n": float("nan")}], ids=["an instance", "not a number"]
)
async def test_c70_an_invalid_evaluation_runs_no_callback(context: Any) -> None:
    asks, provider = judge(YES)
    calls = Calls()
    with pytest.raises(jf.SerializationError):
        await asks.judge_if(condition=QUESTION, context=context, **calls.branches)
    assert (calls.names, provider.inputs) == ([], [])


async def test_c71_a_branch_gets_the_invocation_and_the_accepted_decision() -> None:
    calls = Calls()
    asks, provider = judge(YES, ids=iter(["id-1"]).__next__)
    await asks.judge_if(condition=QUESTION, **calls.branches)
    assert calls.meta == jf.BranchMeta("id-1", YES)
    assert provider.inputs[0].invocation_id == "id-1"


async def test_c72_uncertain_gets_the_invocation_the_rejected_decision_and_the_bar() -> None:
    calls = Calls()
    asks, _ = judge(UNSURE, ids=iter(["id-1"]).__next__)
    bar = jf.Confidence(0.8, uncertain=calls["uncertain"])
    await asks.judge_if(condition=QUESTION, confidence=bar, **calls.branches)
    assert calls.meta == jf.UncertainMeta("id-1", UNSURE, 0.8)


@pytest.mark.parametrize("answer", [YES, UNSURE])
async def test_c73_what_a_callback_gets_holds_no_context(answer: jf.BooleanDecision) -> None:
    calls = Calls()
    await use_if(answer, calls, 0.8, context={"customer": "Ada Lovelace"})
    fields = {field.name for field in attrs.fields(type(calls.meta))}
    assert fields <= {"invocation_id", "decision", "minimum", "refusal"}
    assert "Ada" not in repr(calls.meta)


async def test_invocations_have_ids_of_their_own() -> None:
    asks, provider = judge(YES)
    for _ in range(100):
        await asks.boolean(condition=QUESTION)
    assert len({input.invocation_id for input in provider.inputs}) == 100


async def test_one_half_is_yes_by_the_services_that_give_a_probability_alone() -> None:
    asks = jf.create_judge(jf.providers.scripted({QUESTION: 0.5}))
    calls = Calls()
    await asks.judge_if(condition=QUESTION, **calls.branches)
    await asks.judge_if(
        condition=QUESTION, confidence=jf.Confidence(0.6, uncertain=calls["uncertain"]), **calls.branches
    )
    assert calls.names == ["then", "uncertain"]


async def test_u10_a_switch_over_a_question_sends_the_questions_own_order_and_words() -> None:
    # The order is the author's and part of the question, so it is sent as it is written and never sorted.
    team = jf.ChoiceQuestion[Any, str](TEAMS, ask=WHICH_TEAM)
    asks, provider = judge(BILLING)
    calls = Calls()
    await asks.judge_switch(question=team, cases=dict(reversed(calls.cases.items())))
    [input] = provider.inputs
    assert (input.question, input.options) == (WHICH_TEAM, ("billing", "technical"))
    assert input.descriptions == ("Payments, invoices, refunds", None)
