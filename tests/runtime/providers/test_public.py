"""`judgeflow.providers`: real services, chat models and scripts behind a judge."""

from __future__ import annotations

import math
from typing import Any

import pytest
import trio

import judgeflow as jf
from judgeflow.runtime.judge.errors import TestSetupError

TEAMS = {"billing": "Payments", "technical": None}
USAGE = {"input_tokens": 12, "output_tokens": 0}


def answered(answer: dict[str, Any]) -> dict[str, Any]:
    return {"model": "jev-1.13.0", "answers": {"decision": answer}, "usage": USAGE}


async def test_system_one_answers_a_judge_and_its_rounding_is_scaled(kit) -> None:
    seen: list[jf.DecisionEvent] = []
    choice = {"choice": "a", "probabilities": {"a": 0.33, "b": 0.33, "c": 0.33}, "confidence": 0.4}
    async with kit.serving(kit.answers(answered(choice))) as server:
        provider = jf.providers.system_one(url=server.url, environ={"TYPESAFE_API_KEY": kit.KEY})
        async with jf.create_judge(provider, on_decision=seen.append, context={"app": "shop"}) as judge:
            decision = await judge.choice(question="Which?", options=["a", "b", "c"], context={"n": 1})
    [request] = server.requests
    assert request.headers["authorization"] == f"Bearer {kit.KEY}"
    assert request.json == {
        "model": "jev-1.13",
        "state": {"app": "shop", "n": 1},
        "questions": {
            "decision": {
                "type": "choice",
                "instructions": "Which?",
                "criteria": {"a": None, "b": None, "c": None},
            }
        },
    }
    assert (decision.value, decision.confidence) == ("a", 0.4)
    assert math.isclose(sum(decision.probabilities.values()), 1)
    assert decision.metadata is not None
    assert (decision.metadata.normalized, decision.metadata.origin) == (True, "reported")
    [event] = seen
    assert (event.provider, event.model, event.usage.input_tokens) == ("typesafe", "jev-1.13.0", 12)


async def test_openai_decisions_are_strict_unless_it_is_said_that_they_round(kit) -> None:
    listed = [{"value": name, "probability": 0.33} for name in "abc"]
    answer = {"type": "choice", "name": "decision", "choice": "a", "probabilities": listed}
    body = {"model": "luna", "answers": [answer], "usage": USAGE}
    async with kit.serving(kit.answers(body)) as server:
        for rounding in (None, 2):
            provider = jf.providers.openai_decisions("luna", url=server.url, rounding=rounding, environ={})
            async with jf.create_judge(provider) as judge:
                use = judge.choice(question="Which?", options=["a", "b", "c"])
                if rounding is None:
                    with pytest.raises(jf.ProviderContractError, match=r"add up to 0\.99"):
                        await use
                else:
                    assert (await use).value == "a"


async def test_a_refusal_of_a_service_takes_uncertain(kit) -> None:
    body = {"answers": [{"type": "predicate", "name": "decision", "refusal": "not that"}], "usage": USAGE}
    async with kit.serving(kit.answers(body)) as server:
        provider = jf.providers.openai_decisions("luna", url=server.url, environ={})
        async with jf.create_judge(provider) as judge:
            went = await judge.judge_if(
                condition="Is it?",
                then=lambda meta: "then",
                otherwise=lambda meta: "otherwise",
                confidence=jf.Confidence(0.5, uncertain=lambda meta: meta.refusal),
            )
    assert went == "the model refused to answer `decision`: not that"


async def test_a_service_that_is_down_is_a_provider_error_and_nothing_runs(kit) -> None:
    called: list[Any] = []
    async with kit.serving(kit.answers({"error": {"message": "no"}}, 400)) as server:
        provider = jf.providers.system_one(url=server.url, environ={}, retries=0)
        async with jf.create_judge(provider) as judge:
            with pytest.raises(jf.ProviderError):
                await judge.judge_if(condition="Is it?", then=called.append, otherwise=called.append)
    assert called == []


