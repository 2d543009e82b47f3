"""A run as plain data: what the store keeps, what `--json`, events and reports show. Schema 1.

Every field is always written, in the order below, so that a reader never has to ask whether a key is there. A
later version of the same schema may add fields and never renames, retypes or drops one.

Conventions: moments are ISO-8601 in UTC with milliseconds (`2026-03-01T12:00:00.000Z`); money is a decimal
text in US dollars or `"unknown"` (see `money`); attempts count from 0, as `attempt` does in a judge; `Json`
is any JSON value. Secrets of tools are masked before a record is made; full prompts and raw replies are there
with `--capture` only.
"""

from __future__ import annotations

import os
from collections.abc import Callable
from typing import Any, Literal, TypeAlias

import msgspec

from .money import ZERO, Cost, Money

SCHEMA = 1

Json: TypeAlias = Any  # a recursive alias would have to be spelled in every annotation of every reader
"""A JSON value: null, a bool, a finite number, a text, a list of them or an object of them."""

Status: TypeAlias = Literal["running", "answered", "guarded", "failed", "paused", "cancelled", "abandoned"]
"""How a run stands: `running` until it ends; `abandoned` if its process died before it could say how."""

StepKind: TypeAlias = Literal[
    "agent", "judge", "gate", "tool", "decision", "approve",
    "flow", "parallel", "each", "loop", "best", "race", "memory",
]  # fmt: skip
StepStatus: TypeAlias = Literal["running", "succeeded", "failed", "blocked", "paused", "cancelled"]
"""`blocked`: a gate or a person said no. A step that failed under `try` is `failed` all the same."""

AttemptOutcome: TypeAlias = Literal["accepted", "rejected", "invalid", "failed", "cancelled"]
"""`rejected`: by a judge. `invalid`: not of the declared shape. `failed`: there was no whole answer."""

ToolStatus: TypeAlias = Literal["succeeded", "failed", "timed_out", "refused", "cancelled"]


