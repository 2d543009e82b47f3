"""System One: questions by id on the way out, answers by id on the way back."""

from __future__ import annotations

import pytest

from judgeflow.runtime.judge.errors import ModelKindError, ProviderContractError, ProviderError
from judgeflow.runtime.judge.protocol import (
    ChoiceAnswer,
    ConditionAnswer,
    DecisionQuestion,
    RefusedAnswer,
    ScaleAnswer,
)

URGENT = DecisionQuestion("urgent", "condition", "Is it urgent?")
TEAM = DecisionQuestion("team", "choice", "Which team?", ("billing", "technical"), ("Payments", None))
SEVERITY = DecisionQuestion("severity", "scale", "How severe?", ("low", "high"))
ANSWERS = {
    "urgent": {"type": "noul", "noul": 0.91},
    "team": {
        "type": "choice",
        "choice": "billing",
        "probabilities": {"billing": 0.9, "technical": 0.1},
        "confidence": 0.8,
    },
    "severity": {
        "type": "score",
        "score": 0.25,
        "legend": {"0": "low", "1": "high"},
        "probabilities": {"1": 0.25, "0": 0.75},
        "confidence": 0.7,
    },
}


async def decided(kit, answers, *questions, **more):
    body = {"model": "jev-1.13.0", "answers": answers, "usage": {"input_tokens": 318, "output_tokens": 34}}
    async with kit.provider(kit.answers(body), api="systemone", **more) as (provider, server):
        return await provider.decide(kit.decides(*questions, state={"ticket": "help"})), server.requests[0]


async def broken(kit, answer, question) -> str:
    with pytest.raises(ProviderContractError) as caught:
        await decided(kit, {question.id: answer}, question)
    assert caught.value.code == "provider.contract"
    return caught.value.message


async def test_b24_u38_questions_go_out_by_id_and_answers_come_back_typed(kit) -> None:
    reply, request = await decided(kit, ANSWERS, URGENT, TEAM, SEVERITY, prefix="typesafe/")
    assert request.target == "/v1/systemone"
    assert request.headers["authorization"] == f"Bearer {kit.KEY}"
    assert request.json == {
        "model": "jev",
        "state": {"ticket": "help"},
        "questions": {
            "urgent": {"type": "noul", "instructions": "Is it urgent?"},
            "team": {
                "type": "choice",
                "instructions": "Which team?",
                "criteria": {"billing": "Payments", "technical": None},
            },
            "severity": {"type": "score", "instructions": "How severe?", "criteria": ["low", "high"]},
        },
    }
    assert reply.answers == {
        "urgent": ConditionAnswer(0.91),
        "team": ChoiceAnswer("billing", {"billing": 0.9, "technical": 0.1}, 0.8),
        "severity": ScaleAnswer(0.25, (0.75, 0.25), 0.7),
    }
    assert (reply.model, reply.origin, reply.usage.input_tokens) == ("jev-1.13.0", "reported", 318)


async def test_case_193_the_declared_rounding_travels_with_the_reply(kit) -> None:
    reply, _ = await decided(kit, {"urgent": ANSWERS["urgent"]}, URGENT, rounding=2)
    assert reply.rounding == 2
    reply, _ = await decided(kit, {"urgent": ANSWERS["urgent"]}, URGENT)
    assert reply.rounding is None


async def test_u39_a_missing_answer_is_refused(kit) -> None:
    with pytest.raises(ProviderContractError, match=r"\$\.answers\.urgent: is missing"):
        await decided(kit, {}, URGENT)


async def test_u39_an_answer_that_nobody_asked_for_is_refused(kit) -> None:
    with pytest.raises(ProviderContractError, match="'other', which was not asked"):
        await decided(kit, {"urgent": ANSWERS["urgent"], "other": {}}, URGENT)


async def test_u40_a_legend_in_another_order_is_refused(kit) -> None:
    answer = {**ANSWERS["severity"], "legend": {"0": "high", "1": "low"}}
    assert "$.answers.severity.legend" in await broken(kit, answer, SEVERITY)


