"""OpenAI's decisions: questions and answers in lists, matched by name."""

from __future__ import annotations

import pytest

from judgeflow.runtime.judge.errors import ProviderContractError
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
ANSWERS = [
    {
        "type": "score",
        "name": "severity",
        "score": 0.25,
        "probabilities": [
            {"value": 0, "label": "low", "probability": 0.75},
            {"value": 1, "label": "high", "probability": 0.25},
        ],
        "confidence": 0.7,
    },
    {
        "type": "choice",
        "name": "team",
        "choice": "billing",
        "probabilities": [
            {"value": "billing", "probability": 0.9},
            {"value": "technical", "probability": 0.1},
        ],
        "confidence": 0.8,
    },
    {"type": "predicate", "name": "urgent", "probability": 0.95},
]


async def decided(kit, answers, *questions, state="the text"):
    usage = {"input_tokens": 164, "output_tokens": 0, "input_tokens_details": {"cached_tokens": 100}}
    body = {"model": "gpt-6-luna", "answers": answers, "usage": usage}
    async with kit.provider(kit.answers(body), api="decisions") as (provider, server):
        return await provider.decide(kit.decides(*questions, state=state)), server.requests[0]


async def test_questions_and_answers_are_matched_by_name_in_any_order(kit) -> None:
    reply, request = await decided(kit, ANSWERS, URGENT, TEAM, SEVERITY)
    assert request.target == "/v1/decisions"
    assert request.json == {
        "model": "jev",
        "input": "the text",
        "questions": [
            {"type": "predicate", "name": "urgent", "instructions": "Is it urgent?"},
            {
                "type": "choice",
                "name": "team",
                "instructions": "Which team?",
                "choices": [{"value": "billing", "description": "Payments"}, {"value": "technical"}],
            },
            {
                "type": "score",
                "name": "severity",
                "instructions": "How severe?",
                "levels": [{"label": "low"}, {"label": "high"}],
            },
        ],
    }
    assert reply.answers == {
        "urgent": ConditionAnswer(0.95),
        "team": ChoiceAnswer("billing", {"billing": 0.9, "technical": 0.1}, 0.8),
        "severity": ScaleAnswer(0.25, (0.75, 0.25), 0.7),
    }
    assert (reply.usage.input_tokens, reply.usage.cached_tokens) == (164, 100)


async def test_u09_a_state_that_is_no_text_is_sent_as_json(kit) -> None:
    # Pictures are no part of the language: a state is a text or JSON.
    _, request = await decided(kit, ANSWERS[2:], URGENT, state={"a": [1, None]})
    assert request.json["input"] == '{"a":[1,null]}'


@pytest.mark.parametrize("kind", ["choice", "refusal"])
async def test_case_192_a_refusal_belongs_to_its_question(kit, kind) -> None:
    refused = {"type": kind, "name": "team", "refusal": "cannot answer"}
    reply, _ = await decided(kit, [ANSWERS[2], refused], URGENT, TEAM)
    assert reply.answers == {"urgent": ConditionAnswer(0.95), "team": RefusedAnswer("cannot answer")}


@pytest.mark.parametrize(
    ("answers", "why"),
    [
        ([], "no answer to 'urgent'"),
        (ANSWERS[1:2], "answers 'team', which was not asked"),
        ([ANSWERS[2], ANSWERS[2]], "answers 'urgent', which was answered before"),
        ([{**ANSWERS[2], "type": "choice"}], "'choice' and was asked as 'predicate'"),
        ([{**ANSWERS[2], "choice": "a"}], "two kinds"),
        ([{**ANSWERS[2], "probability": "high"}], r"\$\.answers\[0\]\.probability: is no number"),
        ({}, r"\$\.answers: is no list"),
    ],
)
async def test_what_does_not_answer_the_question_is_refused(kit, answers, why) -> None:
    with pytest.raises(ProviderContractError, match=why) as caught:
        await decided(kit, answers, URGENT)
    # It was paid for all the same.
    assert (caught.value.usage.input_tokens, caught.value.usage.cached_tokens) == (164, 100)


async def test_levels_by_other_names_are_refused(kit) -> None:
    shares = [{"label": "high", "probability": 0.25}, {"label": "low", "probability": 0.75}]
    with pytest.raises(ProviderContractError, match="the levels are"):
        await decided(kit, [{**ANSWERS[0], "probabilities": shares}], SEVERITY)