class Usage(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """Tokens of model calls. Cached tokens are part of the input, reasoning tokens of the output."""

    calls: int = 0
    """Model calls that were answered or paid for."""
    input_tokens: int = 0
    output_tokens: int = 0
    cached_tokens: int = 0
    reasoning_tokens: int = 0
    unreported: int = 0
    """Calls whose service gave no counts: above 0, the token counts are a lower bound."""
    from_cache: int = 0
    """Calls whose reply was kept from an earlier run (`--cache`): no service was asked, and nothing was paid."""

    def plus(self, other: Usage) -> Usage:
        return Usage(
            calls=self.calls + other.calls,
            input_tokens=self.input_tokens + other.input_tokens,
            output_tokens=self.output_tokens + other.output_tokens,
            cached_tokens=self.cached_tokens + other.cached_tokens,
            reasoning_tokens=self.reasoning_tokens + other.reasoning_tokens,
            unreported=self.unreported + other.unreported,
            from_cache=self.from_cache + other.from_cache,
        )


class Versions(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """Which program ran. Hashes are 64 hex characters (`canonical`); people are shown the first 8."""

    workflow: str | None = None
    """As the file declares it (`workflow support version "3"`)."""
    prompt: str | None = None
    """Of the texts of all agents, pickers, judges and decisions."""
    model: str | None = None
    """Of the resolved model settings."""
    config: str | None = None
    """Of the whole plan without file positions."""


class LimitHit(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A limit that ended the run or kept a call from being made."""

    limit: Literal["cost", "tokens", "calls", "time"]
    per: Literal["run", "day"]
    allowed: str
    """As declared: a decimal text of dollars, tokens, calls or seconds."""
    spent: str
    """In the same unit, when it was noticed."""


class VerdictRecord(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """What one judge said of one attempt."""

    judge: str
    attempt: int = 0
    passed: bool
    reason: str | None = None
    """Why not; None where it passed."""
    metrics: dict[str, Json] = {}
    """Its measurements, kept on a pass as on a failure."""
    readable: bool = True
    """False: the judge's reply could not be read, so `passed` is the policy for that and no judgement."""
    field: str | None = None
    """What was found wanting: `output` or, where the judge's own reply could not be read, `llm_response`."""


class AttemptRecord(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """One answer of an agent, whether or not it was good enough."""

    number: int
    """From 0: the retries so far."""
    outcome: AttemptOutcome
    variant: str | None = None
    """The type that was answered with, where the agent has several."""
    answer: Json = None
    reason: str | None = None
    """What was sent back or what went wrong; None where it was accepted."""
    model: str | None = None
    """The model that answered, as its service names it."""
    usage: Usage = Usage()
    cost: Money = ZERO
    """Of the agent's own calls; its judges' are in the step's cost."""
    started: str
    ended: str | None = None
    prompt: Json = None
    """The messages that were sent; with `--capture` only."""
    raw: str | None = None
    """The reply as it came; with `--capture` only."""
    form: Literal["tools", "schema", "words"] | None = None
    """How a typed answer or a tool call was asked for: as a tool, by a JSON schema, or in words that ask for JSON.
    None where there was none."""


class ToolCallRecord(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """One use of a tool, secrets masked."""

    tool: str
    input: Json = None
    output: Json = None
    error: str | None = None
    status: ToolStatus
    attempt: int = 0
    id: str | None = None
    """The model's name for the call, which ties a result to what asked for it."""
    by: str | None = None
    """The judge in Python that used it, on its own behalf; None where the agent or the flow did."""
    started: str | None = None
    ended: str | None = None


class DecisionRecord(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """What a decision model answered and what was made of it. The context is not kept."""

    kind: Literal["condition", "choice", "scale"]
    selected: str
    """`yes` or `no`, the option, or the scale's label."""
    outcome: Literal["accepted", "uncertain", "refused"]
    value: Json = None
    """A condition's bool, a choice's option, a scale's score (0 … levels - 1); None where it was refused."""
    probabilities: dict[str, float] = {}
    """Per option or level; a condition has `yes` and `no`."""
    confidence: float | None = None
    """0 … 1."""
    origin: Literal["reported", "logprobs", "json", "scripted", "derived"] | None = None
    """Where the confidence came from; `derived`: max(p, 1 - p), as the service gave none."""
    minimum: float | None = None
    """The bar that the confidence had to reach, if there was one."""
    normalized: bool = False
    """The service rounds, and its probabilities were scaled to a sum of 1."""
    provider: str | None = None
    gateway: str | None = None
    model: str | None = None


class ScorerRecord(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    name: str
    passed: bool
    score: int
    """0 or 1."""
    detail: str | None = None
    """Why not; None where it passed."""
    weight: str | None = None
    """The declared literal, in a weighted gate."""


class GateJudgeRecord(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """What a gate's judge or `ask` answered."""

    party: str
    """The agent or judge that was asked."""
    verdict: Literal["pass", "block"] | None = None
    """None where the reply could not be read."""
    score: str | None = None
    """Decimal text in 0 … 1, where one was read."""
    readable: bool = True
    """False: the gate's `unreadable` clause decided in the judge's place."""
    reason: str | None = None


class GateRecord(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    verdict: Literal["pass", "block"]
    decided_by: Literal["pass_when", "scorers", "bounds", "judge", "ask", "default"]
    """`bounds`: no judge's score could change what the scorers say. `default`: nobody was left to ask."""
    results: tuple[ScorerRecord, ...] = ()
    combined: str | None = None
    """The exact combined score, a decimal or a fraction text; None where `pass when` held."""
    lower: str | None = None
    upper: str | None = None
    """The least and the most that the combined score could become, in a weighted gate with a judge."""
    threshold: str | None = None
    judge: GateJudgeRecord | None = None
    report: str | None = None


class PickRecord(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """Which of several variants won, and how surely. The variants are steps of their own, under this one."""

    winner: int
    """From 1."""
    count: int
    readable: bool = True
    clamped: bool = False
    """The reply named a variant that does not exist, and the nearest was taken."""
    defaulted: bool = False
    """No winner could be read, and the first was taken."""
    reason: str | None = None


class ApprovalRecord(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    question: str
    showing: Json = None
    approved: bool | None = None
    """None while nobody has answered."""
    by: str | None = None
    at: str | None = None


class StepRecord(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """One step of a run. Which of `decision`, `gate`, `pick` and `approval` is there follows from `kind`."""

    id: str
    """Unique within the run, and the same when the run is resumed."""
    parent: str | None = None
    """The step that this one is part of: a tournament of its variants, a subflow of its steps."""
    kind: StepKind
    name: str
    """Of what ran, as declared."""
    binding: str | None = None
    """The flow's own name for the result."""
    status: StepStatus
    code: str | None = None
    """Stable code of what went wrong (`step.agent.quality-gate`)."""
    reason: str | None = None
    answer: Json = None
    attempts: tuple[AttemptRecord, ...] = ()
    verdicts: tuple[VerdictRecord, ...] = ()
    """In order of attempts, and within one in the order in which the judges are listed."""
    tool_calls: tuple[ToolCallRecord, ...] = ()
    decision: DecisionRecord | None = None
    gate: GateRecord | None = None
    pick: PickRecord | None = None
    approval: ApprovalRecord | None = None
    cost: Cost = Cost()
    """Of everything that this step paid for, its judges included, its child steps not."""
    usage: Usage = Usage()
    started: str
    ended: str | None = None


class TernHead(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A run without its steps: what lists, threads and history need."""

    schema: int = SCHEMA
    id: str
    thread: str
    turn: int = 0
    """Its place in the thread, from 1; 0 until the store has given it one."""
    flow: str
    workflow: str
    tenant: str = ""
    """Whose run it is; tenants never see each other's. Empty: nobody in particular."""
    status: Status
    code: str | None = None
    """Stable code of why it did not end as `answered`."""
    reason: str | None = None
    task: Json = None
    answer: Json = None
    route: tuple[str, ...] = ()
    """The names of the steps that ran, in the order in which they started."""
    cost: Cost = Cost()
    usage: Usage = Usage()
    versions: Versions = Versions()
    profile: str | None = None
    file: str | None = None
    """The file that was run, an absolute path: a run that waits is gone on with from there."""
    replay_of: str | None = None
    """The run whose task was run again."""
    evaluation: str | None = None
    """The suite or comparison that ran it; None for a run of its own."""
    limits: tuple[LimitHit, ...] = ()
    """The limits that were hit."""
    warnings: tuple[str, ...] = ()
    unreadable: int = 0
    """How many judgements could not be read."""
    started: str
    ended: str | None = None


class Tern(TernHead, frozen=True, kw_only=True, gc=False):
    """One run from question to answer: its head and every step, in the order in which they started."""

    steps: tuple[StepRecord, ...] = ()


class Summary(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """What turns `first` … `last` of a thread come to."""

    first: int
    last: int
    text: str


class JournalEntry(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """A step's result, kept as soon as it is there: it outlives a killed process; resuming starts there."""

    run: str
    step: StepRecord
    place: int
    """Of the step within the run, from 1, in the order in which steps start."""


class RunEnd(msgspec.Struct, frozen=True, kw_only=True, gc=False):
    """How a run ended of which every step is in the journal already, as it ended."""

    tern: Tern


def head_of(tern: TernHead) -> TernHead:
    """The same run without its steps."""
    return TernHead(**{name: getattr(tern, name) for name in TernHead.__struct_fields__})


def count_unreadable(steps: tuple[StepRecord, ...]) -> int:
    """Judgements that could not be read: judges' verdicts, gates' readings and pickers' choices."""
    found = 0
    for step in steps:
        for verdict in step.verdicts:
            found += not verdict.readable
        found += step.gate is not None and step.gate.judge is not None and not step.gate.judge.readable
        found += step.pick is not None and not step.pick.readable
    return found


def new_id(randbytes: Callable[[int], bytes] = os.urandom) -> str:
    """A new run or thread: 32 random hex characters, so that a few of them name one among thousands."""
    return randbytes(16).hex()