async def test_case_182_fields_of_two_kinds_are_refused(kit) -> None:
    message = await broken(kit, {"type": "noul", "noul": 0.91, "choice": "billing"}, URGENT)
    assert "$.answers.urgent" in message
    assert "choice" in message


async def test_u07_an_answer_of_another_kind_is_refused(kit) -> None:
    assert "'choice' and was asked as 'noul'" in await broken(kit, ANSWERS["team"], URGENT)


@pytest.mark.parametrize("value", ["NaN", True, None, {}, [0.5]])
async def test_case_185_what_is_no_number_is_refused_with_its_path(kit, value) -> None:
    answer = {**ANSWERS["team"], "probabilities": {"billing": value, "technical": 0.5}}
    assert "$.answers.team.probabilities.billing" in await broken(kit, answer, TEAM)


async def test_case_185_numbers_out_of_range_reach_the_callers_validation_as_they_are(kit) -> None:
    answer = {**ANSWERS["team"], "probabilities": {"billing": 1.2, "technical": -0.1}}
    reply, _ = await decided(kit, {"team": answer}, TEAM)
    assert reply.answers["team"].probabilities == {"billing": 1.2, "technical": -0.1}


@pytest.mark.parametrize("shares", [{"0": 1.0}, {"0": 0.5, "2": 0.5}, {"0": 0.5, "1": 0.25, "2": 0.25}])
async def test_levels_that_are_not_the_ones_asked_for_are_refused(kit, shares) -> None:
    answer = {**ANSWERS["severity"], "probabilities": shares, "legend": None}
    assert "$.answers.severity.probabilities" in await broken(kit, answer, SEVERITY)


async def test_case_192_a_refusal_of_one_question_leaves_the_others(kit) -> None:
    answers = {"urgent": ANSWERS["urgent"], "team": {"type": "refusal", "refusal": "cannot answer"}}
    reply, _ = await decided(kit, answers, URGENT, TEAM)
    assert reply.answers == {"urgent": ConditionAnswer(0.91), "team": RefusedAnswer("cannot answer")}


async def test_case_200_fields_that_nobody_knows_change_nothing(kit) -> None:
    answer = {**ANSWERS["urgent"], "surprise": [{"text": 1}], "act_probability": 0.3}
    reply, _ = await decided(kit, {"urgent": answer}, URGENT)
    assert reply.answers["urgent"] == ConditionAnswer(0.91)


@pytest.mark.parametrize(
    ("status", "code", "sent"),
    [
        (401, "provider.authentication", 1),
        (422, "provider.bad-request", 1),
        (429, "provider.rate-limited", 2),
        (529, "provider.overloaded", 2),
    ],
)
async def test_u41_u43_statuses_are_named_and_retried(kit, status, code, sent) -> None:
    async with kit.provider(
        kit.answers({"detail": {"error_type": "x"}}, status), api="systemone", retries=1
    ) as (
        provider,
        server,
    ):
        with pytest.raises(ProviderError) as caught:
            await provider.decide(kit.decides(URGENT))
    assert (caught.value.code, caught.value.status, len(server.requests)) == (code, status, sent)


async def test_u42_an_answer_over_eight_mebibytes_is_refused_before_it_is_parsed(kit) -> None:
    async with kit.provider(kit.answers(b" " * (8 * 2**20 + 1)), api="systemone") as (provider, _):
        with pytest.raises(ProviderError) as caught:
            await provider.decide(kit.decides(URGENT))
    assert caught.value.code == "provider.too-large"


async def test_u46_a_decision_service_does_not_chat_and_nothing_is_sent(kit) -> None:
    async with kit.provider(kit.answers({}), api="systemone") as (provider, server):
        with pytest.raises(ModelKindError, match="cannot chat"):
            await provider.chat(kit.asks())
    assert server.requests == []


async def test_an_error_inside_a_200_is_what_its_code_says(kit) -> None:
    async with kit.provider(
        kit.answers({"error": {"code": 503, "message": "m"}}), api="systemone", retries=0
    ) as (
        provider,
        _,
    ):
        with pytest.raises(ProviderError) as caught:
            await provider.decide(kit.decides(URGENT))
    assert caught.value.code == "provider.overloaded"
