"""Anthropic's messages as they come back, streamed or whole: one reader for both."""

from __future__ import annotations

from collections.abc import Mapping
from contextlib import suppress
from typing import Any

import msgspec

from ..judge.errors import ProviderError
from ..judge.protocol import ChatReply, Usage
from .characters import join_halves, keep_halves
from .exchange import Head
from .failures import Failures, excerpt
from .tool_calls import ToolCalls, with_texts
from .usage import count
from .wire import Event, Framing


class _Block(msgspec.Struct):
    """A content block, or what a delta adds to one."""

    type: str = ""
    text: str | None = None
    thinking: str | None = None
    id: str | None = None
    name: str | None = None
    input: msgspec.Raw = msgspec.Raw(b"")
    partial_json: str | None = None
    stop_reason: str | None = None


class _Message(msgspec.Struct):
    model: Any = None
    content: list[_Block] = []
    stop_reason: str | None = None
    usage: Any = None


class _Event(msgspec.Struct):
    """An event of the stream. Without one, the whole message has the same shape as `_Message`."""

    type: str = ""
    index: int = 0
    message: _Message | None = None
    content_block: _Block | None = None
    delta: _Block | None = None
    usage: Any = None
    error: Any = None


_decode_event = msgspec.json.Decoder(_Event).decode
_decode_message = msgspec.json.Decoder(_Message).decode

_COUNTS = ("input_tokens", "output_tokens", "cache_read_input_tokens", "cache_creation_input_tokens")
_STOPPED: Mapping[str, str] = {
    "max_tokens": "provider.length",
    "model_context_window_exceeded": "provider.context-limit",
    "refusal": "provider.refusal",
    "pause_turn": "provider.cut",
}


class MessageReader:
    def __init__(self, head: Head, failures: Failures) -> None:
        self._failures = failures
        self._framing = Framing(head.headers.get("content-type", ""))
        self.progress = 0
        self._text: list[str] = []
        self._thinking: list[str] = []
        self._calls = ToolCalls()
        self._stop = ""
        self._seen = False
        self._has_halves = False
        self._counts: dict[str, int] = {}
        self._model = ""

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
                if error.code != "provider.cut" or not self._stop:
                    raise
        elif not whole:
            raise self._failures.make("provider.cut")
        else:
            self._whole(body)
        # A stream that ends before its first event is cut as much as one that ends after it.
        return self._reply(whole and (body is not None or self.progress > 0))

    def _read(self, events: list[Event], unreadable: str) -> bool:
        done = False
        for event in events:
            try:
                told = self._event(event.data)
            except (msgspec.DecodeError, RecursionError) as error:
                shown = excerpt(event.data)
                raise self._failures.make(unreadable, f"{error}: {shown}", usage=self._known()) from None
            self.progress += told.type != "ping"
            self._take(told)
            done = done or told.type == "message_stop"
        return done

    def _event(self, data: bytes) -> _Event:
        try:
            return _decode_event(data)
        except msgspec.DecodeError as error:
            with suppress(msgspec.DecodeError, RecursionError):
                told = _decode_event(keep_halves(data))
                self._has_halves = True
                return told
            raise error from None

    def _take(self, event: _Event) -> None:
        if event.error:
            raise self._failures.from_error(event.error, usage=self._known())
        if event.message is not None:
            self._seen = True
            self._name(event.message.model)
            self._count(event.message.usage)
        if event.content_block is not None:
            self._add(event.index, event.content_block, started=True)
        if event.delta is not None:
            self._add(event.index, event.delta)
            self._stop = event.delta.stop_reason or self._stop
        self._count(event.usage)

    def _whole(self, body: bytes) -> None:
        try:
            told = self._event(body)
            message = _decode_message(keep_halves(body) if self._has_halves else body)
        except (msgspec.DecodeError, RecursionError):
            raise self._failures.make("provider.not-json", excerpt(body)) from None
        if told.error:
            raise self._failures.from_error(told.error)
        self._seen = message.stop_reason is not None
        self._name(message.model)
        self._count(message.usage)
        for index, block in enumerate(message.content):
            self._add(index, block)
        self._stop = message.stop_reason or ""

    def _add(self, index: int, block: _Block, *, started: bool = False) -> None:
        if block.text:
            self._text.append(block.text)
        if block.thinking:
            self._thinking.append(block.thinking)
        if block.type == "tool_use":
            # A stream starts a call with an empty object and sends the arguments after it.
            arguments = None if started or not block.input else bytes(block.input).decode()
            self._calls.add(index, block.id, block.name, arguments)
        elif block.partial_json is not None:
            self._calls.add(index, None, None, block.partial_json)

    def _name(self, model: Any) -> None:
        self._model = model if isinstance(model, str) else ""

    def _count(self, usage: Any) -> None:
        """Later numbers of a stream are totals, not additions. What is no count is unknown, and no reason to throw
        an answer away."""
        for name in _COUNTS if isinstance(usage, dict) else ():
            number = count(usage.get(name))
            if number is not None:
                self._counts[name] = number

    def _reply(self, whole: bool) -> ChatReply:
        if not self._seen:
            raise self._error("provider.no-choices" if whole else "provider.cut")
        if not self._stop:
            raise self._error("provider.cut")
        if self._stop in _STOPPED:
            raise self._error(_STOPPED[self._stop], "".join(self._text) if self._stop == "refusal" else "")
        try:
            calls = self._calls.gathered(self._failures)
        except ProviderError as error:
            error.usage = self._known()
            raise
        if not calls and not self._text:
            raise self._error("provider.no-content")
        reply = ChatReply(
            text="".join(self._text),
            tool_calls=calls,
            usage=self._known() or Usage(),
            model=self._model,
            reasoning="".join(self._thinking),
        )
        return with_texts(reply, join_halves) if self._has_halves else reply

    def _error(self, code: str, detail: str = "") -> ProviderError:
        return self._failures.make(code, detail, usage=self._known())

    def _known(self) -> Usage | None:
        """This API's input count leaves out what was read from or written to its cache."""
        fresh, answered = self._counts.get("input_tokens"), self._counts.get("output_tokens")
        if fresh is None and answered is None:
            return None
        read = self._counts.get("cache_read_input_tokens", 0)
        written = self._counts.get("cache_creation_input_tokens", 0)
        return Usage(
            input_tokens=None if fresh is None else fresh + read + written,
            output_tokens=answered,
            cached_tokens=read,
            cache_write_tokens=written,
        )
