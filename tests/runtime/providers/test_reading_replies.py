"""The parts of a reply that need care: reasoning in the text, tool calls in pieces, errors in many shapes."""

from __future__ import annotations

import json

import pytest

from judgeflow.runtime.judge.errors import ProviderError
from judgeflow.runtime.providers.failures import FAILURES, Again, Failures
from judgeflow.runtime.providers.reasoning import split_reasoning
from judgeflow.runtime.providers.service_error import ServiceError, read_error
from judgeflow.runtime.providers.tool_calls import ToolCalls


@pytest.mark.parametrize(
    ("text", "reasoning", "answer"),
    [
        ("plain", "", "plain"),
        ("<think>a {b}</think>yes", "a {b}", "yes"),
        ("\n <think>\na\n</think>\n\nyes\n", "a", "yes\n"),
        ("internal reasoning\n</think>{}", "internal reasoning", "{}"),
        ("<think>never closed", "never closed", ""),
        ("Use `<think>draft</think>` as the tag.", "", "Use `<think>draft</think>` as the tag."),
        ("Close it with `</think>`.", "", "Close it with `</think>`."),
        ("My take.<think>aside</think>The answer.", "", "My take.<think>aside</think>The answer."),
        ("<think></think>", "", ""),
        ("<think>a</think>say <think>", "a", "say <think>"),
    ],
)
def test_cases_043_044_045_reasoning_at_the_very_start_alone_is_taken_out(text, reasoning, answer) -> None:
    assert split_reasoning(text) == (reasoning, answer)


def gathered(*parts: tuple) -> list[tuple[str, str, str]]:
    calls = ToolCalls()
    for part in parts:
        calls.add(*part)
    return [(call.id, call.name, call.arguments) for call in calls.gathered(Failures("p"))]


def test_a_call_without_arguments_has_none() -> None:
    assert gathered((0, "a", "f", None)) == [("a", "f", "{}")]


def test_a_call_without_an_id_gets_one() -> None:
    assert gathered((0, None, "f", "{}"), (1, "", "g", "{}")) == [
        ("call_0", "f", "{}"),
        ("call_1", "g", "{}"),
    ]


def test_an_id_that_is_repeated_with_each_part_starts_no_new_call() -> None:
    assert gathered((None, "a", "f", '{"x"'), (None, "a", None, ":1}"), (None, None, None, " ")) == [
        ("a", "f", '{"x":1} ')
    ]


@pytest.mark.parametrize(
    ("arguments", "code"),
    [
        ('{"text":"a', "provider.cut-arguments"),
        ('{"text":"a"', "provider.cut-arguments"),
        ('{"list":[1,', "provider.cut-arguments"),
        ('{"text":"a\\"}', "provider.cut-arguments"),
        ('{"x":1}{"x":1}', "provider.doubled-arguments"),
    ],
)
def test_arguments_that_are_none_are_named(arguments, code) -> None:
    with pytest.raises(ProviderError) as caught:
        gathered((0, "a", "f", arguments))
    assert caught.value.code == code


@pytest.mark.parametrize("arguments", ["{x: 1}", "}", "nope", '{"a":1}}'])
def test_arguments_that_are_whole_and_wrong_are_for_the_caller_to_judge(arguments) -> None:
    assert gathered((0, "a", "f", arguments)) == [("a", "f", arguments)]


@pytest.mark.parametrize(
    ("body", "message", "status"),
    [
        ({"error": {"message": "m", "code": 502}}, "m", 502),
        ({"error": {"message": "m", "code": "429"}}, "m", 429),
        ({"error": {"message": "m", "code": "overloaded"}}, "m", None),
        ({"error": {"message": "m", "code": 7}}, "m", None),
        ({"error": "m"}, "m", None),
        ({"detail": "m"}, "m", None),
        ({"detail": {"error_type": "max_tokens_exceeded"}}, "max_tokens_exceeded", None),
        ({"detail": [{"msg": "m", "loc": ["body"]}]}, "m", None),
        ({"message": "m", "type": "t"}, "m", None),
        ([{"error": {"message": "m"}}], "m", None),
        ({"error": {"message": "m", "metadata": {"raw": "inner"}}}, "m: inner", None),
    ],
)
def test_errors_are_found_wherever_services_put_them(body, message, status) -> None:
    found = read_error(json.dumps(body).encode())
    assert isinstance(found, ServiceError)
    assert (found.message, found.status) == (message, status)


def test_a_body_that_is_no_json_holds_no_error() -> None:
    assert read_error(b"<html>") is None


@pytest.mark.parametrize(
    ("error", "code", "status"),
    [
        ({"type": "overloaded_error", "message": "m"}, "provider.overloaded", 529),
        ({"type": "rate_limit_error", "message": "m"}, "provider.rate-limited", 429),
        ({"type": "authentication_error", "message": "m"}, "provider.authentication", 401),
        ({"code": "insufficient_quota", "message": "m", "type": "rate_limit_error"}, "provider.quota", 429),
        ({"code": "context_length_exceeded", "type": "invalid_request_error"}, "provider.context-limit", 400),
        ({"code": "insufficient_quota", "message": "m"}, "provider.quota", 402),
        ({"code": "invalid_api_key", "type": "invalid_request_error"}, "provider.authentication", 401),
        ({"code": "model_not_found", "type": "invalid_request_error"}, "provider.no-model", 404),
        ({"code": "context_length_exceeded", "message": "m"}, "provider.context-limit", 400),
        ("something broke", "provider.server-error", 500),
    ],
)
def test_an_error_without_a_status_has_the_one_of_its_type_or_code(error, code, status) -> None:
    found = Failures("p").from_error(error)
    assert (found.code, found.status) == (code, status)


def test_a_message_that_only_mentions_a_rate_is_no_spent_quota() -> None:
    limited = Failures("p").from_status(429, {}, b'{"error":{"message":"Rate limit reached for requests"}}')
    assert (limited.code, limited.retryable) == ("provider.rate-limited", True)


@pytest.mark.parametrize("code", sorted(FAILURES))
def test_every_failure_says_what_happened_and_whether_it_may_pass(code) -> None:
    error = Failures("openai").make(code, "the detail")
    assert error.message.startswith(f"openai: {FAILURES[code].text}")
    assert error.message.endswith(": the detail")
    assert error.retryable == (FAILURES[code].again is not Again.NEVER)
    assert (error.code, error.attempts) == (code, 1)
