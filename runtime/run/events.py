"""What a run tells while it runs: plain data, emitted synchronously, in order. Texts of prompts are never in it."""

from __future__ import annotations

from collections.abc import Callable
from typing import Any

import msgspec

from ..store.records import StepRecord, Tern, VerdictRecord


class Event(msgspec.Struct, frozen=True, tag_field="event", kw_only=True):
    run: str
    at: float
    """Seconds on the program's own clock."""


class RunStarted(Event, tag="run.started", frozen=True, kw_only=True):
    flow: str
    thread: str
    profile: str | None = None
    scripted: tuple[str, ...] = ()
    """The models whose answers are scripted."""


class StepStarted(Event, tag="step.started", frozen=True, kw_only=True):
    step: str
    kind: str
    name: str


class AttemptRejected(Event, tag="attempt.rejected", frozen=True, kw_only=True):
    """An answer went back to the agent: judges rejected it, or it did not have the declared shape."""

    step: str
    agent: str
    attempt: int
    reasons: tuple[tuple[str, str], ...]
    """(judge, reason); the judge is empty for a violated shape."""


class JudgeStarted(Event, tag="judge.start", frozen=True, kw_only=True):
    step: str
    judge: str
    attempt: int


class JudgeEnded(Event, tag="judge.end", frozen=True, kw_only=True):
    step: str
    verdict: VerdictRecord


class ToolCalled(Event, tag="tool.called", frozen=True, kw_only=True):
    step: str
    tool: str
    status: str


class Decided(Event, tag="decision", frozen=True, kw_only=True):
    """A decision was validated and its branch is known; nothing of the branch has run."""

    step: str
    id: str
    kind: str
    name: str
    selected: str | bool
    confidence: float | None
    outcome: str
    """`accepted` or `uncertain`."""
    duration_ms: float
    provider: str = ""
    gateway: str | None = None
    model: str | None = None
    input_tokens: int | None = None
    output_tokens: int | None = None


class GateAsked(Event, tag="gate.asked", frozen=True, kw_only=True):
    step: str
    gate: str
    passed: int
    total: int
    party: str


class Retrying(Event, tag="call.retrying", frozen=True, kw_only=True):
    """A provider waits before it sends a request again."""

    party: str
    delay: float
    """Seconds."""
    reason: str
    attempt: int = 0
    """Which attempt the next one will be, from 1."""


class Stopping(Event, tag="run.stopping", frozen=True, kw_only=True):
    in_flight: int


class StepEnded(Event, tag="step.ended", frozen=True, kw_only=True):
    record: StepRecord


class RunKept(Event, tag="run.kept", frozen=True, kw_only=True):
    """The run is in the store as it ended, its answer is there to be read, and its thread is about to be summed up."""

    status: str
    answer: Any
    reason: str | None = None


class RunEnded(Event, tag="run.ended", frozen=True, kw_only=True):
    tern: Tern


Hook = Callable[[Event], Any]
