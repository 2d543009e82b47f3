"""What a provider is asked, and what it may answer: nothing runs on an answer that breaks the contract."""

from __future__ import annotations

import math
from typing import Any

import attrs
import pytest
import trio

import judgeflow as jf
from judgeflow.runtime.judge.decisions import Refused

from .by_hand import (
    BILLING,
    LEVELS,
    QUESTION,
    SEVERE,
    TEAMS,
    WHICH_TEAM,
    YES,
    ByHand,
    Calls,
    judge,
)

NAN, INF = math.nan, math.inf
OUTSIDE = [NAN, INF, -INF, -0.01, 1.01, -1, 2, True, "0.5", None, 10**400]


# --- what a provider is asked


async def test_c01_a_provider_is_asked_with_the_resolved_context_and_the_signal() -> None:
    asks, provider = judge(YES, BILLING, SEVERE, context={"application": "shop"})
    signal = jf.CancelHandle()
    await asks.boolean(condition=QUESTION, context={"n": 1}, signal=signal)
    await asks.choice(question=WHICH_TEAM, options=TEAMS, context={"n": 2}, signal=signal)
    await asks.score(question="How bad?", levels=LEVELS, context={"n": 3})
    boolean, choice, score = provider.inputs
    assert isinstance(boolean, jf.BooleanInput)
    assert (boolean.condition, boolean.context) == (QUESTION, {"application": "shop", "n": 1})
    assert isinstance(choice, jf.ChoiceInput)
    assert (choice.question, choice.options) == (WHICH_TEAM, ("billing", "technical"))
    assert choice.descriptions == ("Payments, invoices, refunds", None)
    assert isinstance(score, jf.ScoreInput)
    assert (score.question, score.levels, score.context["n"]) == ("How bad?", LEVELS, 3)
    assert (boolean.signal, choice.signal, score.signal) == (signal, signal, None)


async def test_c02_a_provider_gets_no_callback_no_layer_and_no_bar() -> None:
    asks, provider = judge(YES)
    calls = Calls()
    bar = jf.Confidence(0.8, uncertain=calls["uncertain"])
    await asks.judge_if(condition=QUESTION, context={"a": 1}, confidence=bar, **calls.branches)
    [input] = provider.inputs
    fields = {field.name for field in attrs.fields(type(input))}
    assert fields == {"condition", "context", "invocation_id", "signal", "capture"}
    assert not any(callable(getattr(input, name)) for name in fields)


# --- what it may answer


async def test_c03_c70_an_answer_is_validated_before_application_code_runs() -> None:
    seen: list[jf.DecisionEvent] = []
    asks, provider = judge(jf.BooleanDecision(True, 2.0, 0.9), on_decision=seen.append)
    calls = Calls()
    with pytest.raises(jf.ProviderContractError):
        await asks.judge_if(condition=QUESTION, **calls.branches)
    assert (calls.names, seen, len(provider.inputs)) == ([], [], 1)


@pytest.mark.parametrize("value", [True, False])
@pytest.mark.parametrize("share", [0.0, 0.5, 1.0, 1, 0])
async def test_c04_a_boolean_has_a_bool_a_share_and_a_confidence(value: bool, share: float) -> None:
    asks, _ = judge(jf.BooleanDecision(value, share, share))
    decision = await asks.boolean(condition=QUESTION)
    assert (decision.kind, decision.value) == ("boolean", value)
    assert (decision.probability_true, decision.confidence) == (share, share)


@pytest.mark.parametrize("wrong", OUTSIDE)
@pytest.mark.parametrize("field", ["probability_true", "confidence"])
async def test_c05_a_number_of_a_boolean_outside_zero_to_one_is_refused(field: str, wrong: Any) -> None:
    asks, _ = judge(attrs.evolve(YES, **{field: wrong}))
    calls = Calls()
    with pytest.raises(jf.ProviderContractError, match="not between 0 and 1"):
        await asks.judge_if(condition=QUESTION, **calls.branches)
    assert calls.names == []


@pytest.mark.parametrize("value", [1, 0, "true", None])
async def test_c05_a_boolean_that_is_neither_true_nor_false_is_refused(value: Any) -> None:
    asks, _ = judge(jf.BooleanDecision(value, 0.9, 0.9))
    with pytest.raises(jf.ProviderContractError, match="neither true nor false"):
        await asks.boolean(condition=QUESTION)


