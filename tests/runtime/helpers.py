"""Small programs, and models made by hand: what the tests of agents, flows and runs are written with."""

from __future__ import annotations

import json
import textwrap
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from pathlib import Path
from typing import Any

import trio

from judgeflow.dsl.lower import lower
from judgeflow.dsl.parse import parse
from judgeflow.dsl.passes import load
from judgeflow.dsl.plan import ModelPlan
from judgeflow.dsl.source import Source
from judgeflow.runtime.connect import Connections
from judgeflow.runtime.flow.system import Connect, Connection
from judgeflow.runtime.judge.protocol import (
    Answer,
    ChatReply,
    ChatRequest,
    DecisionReply,
    DecisionRequest,
    Provider,
    ToolCall,
    Usage,
)
from judgeflow.runtime.program import Program, Result, Session
from judgeflow.runtime.run import Stamp
from judgeflow.runtime.store.records import StepRecord

EPOCH = 1_772_366_400.0
USED = Usage(input_tokens=10, output_tokens=5)


def program(text: str, path: Path = Path("test.judge")) -> Program:
    """A checked program; an error in it is an error of the test."""
    data = textwrap.dedent(text).encode()
    checked = load(str(path), lambda name: data if Path(name).name == path.name else _read(name))
    errors = [found for found in checked.diagnostics if found.severity == "error"]
    assert not errors, checked.rendered()
    return Program(lower(checked.modules), path, checked.diagnostics)


def unchecked(text: str, path: Path = Path("test.judge")) -> Program:
    """A program that the checker would refuse: what the run does if it meets one all the same."""
    module = parse(Source(str(path), textwrap.dedent(text)))
    assert not module.diagnostics, module.diagnostics
    return Program(lower([module]), path)


def _read(name: str) -> bytes | None:
    try:
        return Path(name).read_bytes()
    except OSError:
        return None


class Tools:
    """A reply that calls tools: pairs of a name and its arguments, which may also be a raw text."""

    def __init__(self, *calls: tuple[str, Any], text: str = "") -> None:
        self.text = text
        self.calls = tuple(
            ToolCall(f"call_{at}", name, given if isinstance(given, str) else json.dumps(given))
            for at, (name, given) in enumerate(calls)
        )


Reply = str | Tools | ChatReply | DecisionReply | Mapping[str, Answer] | Exception | Callable[[Any], Any]


class Model:
    """A provider by hand. Each call takes the next of `replies`, and the last one for ever; an exception is raised.

    A call takes `seconds`. `requests` is what was asked, `most` how many calls were under way at once.
    """

    def __init__(
        self, *replies: Reply, seconds: float = 0.0, usage: Usage = USED, name: str = "fake"
    ) -> None:
        self.name = name
        self.concurrency = 1000
        self.requests: list[Any] = []
        self.under_way = self.most = self.answered = self.opened = 0
        self._replies = replies
        self._seconds = seconds
        self._usage = usage

    @property
    def prompts(self) -> list[str]:
        """The last message of every chat request."""
        return [request.messages[-1].content for request in self.requests]

    async def chat(self, request: ChatRequest) -> ChatReply:
        reply = await self._next(request)
        if isinstance(reply, ChatReply):
            return reply
        if isinstance(reply, Tools):
            return ChatReply(reply.text, reply.calls, self._usage, request.model)
        return ChatReply(reply, (), self._usage, request.model)

    async def decide(self, request: DecisionRequest) -> DecisionReply:
        reply = await self._next(request)
        if isinstance(reply, DecisionReply):
            return reply
        return DecisionReply(dict(reply), self._usage, request.model)

    async def aclose(self) -> None:
        return None

    async def _next(self, request: Any) -> Any:
        at = len(self.requests)
        self.requests.append(request)
        self.under_way += 1
        self.most = max(self.most, self.under_way)
        try:
            if self._seconds:
                await trio.sleep(self._seconds)
            else:
                await trio.lowlevel.checkpoint()
        finally:
            self.under_way -= 1
        self.answered += 1
        reply: Any = self._replies[min(at, len(self._replies) - 1)]
        if callable(reply) and not isinstance(reply, type):
            reply = reply(request)
        if isinstance(reply, Exception):
            raise reply
        return reply


def connected(models: Mapping[str, Model]) -> Connect:
    """A hand-made model for each name that is declared or each slug; models of one object share one provider."""

    def connect(plan: ModelPlan) -> Connection:
        model = models[plan.name]

        @asynccontextmanager
        async def opens() -> AsyncIterator[Provider]:
            model.opened += 1
            yield model

        opened: Callable[[], AbstractAsyncContextManager[Provider]] = opens
        return Connection(id(model), model.name, plan.slug, opened)

    return connect


@asynccontextmanager
async def opened(
    source: str | Program, models: Mapping[str, Model] | None = None, **options: Any
) -> AsyncIterator[Session]:
    """A running program. Without hand-made models its own scripts answer."""
    made = program(source) if isinstance(source, str) else source
    connect = connected(models) if models is not None else Connections(made.plan, made.root, {})
    stamp = Stamp(lambda: EPOCH + trio.current_time())
    async with made.opened(connect=connect, stamp=stamp, **options) as session:
        yield session


async def run(
    source: str | Program,
    input: Any = None,
    *,
    models: Mapping[str, Model] | None = None,
    store: Path | None = None,
    **options: Any,
) -> Result:
    """One run of a program of its own."""
    async with opened(source, models, store=store) as session:
        return await session.run(input, **options)


def step(result: Result, name: str) -> StepRecord:
    """The only step of a name."""
    [found] = steps(result, name)
    return found


def steps(result: Result, name: str) -> Sequence[StepRecord]:
    return [found for found in result.record.steps if found.name == name]
