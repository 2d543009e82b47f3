"""A chat model as a decision model: log-probabilities where there are any, else what it states."""

from __future__ import annotations

import json
import math

import pytest

from judgeflow.runtime.judge.errors import ProviderContractError, ProviderError
from judgeflow.runtime.judge.protocol import (
    ChoiceAnswer,
    ConditionAnswer,
    DecisionQuestion,
    RefusedAnswer,
    ScaleAnswer,
    TokenLogprob,
)
from judgeflow.runtime.providers.chat_decides import label_probabilities

URGENT = DecisionQuestion("urgent", "condition", "Is it urgent?")
TEAM = DecisionQuestion("team", "choice", "Which team?", ("billing", "technical"), ("Payments", None))
SEVERITY = DecisionQuestion("severity", "scale", "How severe?", ("low", "high"))


def tokens(*places: dict[str, float]):
    return [[TokenLogprob(token, value) for token, value in place.items()] for place in places]


def test_case_201_the_labels_own_place_counts_and_legal_labels_alone() -> None:
    found = label_probabilities(
        tokens({"{": -0.01}, {'"': 0.0}, {"BLOCK": -0.1, "ALLOW": -2.4, "BLO": -5.0}, {'"': 0.0}),
        ["BLOCK", "ALLOW"],
    )
    assert found is not None
    assert found["BLOCK"] == pytest.approx(0.909, abs=5e-4)
    assert math.fsum(found.values()) == pytest.approx(1.0)


def test_writings_of_one_label_are_added_up() -> None:
    half = math.log(0.25)
    found = label_probabilities(tokens({"Yes": half, " yes": half, "NO": math.log(0.5)}), ["Yes", "No"])
    assert found == pytest.approx({"Yes": 0.5, "No": 0.5})


def test_case_201_a_label_that_is_not_reported_gets_the_most_it_can_have() -> None:
    found = label_probabilities(tokens({"A": math.log(0.7), "x": math.log(0.1)}), ["A", "B", "C"])
    assert found is not None
    assert found["B"] == found["C"] == pytest.approx(0.1 / 0.9)


def test_where_no_label_was_written_the_first_place_that_knows_one_counts() -> None:
    found = label_probabilities(tokens({"The": -0.1, "No": -3.0, "Yes": -4.0}), ["Yes", "No"])
    assert found is not None
    assert found["No"] > found["Yes"]


def test_no_label_anywhere_is_no_answer() -> None:
    assert label_probabilities(tokens({"The": -0.1}, {"end": -0.2}), ["Yes", "No"]) is None
    assert label_probabilities([], ["Yes", "No"]) is None


def spoke(kit, text: str, likely: dict[str, float] | None, finish: str = "length"):
    body = kit.said(text, finish)
    if likely is not None:
        listed = [{"token": token, "logprob": value} for token, value in likely.items()]
        body["choices"][0]["logprobs"] = {"content": [{**listed[0], "top_logprobs": listed}]}
    return kit.answers(body)


async def test_each_question_is_one_short_call_and_the_token_limit_is_no_failure(kit) -> None:
    yes = spoke(kit, "Yes", {"Yes": math.log(0.8), "No": math.log(0.2)})
    async with kit.provider(yes) as (provider, server):
        reply = await provider.decide(kit.decides(URGENT, state={"a": 1}))
    assert reply.answers["urgent"].probability == pytest.approx(0.8)
    assert (reply.origin, reply.rounding, reply.usage.output_tokens) == ("logprobs", None, 1)
    body = server.requests[0].json
    assert (body["temperature"], body["top_logprobs"], body["max_tokens"]) == (0.0, 20, 4)
    assert body["messages"][1]["content"] == 'State:\n{"a":1}\n\nQuestion: Is it urgent?\nAnswer Yes or No.'


async def test_options_and_levels_are_letters(kit) -> None:
    letter = spoke(kit, "B", {"B": math.log(0.6), "A": math.log(0.4)})
    async with kit.provider(letter) as (provider, server):
        reply = await provider.decide(kit.decides(TEAM, SEVERITY))
    assert isinstance(reply.answers["team"], ChoiceAnswer)
    assert reply.answers["team"].choice == "technical"
    assert reply.answers["team"].probabilities == pytest.approx({"billing": 0.4, "technical": 0.6})
    assert isinstance(reply.answers["severity"], ScaleAnswer)
    assert reply.answers["severity"].score == pytest.approx(0.6)
    assert reply.usage.input_tokens == 6
    assert any(
        "A. billing: Payments\nB. technical\n" in request.json["messages"][1]["content"]
        for request in server.requests
    )


async def test_a_model_that_says_none_of_the_labels_breaks_the_contract(kit) -> None:
    async with kit.provider(spoke(kit, "Well", {"Well": -0.1})) as (provider, _):
        with pytest.raises(ProviderContractError, match="question 'urgent'") as caught:
            await provider.decide(kit.decides(URGENT))
    assert (caught.value.usage.input_tokens, caught.value.usage.output_tokens) == (3, 1)


