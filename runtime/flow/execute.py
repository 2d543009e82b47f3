"""One run, from its input to its record. Whatever ends it, there is exactly one record, and it says how."""

from __future__ import annotations

import math
from collections.abc import Mapping, Sequence
from typing import Any, Protocol

import attrs
import trio

from ..core import StepFailure
from ..expr import Scope
from ..judge.errors import JudgeflowError, LimitReached
from ..run import Ledger, Limits, Run, RunGuard, RunInfo, Stamp, events
from ..store.records import (
    LimitHit,
    Status,
    StepRecord,
    Tern,
    TernHead,
    Versions,
    count_unreadable,
)
from .frame import Approver, Frame
from .outcomes import Guarded, Paused
from .system import System


class Recorder(Protocol):
    """Keeps records. `post` is synchronous: it may be called where nothing must come between."""

    def post(self, record: Tern) -> None: ...


@attrs.frozen(eq=False, kw_only=True)
class Request:
    """What is to be run, and everything about the run that its caller decides."""

    flow: str
    values: Mapping[str, Any]
    task: Any
    """What the record keeps as the question: a text, or the input as JSON."""
    id: str
    thread: str
    tenant: str = ""
    history: tuple[TernHead, ...] = ()
    hooks: Sequence[events.Hook] = ()
    on_error: Any = None
    approver: Approver
    limits: Limits = attrs.field(factory=lambda: Limits((), Ledger()))
    profile: str | None = None
    replay_of: str | None = None
    versions: Versions = attrs.field(factory=Versions)
    capture: bool = False
    scripted: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()


@attrs.frozen(eq=False)
class Outcome:
    """How a run ended. `error` is what made it fail, for callers that want to raise it."""

    tern: Tern
    value: Any
    error: Exception | None = None


@attrs.define(eq=False)
class Execution:
    """A run under way. `stop` ends it softly, `abort` at once; both leave a record `cancelled`."""

    system: System
    request: Request
    stamp: Stamp
    recorder: Recorder | None = None
    scope: trio.CancelScope = attrs.field(factory=trio.CancelScope)
    guard: RunGuard = attrs.field(init=False)
    run: Run = attrs.field(init=False)
    started: str = attrs.field(init=False)

    def __attrs_post_init__(self) -> None:
        request = self.request
        self.guard = RunGuard(self.scope)
        self.started = self.stamp()
        self.run = Run(
            RunInfo(request.id, request.thread, request.flow, request.tenant),
            self.guard,
            stamp=self.stamp,
            limits=request.limits,
            hooks=request.hooks,
            on_error=request.on_error,
            history=request.history,
            capture=request.capture,
        )
        self.run.warnings.extend(request.warnings)

    def stop(self) -> None:
        self.guard.stop()

    def abort(self) -> None:
        self.scope.cancel()

    async def __call__(self) -> Outcome:
        """Runs to the end. Passes a caller's own cancellation through, with the record kept."""
        request, run = self.request, self.run
        if run.hooks:
            run.emit(
                events.RunStarted(
                    run=request.id,
                    at=run.now(),
                    flow=request.flow,
                    thread=request.thread,
                    profile=request.profile,
                    scripted=request.scripted,
                )
            )
        seconds = request.limits.seconds
        if seconds is not None:
            self.scope.deadline = trio.current_time() + seconds
        try:
            with self.scope:
                return await self._flow()
        except trio.Cancelled:
            self._finish("cancelled", code="cancelled", reason="cancelled")
            raise
        if (
            self.scope.deadline < math.inf
            and trio.current_time() >= self.scope.deadline
            and not self.guard.stopping
        ):
            return self._limited(request.limits.out_of_time())
        return Outcome(self._finish("cancelled", code="cancelled", reason="stopped"), None)

    async def _flow(self) -> Outcome:
        request = self.request
        functions: dict[str, Any] = {}
        frame = Frame(self.run, Scope({}, functions), "", request.approver)
        try:
            value = await self.system.flows[request.flow](frame, request.values)
        except Guarded as guarded:
            answer = guarded.reason
            return Outcome(
                self._finish("guarded", code=guarded.code, reason=guarded.reason, answer=answer),
                answer,
                guarded,
            )
        except Paused as paused:
            return Outcome(
                self._finish("paused", code="approve.waiting", reason=paused.question), None, paused
            )
        except LimitReached as limit:
            return self._limited(limit)
        except StepFailure as failure:
            code = failure.code if isinstance(failure, JudgeflowError) else "step"
            return Outcome(self._finish("failed", code=code, reason=str(failure)), None, failure)
        return Outcome(self._finish("answered", answer=value), value)

    def _limited(self, limit: LimitReached) -> Outcome:
        per: Any = limit.per
        what: Any = limit.what
        self.run.limits_hit.append(LimitHit(limit=what, per=per, allowed=limit.allowed, spent=limit.spent))
        return Outcome(self._finish("guarded", code=limit.code, reason=limit.message), None, limit)

    def _finish(
        self, status: Status, *, code: str | None = None, reason: str | None = None, answer: Any = None
    ) -> Tern:
        """The one record of this run. Steps that were under way are marked as what became of them."""
        run, request = self.run, self.request
        for step in run.steps:
            if step.status == "running":
                run.end_step(step, "paused" if status == "paused" else "cancelled")
        steps: tuple[StepRecord, ...] = tuple(step.record() for step in run.steps)
        tern = Tern(
            id=request.id,
            thread=request.thread,
            flow=request.flow,
            workflow=self.system.plan.workflow,
            tenant=request.tenant,
            status=status,
            code=code,
            reason=reason,
            task=request.task,
            answer=answer,
            route=tuple(step.name for step in steps),
            cost=run.ledger.cost(),
            usage=run.ledger.usage(),
            versions=request.versions,
            profile=request.profile,
            replay_of=request.replay_of,
            limits=tuple(run.limits_hit),
            warnings=tuple(run.warnings),
            unreadable=count_unreadable(steps),
            started=self.started,
            ended=run.stamp(),
            steps=steps,
        )
        if self.recorder is not None:
            self.recorder.post(tern)
        if run.hooks:
            run.emit(events.RunEnded(run=request.id, at=run.now(), tern=tern))
        return tern