async def test_c06_the_confidence_is_the_providers_number_and_no_probability() -> None:
    asks, _ = judge(jf.BooleanDecision(True, 0.99, 0.2), jf.BooleanDecision(False, 0.99, 0.9))
    calls = Calls()
    bar = jf.Confidence(0.5, uncertain=calls["uncertain"])
    for _ in range(2):
        await asks.judge_if(condition=QUESTION, confidence=bar, **calls.branches)
    assert calls.names == ["uncertain", "otherwise"]


def choice_of(value: Any, probabilities: Any, confidence: Any = 0.9) -> jf.ChoiceDecision[Any]:
    return jf.ChoiceDecision(value, probabilities, confidence)


@pytest.mark.parametrize(
    ("row", "answer", "told"),
    [
        ("c07", choice_of("sales", {"billing": 0.5, "technical": 0.5}), "not on offer"),
        ("c07", choice_of("Billing", {"billing": 0.5, "technical": 0.5}), "not on offer"),
        ("c07", choice_of(None, {"billing": 0.5, "technical": 0.5}), "not on offer"),
        ("c08", choice_of("billing", {"billing": 1.0}), "no probability for 'technical'"),
        ("c08", choice_of("billing", {}), "no probability for 'billing', 'technical'"),
        ("c08", choice_of("billing", None), "no probabilities"),
        ("c09", choice_of("billing", {"billing": 0.5, "technical": 0.5, "sales": 0.0}), "for 1 options"),
        ("c09", choice_of("billing", {"billing": 0.5, "technical": 0.5, 7: 0.0}), "that is no text"),
        ("c10", choice_of("billing", {"billing": NAN, "technical": 0.5}), "probabilities.billing nan"),
        ("c10", choice_of("billing", {"billing": 1.2, "technical": -0.2}), "probabilities.billing 1.2"),
        ("c10", choice_of("billing", {"billing": INF, "technical": 0.5}), "probabilities.billing inf"),
        ("c10", choice_of("billing", {"billing": "1", "technical": 0}), "probabilities.billing of type str"),
        ("c10", choice_of("billing", {"billing": True, "technical": 0}), "of type bool"),
        ("c12", choice_of("billing", {"billing": 0.5, "technical": 0.499}), "add up to 0.999"),
        ("c12", choice_of("billing", {"billing": 0.0, "technical": 0.0}), "add up to 0"),
        ("c12", choice_of("billing", {"billing": 0.5, "technical": 0.500002}), "add up to 1.000002"),
        ("c10", choice_of("billing", {"billing": 0.5, "technical": 0.5}, 1.5), "confidence 1.5"),
    ],
)
async def test_c07_c08_c09_c10_c12_a_choice_that_breaks_its_contract_runs_nothing(
    row: str, answer: jf.ChoiceDecision[Any], told: str
) -> None:
    asks, _ = judge(answer)
    calls = Calls()
    with pytest.raises(jf.ProviderContractError, match=told) as caught:
        await asks.judge_switch(question=WHICH_TEAM, cases=calls.cases)
    assert (calls.names, caught.value.code) == ([], "model.decision.invalid-response"), row


@pytest.mark.parametrize("second", [0.25, 0.25 + 1e-6, 0.25 - 1e-6, 0.25 + 5e-7])
async def test_c11_a_sum_within_a_millionth_of_one_is_accepted(second: float) -> None:
    asks, _ = judge(choice_of("billing", {"billing": 0.75, "technical": second}))
    decision = await asks.choice(question=WHICH_TEAM, options=TEAMS)
    assert decision.probabilities == {"billing": 0.75, "technical": second}


async def test_c11_ten_tenths_are_one() -> None:
    options = [f"o{at}" for at in range(10)]
    asks, _ = judge(choice_of("o3", dict.fromkeys(options, 0.1)))
    decision = await asks.choice(question=WHICH_TEAM, options=options)
    assert decision.value == "o3"


async def test_c12_a_wrong_sum_is_told_with_the_tolerance() -> None:
    asks, _ = judge(choice_of("a", {"a": 0.33, "b": 0.33, "c": 0.33}))
    with pytest.raises(jf.ProviderContractError, match=r"add up to 0\.99, off from 1 by more than 1e-06"):
        await asks.choice(question=WHICH_TEAM, options=["a", "b", "c"])


async def test_c13_c16_a_score_is_a_position_on_its_levels_in_order() -> None:
    asks, _ = judge(SEVERE)
    decision = await asks.score(question="How bad?", levels=list(LEVELS))
    assert (decision.kind, decision.score, decision.levels) == ("score", 1.25, LEVELS)
    assert (decision.level, decision.label) == (2, "high")
    assert decision.probabilities == (0.25, 0.25, 0.5)


