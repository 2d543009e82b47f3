"""A chat service as a `Provider`: one dialect on the way out and back, and decisions read from its
answers."""

from __future__ import annotations

from collections.abc import Callable, Collection
from typing import Any

import attrs
import msgspec

from ..judge.errors import ConfigurationError, ProviderError
from ..judge.protocol import ChatReply, ChatRequest, DecisionReply, DecisionRequest
from . import anthropic, openai
from .anthropic_reply import MessageReader
from .chat_decides import ChatDecides
from .clockwork import Clockwork
from .exchange import Head
from .failures import Failures
from .forms import Form, called, shaped, weaker
from .habits import Habits, told, without
from .openai_reply import CompletionReader
from .service import Call, Reader, Service
from .settings import Target
from .tool_calls import with_texts
from .usage import total


@attrs.frozen
class Dialect:
    path: str
    auth: Callable[[Target], tuple[tuple[str, str], ...]]
    body: Callable[[ChatRequest, str, dict[str, Any] | None, Collection[str]], bytes]
    """Its last arguments are a JSON schema that the answer must fit, and what the model does not take."""
    reader: Callable[[Head, Failures, bool], Reader[ChatReply]]
    """Its last argument says that the token limit is no failure."""
    logprobs: bool


OPENAI = Dialect(
    openai.PATH,
    openai.auth,
    openai.body,
    lambda head, failures, may_be_cut: CompletionReader(head, failures, may_be_cut=may_be_cut),
    logprobs=True,
)
ANTHROPIC = Dialect(
    anthropic.PATH,
    anthropic.auth,
    lambda request, model, schema, lacks: anthropic.body(request, model),
    lambda head, failures, may_be_cut: MessageReader(head, failures),
    logprobs=False,
)


class ChatService:
    def __init__(self, target: Target, dialect: Dialect, clockwork: Clockwork) -> None:
        self.name = target.name
        self._target = target
        self._dialect = dialect
        self._service = Service(target, clockwork, auth=dialect.auth(target))
        self.concurrency = self._service.limit
        self._form: Form = "tools" if target.tools else "schema"
        self._forms: dict[str, Form] = {}
        self._habits = Habits()
        self._decides = ChatDecides(
            self._complete,
            self._service.failures,
            logprobs=dialect.logprobs,
            in_turn=self.concurrency == 1,
        )

    async def chat(self, request: ChatRequest) -> ChatReply:
        while True:
            form = self._forms.get(request.model, self._form)
            plain, schema = shaped(request, form)
            try:
                return called(await self._complete(plain, may_be_cut=False, schema=schema), request, form)
            except ProviderError as error:
                weak = weaker(form, error.code)
                if weak is None:
                    raise
                self._forms[request.model] = weak

    async def decide(self, request: DecisionRequest) -> DecisionReply:
        return await self._decides.decide(request)

    async def aclose(self) -> None:
        await self._service.aclose()

    async def _complete(
        self, request: ChatRequest, *, may_be_cut: bool, schema: dict[str, Any] | None = None
    ) -> ChatReply:
        while True:
            lacks = self._habits.lacks(request.model)
            try:
                reply = await self._send(without(request, lacks), lacks, may_be_cut=may_be_cut, schema=schema)
            except ProviderError as error:
                if not self._habits.learn(request.model, error.code, lacks):
                    raise
            else:
                return told(reply, request, lacks) if lacks else reply

    async def _send(
        self, request: ChatRequest, lacks: Collection[str], *, may_be_cut: bool, schema: dict[str, Any] | None
    ) -> ChatReply:
        dialect, failures = self._dialect, self._service.failures
        model = self._target.model(request.model)
        call = Call(
            path=dialect.path,
            body=_encoded(request, lambda: dialect.body(request, model, schema, lacks)),
            read=lambda head: dialect.reader(head, failures, may_be_cut),
            caller=request.caller,
            timeout=request.timeout if request.timeout is not None else self._target.timeout,
        )
        reply, before = await self._service.call(call)
        if failures.keys:
            # A service that repeats what it was sent must not bring a key into a record.
            reply = with_texts(reply, failures.hide)
        return msgspec.structs.replace(reply, usage=total([*before, reply.usage])) if before else reply


def _encoded(request: ChatRequest, body: Callable[[], bytes]) -> bytes:
    try:
        return body()
    except (TypeError, ValueError) as error:
        raise ConfigurationError(
            f"{request.caller.party}: the request is not JSON ({error}); no call was made",
            code="serialization",
        ) from None
