"""The shapes of a chat completion, streamed or whole. Loose where nothing hangs on it: an answer is not thrown away
for a field that nobody needs."""

from __future__ import annotations

from decimal import Decimal, InvalidOperation
from typing import Any

import msgspec

from ..judge.protocol import TokenLogprob, Usage
from .usage import count, count_in

_LONGEST_COST, _MOST_COST = 60, 10**6
"""What is longer, or more, is no cost of a call."""


class Function(msgspec.Struct):
    name: str | None = None
    arguments: Any = None


class CallPart(msgspec.Struct):
    index: int | None = None
    id: str | None = None
    function: Function | None = None


class MessagePart(msgspec.Struct):
    """A whole message, or what a chunk adds to one."""

    content: Any = None
    refusal: Any = None
    reasoning: Any = None
    reasoning_content: Any = None
    tool_calls: list[CallPart] | None = None


class Token(msgspec.Struct):
    token: str
    logprob: float
    top_logprobs: list[TokenLogprob] = []


class Logprobs(msgspec.Struct):
    content: list[Token] | None = None


class Choice(msgspec.Struct):
    index: int = 0
    delta: MessagePart | None = None
    message: MessagePart | None = None
    finish_reason: str | None = None
    error: Any = None
    logprobs: Logprobs | None = None


class _Usage(msgspec.Struct):
    """Anything may stand here: an answer is not thrown away because its bill cannot be read."""

    prompt_tokens: Any = None
    completion_tokens: Any = None
    prompt_tokens_details: Any = None
    completion_tokens_details: Any = None
    cost: msgspec.Raw = msgspec.Raw(b"null")


class Completion(msgspec.Struct):
    choices: list[Choice] | None = None
    usage: msgspec.Raw = msgspec.Raw(b"null")
    error: Any = None
    model: Any = None
    # An error that is no `error` but the value itself, as some services word it.
    object: Any = None
    message: Any = None
    type: Any = None
    code: Any = None


decode = msgspec.json.Decoder(Completion).decode
_decode_usage = msgspec.json.Decoder(_Usage | None).decode


def read_usage(told: msgspec.Raw) -> Usage | None:
    """What was used; None where nothing is said of it, or nothing that can be read."""
    try:
        usage = _decode_usage(told)
    except (msgspec.DecodeError, RecursionError):
        return None
    if usage is None:
        return None
    details = usage.prompt_tokens_details
    return Usage(
        input_tokens=count(usage.prompt_tokens),
        output_tokens=count(usage.completion_tokens),
        cached_tokens=count_in(details, "cached_tokens"),
        reasoning_tokens=count_in(usage.completion_tokens_details, "reasoning_tokens"),
        cost=_cost(bytes(usage.cost)),
        cache_write_tokens=count_in(details, "cache_write_tokens"),
    )


def _cost(raw: bytes) -> str | None:
    """The service's figure, digit by digit as it came."""
    text = raw.decode("ascii", errors="replace").strip().strip('"')
    if len(text) > _LONGEST_COST:
        return None
    try:
        cost = Decimal(text)
    except InvalidOperation:
        return None
    return str(cost) if cost.is_finite() and 0 <= cost <= _MOST_COST else None