async def test_x07_the_label_of_a_tie_is_the_lower_level() -> None:
    tie = jf.ScoreDecision(1.0, LEVELS, (0.5, 0.0, 0.5), 0.5)
    asks, _ = judge(tie)
    assert (await asks.score(question="How bad?", levels=LEVELS)).label == "low"


@pytest.mark.parametrize("score", [-0.001, 2.001, NAN, INF, "1", None, True, 10**400])
async def test_c14_a_score_outside_its_levels_is_refused(score: Any) -> None:
    asks, _ = judge(attrs.evolve(SEVERE, score=score))
    with pytest.raises(jf.ProviderContractError, match="not between 0 and 2"):
        await asks.score(question="How bad?", levels=LEVELS)


@pytest.mark.parametrize(("score", "fits"), [(1.25, True), (1.2500005, True), (1.2501, False), (2.0, False)])
async def test_u37_a_score_is_the_mean_of_its_levels(score: float, fits: bool) -> None:
    asks, _ = judge(attrs.evolve(SEVERE, score=score))
    if fits:
        assert (await asks.score(question="How bad?", levels=LEVELS)).score == score
        return
    with pytest.raises(jf.ProviderContractError, match=r"but its probabilities have their mean at 1\.25"):
        await asks.score(question="How bad?", levels=LEVELS)


@pytest.mark.parametrize(
    ("probabilities", "told"),
    [
        ((0.5, 0.5), "needs 3 probabilities"),
        ((0.25, 0.25, 0.25, 0.25), "needs 3 probabilities"),
        ((0.5, 0.6, -0.1), r"probabilities\[2\] -0.1"),
        ((NAN, 0.5, 0.5), r"probabilities\[0\] nan"),
        ((0.3, 0.3, 0.3), "add up to 0.9"),
        ({"low": 0.5, "medium": 0.25, "high": 0.25}, "needs 3 probabilities"),
        (None, "needs 3 probabilities"),
    ],
)
async def test_c15_a_score_has_one_probability_for_each_level_in_order(probabilities: Any, told: str) -> None:
    asks, _ = judge(attrs.evolve(SEVERE, probabilities=probabilities))
    with pytest.raises(jf.ProviderContractError, match=told):
        await asks.score(question="How bad?", levels=LEVELS)


@pytest.mark.parametrize("levels", [("high", "medium", "low"), ("low", "high"), None, "low"])
async def test_c16_a_score_on_other_levels_than_were_asked_is_refused(levels: Any) -> None:
    asks, _ = judge(attrs.evolve(SEVERE, levels=levels))
    with pytest.raises(jf.ProviderContractError, match="other levels"):
        await asks.score(question="How bad?", levels=LEVELS)


def test_c17_a_score_has_no_control_flow() -> None:
    methods = {name for name in dir(jf.Judge) if not name.startswith("_")}
    assert methods == {
        "aclose",
        "boolean",
        "choice",
        "choice_question",
        "condition",
        "judge_if",
        "judge_switch",
        "scope",
        "score",
        "with_context",
    }


async def test_c18_raw_is_there_where_it_was_opted_in_and_metadata_always() -> None:
    told = jf.ProviderMetadata("vendor")
    answer = attrs.evolve(YES, raw={"secret": 1}, metadata=told)
    closed, provider = judge(answer)
    decision = await closed.boolean(condition=QUESTION)
    assert (decision.raw, decision.metadata, provider.inputs[0].capture) == (None, told, False)
    opened, provider = judge(answer, capture=True)
    decision = await opened.boolean(condition=QUESTION)
    assert (decision.raw, provider.inputs[0].capture) == ({"secret": 1}, True)
    assert "secret" not in repr(decision)
    assert (await judge(YES)[0].boolean(condition=QUESTION)).metadata is None


async def test_c19_plain_decisions_call_nothing_back() -> None:
    asks, _ = judge(YES, BILLING, SEVERE)
    assert await asks.boolean(condition=QUESTION) == YES
    assert await asks.choice(question=WHICH_TEAM, options=TEAMS) == BILLING
    assert await asks.score(question="How bad?", levels=LEVELS) == SEVERE


# --- errors


def test_c74_c75_u35_five_kinds_of_errors_each_with_a_code_of_its_own() -> None:
    kinds = {
        jf.ConfigurationError("x"): "configuration",
        jf.SerializationError("x"): "serialization",
        jf.ProviderError("x"): "provider",
        jf.ProviderContractError("x"): "provider.contract",
        jf.AbortError("x"): "abort",
    }
    assert {error.code for error in kinds} == set(kinds.values())
    assert all(isinstance(error, jf.JudgeflowError) for error in kinds)
    assert jf.ProviderError("x", code="provider.down").code == "provider.down"


