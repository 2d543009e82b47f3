"""What the actors of a program ask each other. All of it stays in this process and belongs to one run.

What is answered leads nowhere, so the garbage collector need not look at it. A message leads to its run, and that to
hooks whose owner may keep the message: a cycle that has to be seen.
"""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any, NamedTuple, TypeAlias

import msgspec

from ..core import ActorRef
from ..judge.protocol import ChatReply, DecisionQuestion, DecisionReply, Message, ToolSpec
from ..run import Run, Step
from ..store.records import ToolStatus


class Draw(NamedTuple):
    """Which of several draws at once this is, from 1, of how many (`best of 3`, `each`); 0 where there is only one."""

    number: int = 0
    of: int = 0


ALONE = Draw()


class ChatCall(msgspec.Struct, frozen=True, eq=False):
    """Asks a provider's actor for a chat reply. `model` is the Plan's name of the model, `party` who pays, `name` who
    asks."""

    run: Run
    step: Step
    party: str
    name: str
    model: str
    messages: tuple[Message, ...]
    tools: tuple[ToolSpec, ...] = ()
    tool_choice: str | None = None
    temperature: float | None = None
    max_tokens: int | None = None
    attempt: int = 0
    draw: Draw = ALONE
    values: Mapping[str, Any] = {}


class DecideCall(msgspec.Struct, frozen=True, eq=False):
    """Asks a provider's actor for the answers to typed questions."""

    run: Run
    step: Step
    party: str
    name: str
    model: str
    state: Any
    questions: tuple[DecisionQuestion, ...]
    attempt: int = 0
    draw: Draw = ALONE
    values: Mapping[str, Any] = {}


class AgentTask(msgspec.Struct, frozen=True, eq=False):
    """A visit to an agent. `values` are its parameters by name, `task` what it is sent."""

    run: Run
    step: Step
    values: Mapping[str, Any]
    task: str
    draw: Draw = ALONE
    party: str | None = None
    """Who pays; the agent itself where it is None."""


class AgentAnswer(msgspec.Struct, frozen=True, eq=False, gc=False):
    value: Any
    variant: str | None


class JudgeTask(msgspec.Struct, frozen=True, eq=False):
    """One answer to judge. `agent` is the judged one, None where a gate or a flow asks; `calls` are its tool calls of
    this visit with their real values."""

    run: Run
    step: Step
    agent: str | None
    reply: Any
    variant: str | None
    task: str
    attempt: int
    calls: tuple[Mapping[str, Any], ...] = ()
    values: Mapping[str, Any] = {}
    draw: Draw = ALONE
    party: str | None = None
    """Who pays; the judge itself where it is None."""

    @property
    def visible(self) -> dict[str, Any]:
        """What a script's `when` may read of it."""
        return {**self.values, "task": self.task, "attempt": self.attempt, "reply": self.reply}


class Verdict(msgspec.Struct, frozen=True, gc=False):
    """What a judge says. `readable` is False where its model's reply could not be read: then `passed` is no
    judgement. `score` is a rating's exact decimal text."""

    passed: bool
    reason: str | None = None
    metrics: Mapping[str, Any] = {}
    readable: bool = True
    field: str | None = None
    score: str | None = None


class ToolTask(msgspec.Struct, frozen=True, eq=False):
    run: Run
    step: Step
    function: str
    """The tool's name, dotted for a function of an MCP tool."""
    values: Mapping[str, Any]
    attempt: int = 0


class ToolResult(msgspec.Struct, frozen=True, gc=False):
    """`status` as in the records. `output` is the real value; the record holds a masked one. `cause` is what the tool
    raised, with the lines where it did."""

    status: ToolStatus
    output: Any = None
    error: str | None = None
    cause: Exception | None = None


class ToolList(msgspec.Struct, frozen=True, eq=False):
    """Asks an MCP server which functions it has."""


class ToolListing(msgspec.Struct, frozen=True, gc=False):
    """The functions that may be called; `error` says why there are none to be had."""

    functions: tuple[Any, ...]
    error: str | None = None


class GateTask(msgspec.Struct, frozen=True, eq=False):
    run: Run
    step: Step
    values: Mapping[str, Any]


class DecisionTask(msgspec.Struct, frozen=True, eq=False):
    """A condition, choice or scale to evaluate. `layers` are the scoped contexts (`with context`), outermost first;
    `minimum` is the bar of this use, where a branch hangs on it, and `uncertain` says that there is a branch for what
    does not reach it."""

    run: Run
    step: Step
    values: Mapping[str, Any]
    layers: tuple[Mapping[str, Any], ...] = ()
    minimum: str | None = None
    uncertain: bool = False
    draw: Draw = ALONE


ProviderRef: TypeAlias = ActorRef[ChatCall | DecideCall, ChatReply | DecisionReply]
AgentRef: TypeAlias = ActorRef[AgentTask, AgentAnswer]
JudgeRef: TypeAlias = ActorRef[JudgeTask, Verdict]
ToolRef: TypeAlias = ActorRef[ToolTask, ToolResult]
McpRef: TypeAlias = ActorRef[ToolList, ToolListing]
"""A tool's address, where the tool is an MCP server that can be asked for its functions."""
GateRef: TypeAlias = ActorRef[GateTask, dict[str, Any]]
