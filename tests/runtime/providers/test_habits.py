"""Settings that a model does not take: it is asked without them, from then on, and the reply says so."""

from __future__ import annotations

import msgspec
import pytest

from judgeflow.runtime.judge.errors import ProviderError
from judgeflow.runtime.judge.protocol import DecisionQuestion
from judgeflow.runtime.providers.failures import Failures

from ..helpers import program

NO_TEMPERATURE = "Unsupported value: 'temperature' does not support 0 with this model. Only the default (1) value is supported."  # noqa: E501
NO_MAX_TOKENS = "Unsupported parameter: 'max_tokens' is not supported with this model. Use 'max_completion_tokens' instead."  # noqa: E501
NO_LOGPROBS = "You are not allowed to request logprobs from this model."
NO_OPTIONS = "Extra inputs are not permitted: stream_options"


def refusal(kit, message: str, status: int = 400):
    return kit.answers({"error": {"message": message, "type": "invalid_request_error"}}, status)


@pytest.mark.parametrize(
    ("message", "code"),
    [
        (NO_TEMPERATURE, "provider.no-temperature"),
        ("`temperature` is deprecated for this model.", "provider.no-temperature"),
        ("This model does not support the parameter temperature", "provider.no-temperature"),
        ("temperature must be between 0 and 2", "provider.bad-request"),
        (NO_MAX_TOKENS, "provider.no-max-tokens"),
        (NO_OPTIONS, "provider.no-stream-options"),
        (NO_LOGPROBS, "provider.no-logprobs"),
    ],
)
def test_what_a_model_does_not_take_is_told_apart_from_other_mistakes(message, code) -> None:
    body = b'{"error": {"message": "' + message.encode() + b'"}}'
    assert Failures("p").from_status(400, {}, body).code == code


async def test_a_model_that_wants_its_limit_by_another_name_gets_it(kit) -> None:
    plays = (refusal(kit, NO_MAX_TOKENS), kit.answers(kit.said("ok")))
    async with kit.provider(*plays) as (provider, server):
        for _ in range(2):
            assert (await provider.chat(kit.asks(max_tokens=9))).left_out == ()
    first, second, third = (received.json for received in server.requests)
    assert first["max_tokens"] == 9
    assert "max_tokens" not in second
    assert second["max_completion_tokens"] == third["max_completion_tokens"] == 9


async def test_several_habits_of_one_model_are_learnt_one_after_the_other(kit) -> None:
    plays = (
        refusal(kit, NO_MAX_TOKENS),
        refusal(kit, NO_TEMPERATURE),
        refusal(kit, NO_OPTIONS, 422),
        kit.answers(kit.said("ok")),
    )
    async with kit.provider(*plays) as (provider, server):
        reply = await provider.chat(kit.asks(max_tokens=9, temperature=0.0))
    assert (reply.text, reply.left_out, len(server.requests)) == ("ok", ("temperature",), 4)
    assert server.requests[3].json.keys() == {"model", "messages", "stream", "max_completion_tokens"}


@pytest.mark.parametrize("api", ["openai", "anthropic"])
async def test_a_temperature_that_is_refused_is_left_out_once_and_for_all(kit, api) -> None:
    answer = (
        kit.said("ok")
        if api == "openai"
        else {"type": "message", "content": [{"type": "text", "text": "ok"}], "stop_reason": "end_turn"}
    )
    plays = (refusal(kit, NO_TEMPERATURE), kit.answers(answer))
    async with kit.provider(*plays, api=api) as (provider, server):
        for _ in range(2):
            assert (await provider.chat(kit.asks(temperature=0.0))).left_out == ("temperature",)
        assert (await provider.chat(kit.asks())).left_out == ()
    assert ["temperature" in received.json for received in server.requests] == [True, False, False, False]


async def test_a_refusal_that_leaving_out_does_not_help_is_an_error(kit) -> None:
    async with kit.provider(refusal(kit, NO_TEMPERATURE)) as (provider, server):
        with pytest.raises(ProviderError) as caught:
            await provider.chat(kit.asks(temperature=0.0))
    assert (caught.value.code, len(server.requests)) == ("provider.no-temperature", 2)


async def test_another_model_is_asked_as_the_file_says(kit) -> None:
    plays = (refusal(kit, NO_TEMPERATURE), kit.answers(kit.said("ok")))
    async with kit.provider(*plays) as (provider, server):
        await provider.chat(kit.asks(temperature=0.0))
        await provider.chat(msgspec.structs.replace(kit.asks(temperature=0.0), model="other"))
    assert server.requests[2].json["temperature"] == 0.0


async def test_a_model_without_log_probabilities_states_its_numbers(kit) -> None:
    plays = (refusal(kit, NO_LOGPROBS, 403), kit.answers(kit.said('{"q": {"probability": 0.25}}')))
    async with kit.provider(*plays) as (provider, server):
        for _ in range(2):
            reply = await provider.decide(kit.decides(DecisionQuestion("q", "condition", "Is it?")))
            assert (reply.answers["q"].probability, reply.origin) == (0.25, "json")
    assert ["logprobs" in received.json for received in server.requests] == [True, False, False]


async def test_the_run_is_told_once_what_was_left_out_and_how_answers_were_asked_for(
    kit, monkeypatch
) -> None:
    source = """
    provider own { api openai  url env OWN_URL }
    model small "m" via own { temperature 0.2 }
    type Title { title: text }
    agent writer(topic: text) -> Title { model small }
    flow main(topic: text) -> json { return [writer(topic), writer(topic)] }
    """
    plays = (
        refusal(kit, NO_TEMPERATURE),
        refusal(kit, "this model does not support tools"),
        kit.answers(kit.said('{"title": "Terns"}')),
    )
    async with kit.serving(*plays) as server:
        monkeypatch.setenv("OWN_URL", server.url)
        async with program(source).opened() as session:
            result = await session.run("terns")
    assert result.answer == [{"title": "Terns"}] * 2
    assert result.record.warnings == ("agent:writer: m takes no temperature; it was asked without",)
    assert {step.attempts[0].form for step in result.record.steps} == {"schema"}