class VendorError(Exception):
    """An exception that belongs to somebody's client library."""


async def test_c75_c76_a_vendors_exception_is_no_part_of_the_contract_and_its_text_is_in_no_message() -> None:
    asks, _ = judge(VendorError("POST https://vendor/?key=sk-1234 {'prompt': 'the customer said'}"))
    with pytest.raises(jf.ProviderError) as caught:
        await asks.boolean(condition=QUESTION)
    assert caught.value.code == "provider.failed"
    assert "hand failed: VendorError at " in caught.value.message
    assert "sk-1234" not in caught.value.message
    assert (caught.value.__cause__, caught.value.__suppress_context__) == (None, True)


async def test_c75_with_capturing_on_the_cause_is_chained() -> None:
    asks, _ = judge(VendorError("details"), capture=True)
    with pytest.raises(jf.ProviderError) as caught:
        await asks.boolean(condition=QUESTION)
    assert isinstance(caught.value.__cause__, VendorError)
    assert "details" not in caught.value.message


async def test_c76_a_broken_answer_is_told_without_what_the_vendor_wrote() -> None:
    asks, _ = judge(choice_of("the customer's secret", {"their words": 1.0}))
    with pytest.raises(jf.ProviderContractError) as caught:
        await asks.choice(question=WHICH_TEAM, options=TEAMS)
    assert "secret" not in str(caught.value)
    assert "words" not in str(caught.value)


@pytest.mark.parametrize("failure", [jf.ProviderError("it is down", code="provider.down"), OSError("reset")])
async def test_c77_a_failed_call_runs_no_callback(failure: Exception) -> None:
    asks, _ = judge(failure)
    calls = Calls()
    bar = jf.Confidence(0.8, uncertain=calls["uncertain"])
    with pytest.raises(jf.ProviderError) as caught:
        await asks.judge_if(condition=QUESTION, confidence=bar, **calls.branches)
    assert calls.names == []
    assert caught.value is failure or caught.value.code == "provider.failed"


async def test_a_provider_with_tasks_of_its_own_fails_of_the_one_thing_that_failed() -> None:
    class Nursery(ByHand):
        async def boolean(self, input: Any) -> Any:
            async with trio.open_nursery() as nursery:
                nursery.start_soon(super().boolean, input)

    asks = jf.create_judge(Nursery(jf.ProviderError("it is down", code="provider.down")))
    with pytest.raises(jf.ProviderError, match="it is down"):
        await asks.boolean(condition=QUESTION)


@pytest.mark.parametrize("answer", [None, True, {"value": True}, BILLING, jf.BooleanDecision])
async def test_an_answer_of_another_kind_is_refused(answer: Any) -> None:
    asks, _ = judge(answer)
    with pytest.raises(jf.ProviderContractError, match="must give a BooleanDecision"):
        await asks.boolean(condition=QUESTION)


async def test_a_provider_that_is_not_async_is_told_so() -> None:
    class Sync(ByHand):
        def boolean(self, input: Any) -> Any:
            return YES

    with pytest.raises(jf.ProviderContractError, match="must be async"):
        await jf.create_judge(Sync(YES)).boolean(condition=QUESTION)


# --- refusals


async def test_a_refused_question_is_no_answer_and_takes_uncertain_where_there_is_one() -> None:
    seen: list[jf.DecisionEvent] = []
    asks, _ = judge(Refused("not about that"), on_decision=seen.append)
    calls = Calls()
    bar = jf.Confidence(0.8, uncertain=calls["uncertain"])
    assert await asks.judge_if(condition=QUESTION, confidence=bar, **calls.branches) == "uncertain"
    assert (calls.meta.decision, calls.meta.minimum, calls.meta.refusal) == (None, 0.8, "not about that")
    assert seen == []


async def test_a_refused_question_without_uncertain_is_an_error() -> None:
    asks, _ = judge(jf.ProviderError("no", code="decision.refused"))
    calls = Calls()
    for use in (
        asks.boolean(condition=QUESTION),
        asks.judge_if(condition=QUESTION, **calls.branches),
        asks.judge_switch(question=WHICH_TEAM, cases=calls.cases),
    ):
        with pytest.raises(jf.ProviderError) as caught:
            await use
        assert caught.value.code == "decision.refused"
    assert calls.names == []
