"""The state of one run that its actors share."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from contextlib import suppress
from decimal import Decimal
from typing import Any

import msgspec

from ..core import RunGuard
from ..judge import protocol
from ..judge.errors import ObservabilityError
from ..store.history import NO_HISTORY, History
from ..store.records import LimitHit, StepKind, StepRecord, StepStatus
from . import events
from .ledger import Ledger
from .limits import Limits
from .stamp import Stamp
from .step import Step

CALLS = frozenset(("agent", "decision", "judge", "tool"))
"""Kinds of steps that ask somebody as soon as they begin."""


class RunInfo(msgspec.Struct, frozen=True, gc=False):
    """What judges, hooks and prompts may know of the run."""

    id: str
    thread: str
    flow: str
    tenant: str
    agent: str | None = None


class Run:
    """One run: who it is, what it has done and paid, whom it tells. Shared by every actor that works for it."""

    __slots__ = (
        "_value",
        "capture",
        "guard",
        "history",
        "hooks",
        "info",
        "journal",
        "ledger",
        "limits",
        "limits_hit",
        "on_error",
        "past",
        "proceed",
        "stamp",
        "steps",
        "warnings",
    )

    def __init__(
        self,
        info: RunInfo,
        guard: RunGuard,
        *,
        stamp: Stamp,
        limits: Limits,
        hooks: Sequence[events.Hook] = (),
        on_error: Callable[[ObservabilityError], Any] | None = None,
        history: History = NO_HISTORY,
        capture: bool = False,
        journal: Callable[[StepRecord, int], None] | None = None,
        past: Mapping[str, StepRecord] | None = None,
    ) -> None:
        """`journal` keeps a step as it begins and as it ends, at once, with its place in the run from 1; `past` are the
        steps of the same run that an earlier process has ended, by id."""
        self.info = info
        self._value = msgspec.structs.asdict(info)
        self.guard = guard
        self.stamp = stamp
        self.limits = limits
        self.ledger: Ledger = limits.ledger
        self.hooks = tuple(hooks)
        self.on_error = on_error
        self.history = history
        self.capture = capture
        self.journal = journal
        self.past = past or {}
        self.proceed: Callable[[], Awaitable[None]] = (
            self._proceed_within_limits if limits.counts else guard.check
        )
        """The third check, before anything is done with what was paid for. Raises `LimitReached` where that spent a
        limit."""
        self.steps: list[Step] = []
        self.warnings: list[str] = []
        self.limits_hit: list[LimitHit] = []

    def value(self, agent: str | None = None) -> dict[str, Any]:
        """`run` as expressions see it; they change nothing, so that all may share it."""
        return self._value if agent is None else {**self._value, "agent": agent}

    def begin_step(
        self, id: str, kind: StepKind, name: str, *, parent: str | None = None, binding: str | None = None
    ) -> Step:
        step = Step(id, kind, name, self.stamp(), parent, binding)
        self._add(step)
        if id in self.past:
            # It is done again: what the first time has cost was paid all the same.
            before = self.past[id]
            step.ledger.absorb(before.cost, before.usage)
            self.ledger.absorb(before.cost, before.usage)
        if kind in CALLS:
            self.keep(step)
        if self.hooks:
            self.emit(events.StepStarted(run=self.info.id, at=self.now(), step=id, kind=kind, name=name))
        return step

    def end_step(
        self, step: Step, status: StepStatus, *, code: str | None = None, reason: str | None = None
    ) -> None:
        step.status = status
        step.code = code
        step.reason = reason
        step.ended = self.stamp()
        self.keep(step)
        if self.hooks:
            self.emit(events.StepEnded(run=self.info.id, at=self.now(), record=step.record()))

    def keep(self, step: Step) -> None:
        """Journals a step as it stands: before something is asked that a killed process would have been waiting for,
        and when it has ended."""
        if self.journal is not None:
            self.journal(step.record(), step.place)

    def _add(self, step: Step) -> None:
        self.steps.append(step)
        step.place = len(self.steps)

    def recall(self, id: str, kind: StepKind, name: str) -> StepRecord | None:
        """The step as an earlier process ended it, now a step of this run as well; None where it has to be done."""
        record = self.past.get(id)
        if record is None or (record.kind, record.name) != (kind, name) or not is_over(record):
            return None
        self._add(Step.ended_as(record))
        self.ledger.absorb(record.cost, record.usage)
        return record

    def keep_past(self, record: StepRecord) -> None:
        """A step of an earlier process that is not gone into again, with what it has cost. One that was under way when
        that process died has been cut."""
        if record.ended is None:
            record = msgspec.structs.replace(record, status="cancelled", ended=self.stamp())
        self._add(Step.ended_as(record))
        self.ledger.absorb(record.cost, record.usage)

    async def _proceed_within_limits(self) -> None:
        await self.guard.check()
        self.limits.check_spent()

    def book(
        self,
        step: Step,
        party: str,
        usage: protocol.Usage,
        amount: Decimal,
        *,
        certain: bool = True,
        from_cache: bool = False,
    ) -> None:
        """Records a paid call, synchronously: before any check that could end the run."""
        self.ledger.book(party, usage, amount, certain=certain, from_cache=from_cache)
        step.ledger.book(party, usage, amount, certain=certain, from_cache=from_cache)
        if self.limits.day is not None and not from_cache:
            tokens = (usage.input_tokens or 0) + (usage.output_tokens or 0)
            self.limits.day.book(tokens, amount, certain=certain)

    def emit(self, event: events.Event) -> None:
        """Tells every hook. A hook that raises changes nothing; `on_error` gets an `ObservabilityError`."""
        for hook in self.hooks:
            try:
                hook(event)
            except Exception as error:
                if self.on_error is not None:
                    failure = ObservabilityError(f"a hook failed ({type(error).__name__})", id=self.info.id)
                    failure.__cause__ = error
                    with suppress(Exception):
                        self.on_error(failure)

    def now(self) -> float:
        """Seconds on the program's clock, for events."""
        return self.stamp.seconds()


def is_over(record: StepRecord) -> bool:
    """Whether a step gave something that a resumed run can go on with. One that a limit ended may go on under
    another limit."""
    limited = record.code is not None and record.code.startswith("limit.")
    return record.status in ("succeeded", "failed", "blocked") and not limited
