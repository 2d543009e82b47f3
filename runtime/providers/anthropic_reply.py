"""Anthropic's messages as they come back, streamed or whole: one reader for both."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

from ..judge.errors import ProviderError
from ..judge.protocol import ChatReply, Usage
from .exchange import Head
from .failures import Failures
from .tool_calls import ToolCalls
from .wire import Event, EventParser


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


class _Usage(msgspec.Struct):
    input_tokens: int | None = None
    output_tokens: int | None = None
    cache_read_input_tokens: int | None = None
    cache_creation_input_tokens: int | None = None


class _Message(msgspec.Struct):
    model: str = ""
    content: list[_Block] = []
    stop_reason: str | None = None
    usage: _Usage | None = None


class _Event(msgspec.Struct):
    """An event of the stream. Without one, the whole message has the same shape as `_Message`."""

    type: str = ""
    index: int = 0
    message: _Message | None = None
    content_block: _Block | None = None
    delta: _Block | None = None
    usage: _Usage | None = None
    error: Any = None


_decode_event = msgspec.json.Decoder(_Event).decode
_decode_message = msgspec.json.Decoder(_Message).decode

_STOPPED: Mapping[str, str] = {
    "max_tokens": "provider.length",
    "model_context_window_exceeded": "provider.context-limit",
    "refusal": "provider.refusal",
    "pause_turn": "provider.cut",
}


class MessageReader:
    def __init__(self, head: Head, failures: Failures) -> None:
        self._failures = failures
        self._parser = EventParser() if "event-stream" in head.headers.get("content-type", "") else None
        self._body = bytearray()
        self._text: list[str] = []
        self._thinking: list[str] = []
        self._calls = ToolCalls()
        self._stop = ""
        self._seen = False
        self._usage = _Usage()
        self._model = ""

    def feed(self, chunk: bytes) -> bool:
        if self._parser is None:
            self._body += chunk
            return False
        return self._read(self._parser.feed(chunk))

    def finish(self, whole: bool) -> ChatReply:
        if self._parser is not None:
            self._read(self._parser.end())
        elif not whole:
            raise self._failures.make("provider.cut")
        else:
            self._whole(bytes(self._body))
        return self._reply(whole)

    def _read(self, events: list[Event]) -> bool:
        done = False
        for event in events:
            try:
                told = _decode_event(event.data)
            except (msgspec.DecodeError, RecursionError) as error:
                shown = event.data[:200].decode("utf-8", errors="replace")
                raise self._failures.make("provider.bad-chunk", f"{error}: {shown}") from None
            self._take(told)
            done = done or told.type == "message_stop"
        return done

    def _take(self, event: _Event) -> None:
        if event.error:
            raise self._failures.from_error(event.error, usage=self._known())
        if event.message is not None:
            self._seen = True
            self._model = event.message.model
            self._count(event.message.usage)
        if event.content_block is not None:
            self._add(event.index, event.content_block, started=True)
        if event.delta is not None:
            self._add(event.index, event.delta)
            self._stop = event.delta.stop_reason or self._stop
        self._count(event.usage)

    def _whole(self, body: bytes) -> None:
        try:
            told, message = _decode_event(body), _decode_message(body)
        except (msgspec.DecodeError, RecursionError):
            shown = body[:200].decode("utf-8", errors="replace")
            raise self._failures.make("provider.not-json", shown) from None
        if told.error:
            raise self._failures.from_error(told.error)
        self._seen = message.stop_reason is not None
        self._model = message.model
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

    def _count(self, usage: _Usage | None) -> None:
        """Later numbers of a stream are totals, not additions."""
        for name in _Usage.__struct_fields__ if usage is not None else ():
            number = getattr(usage, name)
            if number is not None:
                setattr(self._usage, name, number)

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
        return ChatReply(
            text="".join(self._text),
            tool_calls=calls,
            usage=self._known() or Usage(),
            model=self._model,
            reasoning="".join(self._thinking),
        )

    def _error(self, code: str, detail: str = "") -> ProviderError:
        return self._failures.make(code, detail, usage=self._known())

    def _known(self) -> Usage | None:
        """This API's input count leaves out what was read from or written to its cache."""
        usage = self._usage
        if usage.input_tokens is None and usage.output_tokens is None:
            return None
        read, written = usage.cache_read_input_tokens or 0, usage.cache_creation_input_tokens or 0
        return Usage(
            input_tokens=None if usage.input_tokens is None else usage.input_tokens + read + written,
            output_tokens=usage.output_tokens,
            cached_tokens=read,
            cache_write_tokens=written,
        )