@pytest.mark.parametrize("stated", ["pay", '{"urgent": {}}', '{"urgent": {"probability": "much"}}'])
async def test_answers_that_break_the_contract_say_what_all_of_them_cost(kit, stated: str) -> None:
    plays = (spoke(kit, "Yes", None), spoke(kit, stated, None, "stop"))
    async with kit.provider(*plays) as (provider, server):
        with pytest.raises(ProviderContractError) as caught:
            await provider.decide(kit.decides(URGENT))
    assert len(server.requests) == 2
    assert (caught.value.usage.input_tokens, caught.value.usage.output_tokens) == (6, 2)


async def test_a_failure_after_paid_words_says_what_those_cost(kit) -> None:
    plays = (spoke(kit, "Yes", None), kit.answers({"error": {"message": "no"}}, status=400))
    async with kit.provider(*plays) as (provider, _):
        with pytest.raises(ProviderError) as caught:
            await provider.decide(kit.decides(URGENT))
    assert (caught.value.code, caught.value.usage.input_tokens) == ("provider.bad-request", 3)


STATED = {
    "urgent": {"probability": 0.9},
    "team": {"probabilities": {"billing": 0.33, "technical": 0.66}},
    "severity": {"probabilities": {"low": 0.25, "high": 0.75}},
}


async def test_without_log_probabilities_the_stated_numbers_count_and_that_is_remembered(kit) -> None:
    plays = (spoke(kit, "Yes", None), spoke(kit, f"Sure: {json.dumps(STATED)}", None, "stop"))
    async with kit.provider(*plays) as (provider, server):
        reply = await provider.decide(kit.decides(URGENT))
        assert (reply.answers["urgent"], reply.origin, reply.rounding) == (ConditionAnswer(0.9), "json", 2)
        assert reply.usage.input_tokens == 6
        reply = await provider.decide(kit.decides(URGENT, TEAM, SEVERITY))
    assert len(server.requests) == 3
    assert reply.answers == {
        "urgent": ConditionAnswer(0.9),
        "team": ChoiceAnswer("technical", {"billing": 0.33, "technical": 0.66}),
        "severity": ScaleAnswer(0.75, (0.25, 0.75)),
    }


async def stated(kit, text, *questions, api="anthropic"):
    body = {"content": [{"type": "text", "text": text}], "stop_reason": "end_turn"}
    async with kit.provider(kit.answers(body), api=api) as (provider, server):
        return await provider.decide(kit.decides(*questions)), server.requests


async def test_a_service_without_log_probabilities_is_asked_for_json_at_once(kit) -> None:
    reply, requests = await stated(kit, json.dumps(STATED), URGENT, TEAM)
    assert (reply.origin, len(requests)) == ("json", 1)


async def test_a_stated_refusal_is_one(kit) -> None:
    reply, _ = await stated(kit, '{"urgent": {"refusal": "no"}}', URGENT)
    assert reply.answers["urgent"] == RefusedAnswer("no")


@pytest.mark.parametrize(
    ("text", "why"),
    [
        ("I would say yes.", "no JSON object"),
        ('{"other": 1}', r"\$\.urgent\.probability: is missing"),
        ('{"urgent": {"probability": "high"}}', r"\$\.urgent\.probability: is no number"),
    ],
)
async def test_what_was_not_stated_is_not_made_up(kit, text, why) -> None:
    with pytest.raises(ProviderContractError, match=why):
        await stated(kit, text, URGENT)


@pytest.mark.parametrize("shares", [{"billing": 1.0}, {"billing": 0.5, "technical": 0.4, "other": 0.1}])
async def test_case_184_options_are_exactly_the_legal_ones(kit, shares) -> None:
    with pytest.raises(ProviderContractError, match=r"\$\.team"):
        await stated(kit, json.dumps({"team": {"probabilities": shares}}), TEAM)


async def test_many_options_are_stated_rather_than_lettered(kit) -> None:
    options = tuple(f"o{index}" for index in range(27))
    shares = {option: 1.0 if option == "o3" else 0.0 for option in options}
    play = kit.answers(kit.said(json.dumps({"q": {"probabilities": shares}})))
    async with kit.provider(play) as (provider, _):
        reply = await provider.decide(kit.decides(DecisionQuestion("q", "choice", "Which?", options)))
    assert (reply.answers["q"].choice, reply.origin) == ("o3", "json")


async def test_a_failure_of_one_question_is_one_error(kit) -> None:
    async with kit.provider(kit.answers({"error": {"message": "no"}}, 401)) as (provider, _):
        with pytest.raises(ProviderError) as caught:
            await provider.decide(kit.decides(URGENT, TEAM))
    assert caught.value.code == "provider.authentication"
