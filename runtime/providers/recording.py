"""`--record`: every reply of a run as a line of a script, which `script/…` models replay.

A line holds who asked, in which step, and one of `reply` (a text), `message` (a text with tool calls), `answers` (of a
decision) and `error` (a call that failed for good). Steps are numbered as they are written in the file, so what ran at
once is told apart whatever came first. Where several runs were recorded (`jrun batch`), a line also holds what was
`asked`, so that each run of a replay finds its own.
"""

from __future__ import annotations

import hashlib
import os
from pathlib import Path
from typing import Any

import msgspec

from ..judge.errors import ProviderContractError, ProviderError
from ..judge.protocol import (
    Answer,
    Caller,
    ChatReply,
    ChatRequest,
    DecisionReply,
    DecisionRequest,
    Provider,
    ToolCall,
    Usage,
)


class RecordedCall(msgspec.Struct, frozen=True, forbid_unknown_fields=True):
    """`input` is the arguments' object; a text holds arguments that are none."""

    call: str
    input: Any
    id: str = ""


class RecordedMessage(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    text: str = ""
    calls: tuple[RecordedCall, ...] = ()

    def reply(self, model: str) -> ChatReply:
        calls = tuple(
            ToolCall(
                call.id or f"call_{at}",
                call.call,
                call.input if isinstance(call.input, str) else msgspec.json.encode(call.input).decode(),
            )
            for at, call in enumerate(self.calls)
        )
        return ChatReply(self.text, calls, Usage(0, 0), model, scripted=True)


class RecordedAnswers(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """A decision's answers by question, and the decimals to which its service rounds."""

    by_id: dict[str, Answer]
    rounding: int | None = None

    def reply(self, model: str) -> DecisionReply:
        return DecisionReply(self.by_id, Usage(0, 0), model, origin="scripted", rounding=self.rounding)


class RecordedError(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    code: str
    message: str
    contract: bool = False
    """The service broke its contract, which no fallback makes good."""

    def error(self) -> ProviderError:
        kind = ProviderContractError if self.contract else ProviderError
        return kind(self.message, code=self.code)


class Line(msgspec.Struct, frozen=True, omit_defaults=True, forbid_unknown_fields=True):
    """A line of a script file. Exactly one of the last four is there; `step` only where a run was recorded, `asked`
    (`digest` of the request) only where several were."""

    name: str
    step: str | None = None
    asked: str | None = None
    reply: Any = msgspec.UNSET
    message: RecordedMessage | None = None
    answers: RecordedAnswers | None = None
    error: RecordedError | None = None

    def value(self) -> Any:
        """What answers the call. `ValueError` where the line says nothing, or two things."""
        said = [self.message, self.answers, self.error]
        given = [value for value in said if value is not None]
        if self.reply is not msgspec.UNSET:
            given.append(self.reply)
        if len(given) != 1:
            raise ValueError("it needs exactly one of `reply`, `message`, `answers` and `error`")
        return given[0]


class Recorder:
    """The lines of a run, in the order in which its replies came."""

    def __init__(self) -> None:
        self._lines: list[Line] = []
        self._failed: dict[tuple[str, str, str, int, int], int] = {}
        self._runs: set[str] = set()

    @property
    def count(self) -> int:
        return len(self._lines)

    def chat(self, request: ChatRequest, reply: ChatReply) -> None:
        if reply.tool_calls or request.tools:
            self._add(request, Line(request.caller.name, message=_message(reply)))
        else:
            self._add(request, Line(request.caller.name, reply=reply.text))

    def decided(self, request: DecisionRequest, reply: DecisionReply) -> None:
        answers = RecordedAnswers(reply.answers, reply.rounding)
        self._add(request, Line(request.caller.name, answers=answers))

    def failed(self, request: ChatRequest | DecisionRequest, error: ProviderError) -> None:
        told = RecordedError(error.code, error.message, isinstance(error, ProviderContractError))
        self._add(request, Line(request.caller.name, error=told))
        self._failed[_site(request.caller)] = len(self._lines) - 1

    def write(self, path: Path) -> None:
        """Writes all lines at once: a file that is there is whole. Raises `OSError`."""
        draft = path.with_name(f".{path.name}.{os.getpid()}.tmp")
        lines = self._lines
        if len(self._runs) == 1:
            # Alone, a run is known by its steps, so that it can be replayed with other prompts, too.
            lines = [msgspec.structs.replace(line, asked=None) for line in lines]
        try:
            draft.write_bytes(b"".join(msgspec.json.encode(line) + b"\n" for line in lines))
            draft.replace(path)
        finally:
            draft.unlink(missing_ok=True)

    def _add(self, request: ChatRequest | DecisionRequest, line: Line) -> None:
        caller = request.caller
        line = msgspec.structs.replace(line, step=caller.step, asked=digest(request))
        self._runs.add(caller.run)
        failed = self._failed.pop(_site(caller), None)
        if failed is not None and line.error is None:
            # A fallback answered in the place of the model that failed: a script has no use for the failure.
            self._lines[failed] = line
        else:
            self._lines.append(line)


class RecordingProvider:
    """A provider whose replies, and failures, are kept by a recorder."""

    def __init__(self, inner: Provider, recorder: Recorder) -> None:
        self.name = inner.name
        self.concurrency = inner.concurrency
        self._inner = inner
        self._recorder = recorder

    async def chat(self, request: ChatRequest) -> ChatReply:
        try:
            reply = await self._inner.chat(request)
        except ProviderError as error:
            self._recorder.failed(request, error)
            raise
        self._recorder.chat(request, reply)
        return reply

    async def decide(self, request: DecisionRequest) -> DecisionReply:
        try:
            reply = await self._inner.decide(request)
        except ProviderError as error:
            self._recorder.failed(request, error)
            raise
        self._recorder.decided(request, reply)
        return reply

    async def aclose(self) -> None:
        await self._inner.aclose()


def _message(reply: ChatReply) -> RecordedMessage:
    return RecordedMessage(
        reply.text, tuple(RecordedCall(c.name, _input(c.arguments), c.id) for c in reply.tool_calls)
    )


def _input(arguments: str) -> Any:
    try:
        value = msgspec.json.decode(arguments)
    except (msgspec.DecodeError, RecursionError):
        return arguments
    return value if isinstance(value, dict) else arguments


def digest(request: ChatRequest | DecisionRequest) -> str:
    """What is asked, in 16 hex characters; the model and its settings are no part of it."""
    if isinstance(request, ChatRequest):
        asked: Any = request.messages
    else:
        asked = [request.state, request.questions]
    return hashlib.sha256(msgspec.json.encode(asked, order="sorted")).hexdigest()[:16]


def _site(caller: Caller) -> tuple[str, str, str, int, int]:
    return caller.run, caller.name, caller.step, caller.sample, caller.attempt
