"""Every value of a good reply replaced by every kind of wrong one, or taken out: a reply, or an error with a name.
Nothing else may come of it, and no decision that breaks its contract may reach whoever asked."""

from __future__ import annotations

import copy
import json
import math
from collections.abc import Iterator
from typing import Any

import pytest

from judgeflow.runtime.judge.contract import decisions_of
from judgeflow.runtime.judge.errors import ProviderError
from judgeflow.runtime.judge.protocol import Caller, ChatReply, DecisionQuestion, DecisionRequest
from judgeflow.runtime.providers import openai_decisions, system_one
from judgeflow.runtime.providers.anthropic_reply import MessageReader
from judgeflow.runtime.providers.exchange import Head
from judgeflow.runtime.providers.failures import Failures
from judgeflow.runtime.providers.openai_reply import CompletionReader

WRONG = (None, True, -1, 0, 1.5, 1e308, 10**30, "", "x", "0.5", [], [1], {}, {"a": 1}, [[]], "error")
GONE = object()
QUESTIONS = (
    DecisionQuestion("hot", "condition", "Is it?"),
    DecisionQuestion("team", "choice", "Which?", ("a", "b")),
    DecisionQuestion("pain", "scale", "How bad?", ("low", "high")),
)
REQUEST = DecisionRequest("m", "s", QUESTIONS, Caller("decision:d"))
SYSTEM_ONE = {
    "model": "m",
    "usage": {
        "input_tokens": 5,
        "output_tokens": 1,
        "input_tokens_details": {"cached_tokens": 1},
        "cost": 0.5,
    },
    "answers": {
        "hot": {"type": "noul", "noul": 0.9, "confidence": 0.8},
        "team": {"type": "choice", "choice": "a", "probabilities": {"a": 0.75, "b": 0.25}, "confidence": 0.7},
        "pain": {
            "type": "score",
            "score": 0.25,
            "probabilities": {"0": 0.75, "1": 0.25},
            "legend": ["low", "high"],
        },
    },
}
DECISIONS = {
    "model": "m",
    "usage": {"input_tokens": 5, "output_tokens": 1},
    "answers": [
        {"type": "predicate", "name": "hot", "probability": 0.9},
        {
            "type": "choice",
            "name": "team",
            "choice": "a",
            "probabilities": [{"value": "a", "probability": 0.75}, {"value": "b", "probability": 0.25}],
            "confidence": 0.7,
        },
        {
            "type": "score",
            "name": "pain",
            "score": 0.25,
            "probabilities": [{"label": "low", "probability": 0.75}, {"label": "high", "probability": 0.25}],
        },
    ],
}
OPENAI = {
    "model": "m",
    "choices": [
        {
            "index": 0,
            "finish_reason": "tool_calls",
            "message": {
                "content": "text",
                "reasoning_content": "thought",
                "refusal": None,
                "tool_calls": [{"index": 0, "id": "c", "function": {"name": "f", "arguments": '{"x": 1}'}}],
            },
            "logprobs": {
                "content": [
                    {"token": "a", "logprob": -0.1, "top_logprobs": [{"token": "a", "logprob": -0.1}]}
                ]
            },
        }
    ],
    "usage": {
        "prompt_tokens": 5,
        "completion_tokens": 1,
        "prompt_tokens_details": {"cached_tokens": 1},
        "cost": 0.5,
    },
}
ANTHROPIC = {
    "type": "message",
    "model": "m",
    "content": [
        {"type": "thinking", "thinking": "thought"},
        {"type": "text", "text": "text"},
        {"type": "tool_use", "id": "c", "name": "f", "input": {"x": 1}},
    ],
    "stop_reason": "tool_use",
    "usage": {"input_tokens": 5, "output_tokens": 1, "cache_read_input_tokens": 2},
}


def places(value: Any, path: tuple[Any, ...] = ()) -> Iterator[tuple[Any, ...]]:
    yield path
    items = value.items() if isinstance(value, dict) else enumerate(value) if isinstance(value, list) else ()
    for key, item in items:
        yield from places(item, (*path, key))


def mutants(good: Any) -> Iterator[Any]:
    for path in places(good):
        for wrong in (*WRONG, GONE):
            if not path:
                if wrong is not GONE:
                    yield wrong
                continue
            made = copy.deepcopy(good)
            at = made
            for key in path[:-1]:
                at = at[key]
            if wrong is GONE:
                del at[path[-1]]
            else:
                at[path[-1]] = wrong
            yield made


def chat(reader: type, body: bytes) -> ChatReply:
    made = reader(Head(200, {"content-type": "application/json"}), Failures("p"))
    made.feed(body)
    return made.finish(True)


@pytest.mark.parametrize(("good", "reader"), [(OPENAI, CompletionReader), (ANTHROPIC, MessageReader)])
def test_a_chat_reply_with_a_wrong_value_is_a_reply_or_a_named_error(good, reader) -> None:
    outcomes = {"reply": 0, "error": 0}
    for mutant in mutants(good):
        try:
            reply = chat(reader, json.dumps(mutant).encode())
        except ProviderError as error:
            outcomes["error"] += 1
            named = error.code
        else:
            outcomes["reply"] += 1
            named = reply.text
            assert {type(reply.text), type(reply.reasoning), type(reply.model)} == {str}
            assert all({type(c.id), type(c.name), type(c.arguments)} == {str} for c in reply.tool_calls)
            for number in (reply.usage.input_tokens, reply.usage.output_tokens, reply.usage.cached_tokens):
                assert number is None or 0 <= number <= 10**9
        assert isinstance(named, str)
    assert min(outcomes.values()) > 50


@pytest.mark.parametrize(("good", "dialect"), [(SYSTEM_ONE, system_one), (DECISIONS, openai_decisions)])
def test_a_decision_with_a_wrong_value_is_whole_or_a_broken_contract(good, dialect) -> None:
    outcomes = {"reply": 0, "error": 0}
    for mutant in mutants(good):
        try:
            reply = dialect.reply(mutant, REQUEST, "p")
            decisions = decisions_of(QUESTIONS, reply)
        except ProviderError:
            outcomes["error"] += 1
            continue
        outcomes["reply"] += 1
        for decision in (decisions[name] for name in decisions if name not in decisions.refused):
            shares = list(decision.probabilities.values())
            assert math.isclose(math.fsum(shares), 1.0, abs_tol=1e-6)
            assert all(0 <= share <= 1 for share in (*shares, decision.confidence))
    assert min(outcomes.values()) > 50
