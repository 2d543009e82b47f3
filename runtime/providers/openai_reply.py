"""Chat completions as they come back, streamed or whole: one reader for both."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from decimal import Decimal, InvalidOperation
from typing import Any

import msgspec

from ..judge.errors import ProviderError
from ..judge.protocol import ChatReply, TokenLogprob, Usage
from .characters import join_halves, keep_halves
from .exchange import Head
from .failures import Failures, excerpt, read_error
from .reasoning import split_reasoning
from .tool_calls import ToolCalls, with_texts
from .usage import count, count_in
from .wire import Event, Framing


class _Function(msgspec.Struct):
    name: str | None = None
    arguments: Any = None


class _ToolCall(msgspec.Struct):
    index: int | None = None
    id: str | None = None
    function: _Function | None = None


class _Message(msgspec.Struct):
    """A whole message, or what a chunk adds to one."""

    content: Any = None
    refusal: Any = None
    reasoning: Any = None
    reasoning_content: Any = None
    tool_calls: list[_ToolCall] | None = None


class _Token(msgspec.Struct):
    token: str
    logprob: float
    top_logprobs: list[TokenLogprob] = []


class _Logprobs(msgspec.Struct):
    content: list[_Token] | None = None


class _Choice(msgspec.Struct):
    index: int = 0
    delta: _Message | None = None
    message: _Message | None = None
    finish_reason: str | None = None
    error: Any = None
    logprobs: _Logprobs | None = None


class _Usage(msgspec.Struct):
    """Anything may stand here: an answer is not thrown away because its bill cannot be read."""

    prompt_tokens: Any = None
    completion_tokens: Any = None
    prompt_tokens_details: Any = None
    completion_tokens_details: Any = None
    cost: msgspec.Raw = msgspec.Raw(b"null")


class _Completion(msgspec.Struct):
    choices: list[_Choice] | None = None
    usage: msgspec.Raw = msgspec.Raw(b"null")
    error: Any = None
    model: Any = None
    # An error that is no `error` but the value itself, as some services word it.
    object: Any = None
    message: Any = None
    type: Any = None
    code: Any = None


_ENDED: Mapping[str, str] = {
    "length": "provider.length",
    "max_tokens": "provider.length",
    "model_length": "provider.length",
    "content_filter": "provider.content-filter",
    "safety": "provider.content-filter",
    "sensitive": "provider.content-filter",
    "recitation": "provider.content-filter",
    "prohibited_content": "provider.content-filter",
    "refusal": "provider.refusal",
    "error": "provider.upstream",
    "network_error": "provider.upstream",
    "insufficient_system_resource": "provider.overloaded",
    "abort": "provider.cut",
    "cancelled": "provider.cut",
    "malformed_function_call": "provider.cut-arguments",
}
"""Reasons for which a text ends that is no whole answer, as services word them."""
_PLAIN = ("provider.length", "provider.upstream")


_decode = msgspec.json.Decoder(_Completion).decode
_decode_usage = msgspec.json.Decoder(_Usage | None).decode


class CompletionReader:
    """Reads a stream of chunks, or a whole completion where a service does not stream."""

    def __init__(self, head: Head, failures: Failures, *, may_be_cut: bool = False) -> None:
        """`may_be_cut`: the token limit is no failure, as where only the first tokens are looked at."""
        self._failures = failures
        self._answer = _Answer(failures, may_be_cut)
        self._framing = Framing(head.headers.get("content-type", ""))
        self.progress = 0

    def feed(self, chunk: bytes) -> bool:
        return self._read(self._framing.feed(chunk), "provider.bad-chunk")

    def finish(self, whole: bool) -> ChatReply:
        # A last event without its blank line is one, unless the stream was cut within it.
        rest = self._framing.end()
        body = self._framing.whole
        if body is None:
            try:
                self._read(rest, "provider.cut")
            except ProviderError as error:
                if error.code != "provider.cut" or not self._answer.is_finished:
                    raise
        elif not whole:
            raise self._failures.make("provider.cut")
        else:
            part = self._completion(body, "provider.not-json")
            told = read_error(body) if part.choices is None else None
            if told is not None and told.message:
                raise self._failures.from_service(told)
            self._answer.add(part)
        # A stream that ends before its first event is cut as much as one that ends after it.
        return self._answer.reply(whole and (body is not None or self.progress > 0))

    def _read(self, events: list[Event], unreadable: str) -> bool:
        done = False
        for event in events:
            if event.data.strip() == b"[DONE]":
                done = True
            elif event.data.strip():
                self.progress += 1
                part = self._completion(event.data, unreadable)
                self._answer.add(part, is_error=event.name == b"error")
        return done

    def _completion(self, data: bytes, code: str) -> _Completion:
        try:
            return _decode(data)
        except (msgspec.DecodeError, RecursionError) as error:
            with suppress(msgspec.DecodeError, RecursionError):
                halves = _decode(keep_halves(data))
                self._answer.has_halves = True
                return halves
            shown = excerpt(data)
            raise self._failures.make(
                code, f"{error}: {shown}" if code == "provider.bad-chunk" else shown
            ) from None


class _Answer:
    """What has come so far."""

    def __init__(self, failures: Failures, may_be_cut: bool) -> None:
        self._failures = failures
        self._may_be_cut = may_be_cut
        self._text: list[str] = []
        self._reasoning: list[str] = []
        self._refusal: list[str] = []
        self._calls = ToolCalls()
        self._logprobs: list[tuple[TokenLogprob, ...]] = []
        self._finish = ""
        self._seen = False
        self.has_halves = False
        self._usage = Usage()
        self._model = ""

    def add(self, part: _Completion, *, is_error: bool = False) -> None:
        usage = _usage(part.usage)
        if usage is not None:
            self._usage = usage
        if part.error:
            raise self._failures.from_error(part.error, usage=self._known())
        if is_error or part.object == "error":
            told = {"message": part.message, "type": part.type, "code": part.code}
            raise self._failures.from_error(told, usage=self._known())
        if part.model and isinstance(part.model, str):
            self._model = part.model
        for choice in part.choices or ():
            if choice.index == 0:
                self._add(choice)

    def _add(self, choice: _Choice) -> None:
        self._seen = True
        if choice.error:
            raise self._failures.from_error(choice.error, usage=self._known())
        message = choice.delta or choice.message
        if message is not None:
            text, thoughts = _texts(message.content)
            self._text += text
            self._reasoning += thoughts
            self._reasoning += _texts(message.reasoning_content or message.reasoning)[0]
            if message.refusal:
                self._refusal.append(str(message.refusal))
            for call in message.tool_calls or ():
                function = call.function or _Function()
                self._calls.add(call.index, call.id, function.name, function.arguments)
        if choice.logprobs is not None:
            self._logprobs += [_alternatives(token) for token in choice.logprobs.content or ()]
        if choice.finish_reason:
            self._finish = choice.finish_reason

    @property
    def is_finished(self) -> bool:
        """Whether why it ended has come."""
        return bool(self._finish)

    def reply(self, whole: bool) -> ChatReply:
        """Why it ended is read before what it holds: a refusal or a cut text is no answer."""
        if not self._seen:
            raise self._error("provider.no-choices" if whole else "provider.cut")
        if self._refusal:
            raise self._error("provider.refusal", "".join(self._refusal))
        if not self._finish:
            raise self._error("provider.cut")
        failure = _ENDED.get(self._finish.lower().partition(":")[0])
        if failure is not None and not (failure == "provider.length" and self._may_be_cut):
            raise self._error(failure, "" if failure in _PLAIN else self._finish)
        try:
            calls = self._calls.gathered(self._failures)
        except ProviderError as error:
            error.usage = self._known()
            raise
        reasoning, text = split_reasoning("".join(self._text))
        if not calls and not text and (not self._text or reasoning):
            raise self._error("provider.no-content")
        reply = ChatReply(
            text=text,
            tool_calls=calls,
            usage=self._usage,
            model=self._model,
            reasoning="".join(self._reasoning) or reasoning,
            logprobs=tuple(self._logprobs),
        )
        return with_texts(reply, join_halves) if self.has_halves else reply

    def _error(self, code: str, detail: str = "") -> ProviderError:
        return self._failures.make(code, detail, usage=self._known())

    def _known(self) -> Usage | None:
        return None if self._usage == Usage() else self._usage


def _texts(content: Any) -> tuple[list[str], list[str]]:
    """Text and reasoning of a content: a text, or parts that each say what they are."""
    if isinstance(content, str):
        return [content], []
    if not isinstance(content, list):
        return [], []
    text: list[str] = []
    thoughts: list[str] = []
    for part in content:
        if not isinstance(part, dict):
            continue
        if isinstance(part.get("text"), str):
            (text if part.get("type") == "text" else thoughts).append(part["text"])
        elif part.get("type") == "thinking":
            thoughts += _texts(part.get("thinking"))[0]
    return text, thoughts


def _alternatives(token: _Token) -> tuple[TokenLogprob, ...]:
    sampled = TokenLogprob(token.token, token.logprob)
    rest = [other for other in token.top_logprobs if other.token != token.token]
    return (sampled, *rest)


def _usage(told: msgspec.Raw) -> Usage | None:
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
    try:
        cost = Decimal(text)
    except InvalidOperation:
        return None
    return str(cost) if cost.is_finite() and cost >= 0 else None
