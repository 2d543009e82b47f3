"""Chat completions as they come back, streamed or whole: one reader for both."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

import msgspec

from ..judge.errors import ProviderError
from ..judge.protocol import ChatReply, TokenLogprob, Usage
from .characters import join_halves, keep_halves
from .exchange import Head
from .failures import Failures, excerpt
from .openai_shapes import Choice, Completion, Function, Token, decode, read_usage
from .reasoning import split_reasoning
from .service_error import read_error
from .tool_calls import ToolCalls, with_texts
from .wire import Event, Framing

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

    def _completion(self, data: bytes, code: str) -> Completion:
        try:
            return decode(data)
        except (msgspec.DecodeError, RecursionError) as error:
            with suppress(msgspec.DecodeError, RecursionError):
                halves = decode(keep_halves(data))
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

    def add(self, part: Completion, *, is_error: bool = False) -> None:
        usage = read_usage(part.usage)
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

    def _add(self, choice: Choice) -> None:
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
                function = call.function or Function()
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


def _alternatives(token: Token) -> tuple[TokenLogprob, ...]:
    sampled = TokenLogprob(token.token, token.logprob)
    rest = [other for other in token.top_logprobs if other.token != token.token]
    return (sampled, *rest)