async def test_a_chat_model_decides_and_says_where_its_numbers_come_from(kit) -> None:
    top = [{"token": "Yes", "logprob": math.log(0.8)}, {"token": "No", "logprob": math.log(0.2)}]
    said = kit.said("Yes")
    said["choices"][0]["logprobs"] = {
        "content": [{"token": "Yes", "logprob": top[0]["logprob"], "top_logprobs": top}]
    }
    async with kit.serving(kit.answers(said)) as server:
        provider = jf.providers.chat_model("vllm/small", environ={"VLLM_HOST": server.url})
        async with jf.create_judge(provider) as judge:
            decision = await judge.boolean(condition="Is it?")
    assert round(decision.probability_true, 6) == 0.8
    assert decision.metadata is not None
    assert (decision.metadata.origin, decision.metadata.provider) == ("logprobs", "vllm")


@pytest.mark.parametrize(
    ("make", "key"),
    [
        (lambda: jf.providers.system_one(environ={}), "TYPESAFE_API_KEY"),
        (lambda: jf.providers.openai_decisions("luna", environ={}), "OPENAI_API_KEY"),
        (lambda: jf.providers.chat_model("anthropic/claude", environ={}), "ANTHROPIC_API_KEY"),
    ],
)
def test_a_missing_key_is_told_before_any_question(make: Any, key: str) -> None:
    with pytest.raises(jf.ConfigurationError, match=key):
        make()


def test_openrouter_passes_questions_on() -> None:
    provider = jf.providers.system_one(environ={"OPENROUTER_API_KEY": "sk-r"})
    assert (provider.name, provider.gateway, provider.slug) == ("typesafe", "openrouter", "typesafe/jev-1.13")
    provider = jf.providers.system_one(environ={"TYPESAFE_API_KEY": "sk-t"})
    assert (provider.name, provider.gateway, provider.slug) == ("typesafe", None, "jev-1.13")
    assert "sk-" not in repr(provider)


async def test_scripted_answers_stand_under_their_question() -> None:
    judge = jf.create_judge(
        jf.providers.scripted(
            {
                "Is it urgent?": [0.9, 0.2],
                "Which team?": "billing",
                "Whose?": {"billing": 0.25, "technical": 0.75},
                "How bad?": "high",
            }
        )
    )
    assert [(await judge.boolean(condition="Is it urgent?")).value for _ in range(2)] == [True, False]
    assert (await judge.choice(question="Which team?", options=TEAMS)).probabilities["billing"] == 1.0
    assert (await judge.choice(question="Whose?", options=TEAMS)).value == "technical"
    assert (await judge.score(question="How bad?", levels=["low", "high"])).label == "high"
    with pytest.raises(TestSetupError, match="asked for answer 3, but the script has 2"):
        await judge.boolean(condition="Is it urgent?")
    with pytest.raises(TestSetupError, match="no line for it"):
        await judge.boolean(condition="Is it late?")


def test_a_script_of_a_file_is_no_model_of_its_own() -> None:
    with pytest.raises(jf.ConfigurationError, match=r"providers\.scripted"):
        jf.providers.chat_model("script/a.jsonl")


async def test_a_service_is_opened_by_its_first_question_in_each_event_loop(kit) -> None:
    async with kit.serving(kit.answers(answered({"noul": 0.9}))) as server:
        provider = jf.providers.system_one(url=server.url, environ={})
        judge = jf.create_judge(provider)

        async def elsewhere() -> bool:
            async with judge:
                return (await judge.boolean(condition="Is it?")).value

        async with judge:
            assert (await judge.boolean(condition="Is it?")).value
            assert await trio.to_thread.run_sync(trio.run, elsewhere)
            # Closing there closed nothing here.
            assert (await judge.boolean(condition="Is it?")).value
    assert server.connections == 2


async def test_a_closed_judge_opens_again_when_it_is_asked(kit) -> None:
    async with kit.serving(kit.answers(answered({"noul": 0.9}))) as server:
        judge = jf.create_judge(jf.providers.system_one(url=server.url, environ={}))
        for _ in range(2):
            async with judge:
                await judge.boolean(condition="Is it?")
    assert (server.connections, server.open) == (2, 0)
