"""A decision service as a `Provider`."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import attrs
import msgspec

from ..judge.errors import ConfigurationError, ModelKindError
from ..judge.protocol import ChatReply, ChatRequest, DecisionReply, DecisionRequest
from . import openai_decisions, system_one
from .clockwork import Clockwork
from .failures import Failures, excerpt
from .service import Call, Service
from .settings import Target
from .usage import paid, token_counts, total


@attrs.frozen
class Dialect:
    path: str
    body: Callable[[DecisionRequest, str], bytes]
    reply: Callable[[Any, DecisionRequest, str], DecisionReply]


SYSTEM_ONE = Dialect(system_one.PATH, system_one.body, system_one.reply)
DECISIONS = Dialect(openai_decisions.PATH, openai_decisions.body, openai_decisions.reply)


class DecisionService:
    def __init__(self, target: Target, dialect: Dialect, clockwork: Clockwork) -> None:
        self.name = target.name
        self._target = target
        self._dialect = dialect
        self._service = Service(target, clockwork, auth=system_one.auth(target))
        self.concurrency = self._service.limit

    async def chat(self, request: ChatRequest) -> ChatReply:
        raise ModelKindError(f"{request.caller.party}: {request.model} is a decision model, it cannot chat")

    async def decide(self, request: DecisionRequest) -> DecisionReply:
        failures = self._service.failures
        try:
            body = self._dialect.body(request, self._target.model(request.model))
        except (TypeError, ValueError) as error:
            raise ConfigurationError(
                f"{request.caller.party}: the state is not JSON ({error}); no call was made",
                code="serialization",
            ) from None
        call = Call(
            path=self._dialect.path,
            body=body,
            read=lambda head: JsonReader(failures),
            caller=request.caller,
            timeout=request.timeout if request.timeout is not None else self._target.timeout,
            most=system_one.MOST,
        )
        data, before = await self._service.call(call)
        with paid([*before, token_counts(data.get("usage") if isinstance(data, dict) else None)]):
            reply = self._dialect.reply(data, request, self.name)
        usage = total([*before, reply.usage]) if before else reply.usage
        return msgspec.structs.replace(reply, usage=usage, rounding=self._target.rounding)

    async def aclose(self) -> None:
        await self._service.aclose()


class JsonReader:
    """One JSON value. An `error` in it is what its code says."""

    def __init__(self, failures: Failures) -> None:
        self._failures = failures
        self._body = bytearray()

    @property
    def progress(self) -> int:
        return len(self._body)

    def feed(self, chunk: bytes) -> bool:
        self._body += chunk
        return False

    def finish(self, whole: bool) -> Any:
        if not whole:
            raise self._failures.make("provider.cut")
        self._hide_keys()
        try:
            data = msgspec.json.decode(self._body)
        except (msgspec.DecodeError, RecursionError):
            raise self._failures.make("provider.not-json", excerpt(bytes(self._body))) from None
        if isinstance(data, dict) and data.get("error"):
            raise self._failures.from_error(data["error"])
        return data

    def _hide_keys(self) -> None:
        if any(key.encode() in self._body for key in self._failures.keys):
            self._body = bytearray(self._failures.hide(self._body.decode(errors="replace")).encode())
