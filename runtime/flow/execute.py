"""One run, from its input to its record. Whatever ends it, there is exactly one record, and it says how."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any, Protocol

import attrs
import msgspec
import trio

from ..core import StepFailure
from ..expr import Scope
from ..judge.errors import JudgeflowError, LimitReached, ObservabilityError
from ..run import Limits, Run, RunGuard, RunInfo, Stamp, events
from ..store.errors import StoreError
from ..store.history import NO_HISTORY, History
from ..store.records import (
    JournalEntry,
    LimitHit,
    RunEnd,
    Status,
    StepRecord,
    Tern,
    Versions,
    count_unreadable,
)
from .frame import Approver, Frame
from .outcomes import Guarded, Paused
from .system import System
from .within import INTERNAL


class Recorder(Protocol):
    """Keeps records. `post` is synchronous: it may be called where nothing must come between."""

    async def begin(self, tern: Tern) -> Tern: ...

    async def write(self, record: Tern | RunEnd) -> None: ...

    def post(self, record: Tern | RunEnd | JournalEntry) -> None: ...


class Request(msgspec.Struct, frozen=True, eq=False, kw_only=True):
    """What is to be run, and everything about the run that its caller decides."""

    flow: str
    values: Mapping[str, Any]
    task: Any
    """What the record keeps as the question: a text, or the input as JSON."""
    id: str
    thread: str
    turn: int = 1
    """Its number in the thread, where no store says it."""
    tenant: str = ""
    history: History = NO_HISTORY
    hooks: Sequence[events.Hook] = ()
    on_error: Callable[[ObservabilityError], Any] | None = None
    approver: Approver
    limits: Limits
    profile: str | None = None
    file: str | None = None
    replay_of: str | None = None
    evaluation: str | None = None
    versions: Versions = Versions()
    capture: bool = False
    scripted: tuple[str, ...] = ()
    warnings: tuple[str, ...] = ()
    past: Mapping[str, StepRecord] = {}
    """The steps that an earlier process of this run has ended: they are not done again."""
    started: str | None = None
    """When that process began."""
    doubts: tuple[str, ...] = ()
    """Parties whose calls were under way when it died."""
    remember: Callable[[Run, Tern], Awaitable[None]] | None = None
    """What is done for the thread's memory once the run has ended and is kept."""


class Outcome(msgspec.Struct, frozen=True, eq=False):
    """How a run ended. `error` is what made it fail, for callers that want to raise it."""

    tern: Tern
    value: Any
    error: Exception | None = None


class _End(msgspec.Struct, frozen=True, eq=False):
    """How a flow ended, before it is in the record."""

    status: Status
    value: Any = None
    code: str | None = None
    reason: str | None = None
    error: Exception | None = None


def _broken(error: Exception) -> _End:
    """A run that the store would not take, or that met a bug of ours."""
    if isinstance(error, StoreError):
        return _End("failed", code=error.code, reason=str(error))
    return _End("failed", code=INTERNAL, reason=f"{type(error).__name__}: {error}")


@attrs.define(eq=False)
class Execution:
    """A run under way. `stop` ends it softly, `abort` at once; both leave a record `cancelled`.

    `durable`: the run is kept as it begins, and each step as it begins and ends, for the case that this process is
    killed. Where nothing outlives the process the one record at the end is enough.
    """

    system: System
    request: Request
    stamp: Stamp
    recorder: Recorder
    durable: bool = False
    guard: RunGuard = attrs.field(init=False)
    run: Run = attrs.field(init=False)
    _scope: trio.CancelScope = attrs.field(factory=trio.CancelScope, init=False)
    _aborted: bool = attrs.field(default=False, init=False)
    _started: str = attrs.field(init=False)
    _turn: int = attrs.field(init=False)

    def __attrs_post_init__(self) -> None:
        request = self.request
        self.guard = RunGuard(self._scope)
        self._started = request.started or self.stamp()
        self._turn = request.turn
        self.run = Run(
            RunInfo(request.id, request.thread, request.flow, request.tenant),
            self.guard,
            stamp=self.stamp,
            limits=request.limits,
            hooks=request.hooks,
            on_error=request.on_error,
            history=request.history,
            capture=request.capture,
            journal=_journal(self.recorder, request.id) if self.durable else None,
            past=request.past,
        )
        self.run.warnings.extend(request.warnings)
        for party in request.doubts:
            self.run.ledger.doubt(party)

    def stop(self) -> None:
        self.guard.stop()

    def abort(self) -> None:
        self._aborted = True
        self._scope.cancel()

    async def __call__(self) -> Outcome:
        """Runs to the end. Passes a caller's own cancellation through, with the record kept.

        Raises `StoreError` where the run cannot be recorded, and a bug of ours as itself, after recording it.
        """
        try:
            if self.durable:
                begun = await self.recorder.begin(self._tern(_End("running"), ended=False))
                self._turn = begun.turn
            self._tell_started()
            seconds = self.request.limits.seconds
            if seconds is not None:
                self._scope.deadline = trio.current_time() + seconds
            end = None
            with self._scope:
                await self.guard.check()
                end = await self._flow()
        except Exception as error:
            self._record(_broken(error), error)
            raise
        except BaseException as cancelled:
            # Not ours to answer: the caller's own scope was cancelled. Nothing may be awaited, and nothing is lost.
            self._record(_End("cancelled", code="cancelled", reason="cancelled"), cancelled)
            if isinstance(cancelled, trio.Cancelled):
                # What it holds of the run is let go of: thousands that are cancelled together do not pile up.
                cancelled.__traceback__ = None
            raise
        end = end or self._cut_short()
        tern = self._ended(end)
        try:
            if self.durable:
                await self.recorder.write(self._last(tern))
            else:
                self.recorder.post(tern)
        except BaseException:
            self._tell_ended(tern)
            raise
        tern = await self._remember(end, tern)
        self._tell_ended(tern)
        return Outcome(tern, end.value, end.error)

    async def _remember(self, end: _End, tern: Tern) -> Tern:
        """What the thread's memory has to be done for. The run is kept as it ended; this adds steps and their cost."""
        remember, steps = self.request.remember, len(self.run.steps)
        if remember is None or not self.durable or self.guard.stopping:
            return tern
        self._tell_kept(tern)
        # A scope of its own: the run's may have ended, and a stop or the run's time ends this as well.
        self._scope = self.guard.scope = trio.CancelScope(deadline=self._scope.deadline)
        try:
            with self._scope:
                await remember(self.run, tern)
        except BaseException as cut:
            self._record(end, cut, tern.ended)
            raise
        if len(self.run.steps) == steps:
            return tern
        tern = msgspec.structs.replace(self._ended(end), ended=tern.ended)
        await self.recorder.write(self._last(tern))
        return tern

    def _cut_short(self) -> _End:
        """The run's own scope was cancelled: by `stop`, by `abort`, or by its time limit."""
        if self._aborted or self.guard.stopping:
            return _End("cancelled", code="cancelled", reason="stopped")
        return self._limited(self.request.limits.out_of_time())

    async def _flow(self) -> _End:
        request = self.request
        frame = Frame(self.run, Scope({}, {}), "", request.approver)
        try:
            value = await self.system.flows[request.flow](frame, request.values)
        except Guarded as guarded:
            reason = guarded.reason
            return _End("guarded", reason, guarded.code, reason, guarded)
        except Paused as paused:
            return _End("paused", None, "approve.waiting", paused.question, paused)
        except LimitReached as limit:
            return self._limited(limit)
        except StepFailure as failure:
            code = failure.code if isinstance(failure, JudgeflowError) else "step"
            return _End("failed", None, code, str(failure), failure)
        return _End("answered", value)

    def _limited(self, limit: LimitReached) -> _End:
        self.run.limits_hit.append(
            LimitHit(limit=limit.what, per=limit.per, allowed=limit.allowed, spent=limit.spent)
        )
        return _End("guarded", None, limit.code, limit.message, limit)

    def _ended(self, end: _End) -> Tern:
        """The one record of this run. Steps that were under way are marked as what became of them."""
        for step in self.run.steps:
            if step.status == "running":
                self.run.end_step(step, "paused" if end.status == "paused" else "cancelled")
        return self._tern(end, ended=True)

    def _tern(self, end: _End, *, ended: bool) -> Tern:
        run, request = self.run, self.request
        steps: tuple[StepRecord, ...] = tuple(step.record() for step in run.steps)
        return Tern(
            id=request.id,
            thread=request.thread,
            turn=self._turn,
            flow=request.flow,
            workflow=self.system.plan.workflow,
            tenant=request.tenant,
            status=end.status,
            code=end.code,
            reason=end.reason,
            task=request.task,
            answer=end.value,
            route=tuple(step.name for step in steps),
            cost=run.ledger.cost(),
            usage=run.ledger.usage(),
            versions=request.versions,
            profile=request.profile,
            file=request.file,
            replay_of=request.replay_of,
            evaluation=request.evaluation,
            limits=tuple(run.limits_hit),
            warnings=tuple(run.warnings),
            unreadable=count_unreadable(steps),
            started=self._started,
            ended=run.stamp() if ended else None,
            steps=steps,
        )

    def _record(self, end: _End, error: BaseException, ended: str | None = None) -> None:
        """The record where nothing may be awaited. That it cannot be kept either is told beside the error."""
        tern = self._ended(end)
        if ended is not None:
            tern = msgspec.structs.replace(tern, ended=ended)
        try:
            self.recorder.post(self._last(tern))
        except StoreError as lost:
            if type(error) is not type(lost):
                raise BaseExceptionGroup(
                    "the run ended early, and its record was not kept", [error, lost]
                ) from None
        finally:
            self._tell_ended(tern)

    def _last(self, tern: Tern) -> Tern | RunEnd:
        """The last record of a run. Where every step is in the journal as it stands, they are not written twice; of a
        run that was gone on with, an earlier process has written some, at other places."""
        return RunEnd(tern=tern) if self.durable and not self.request.past else tern

    def _tell_started(self) -> None:
        run, request = self.run, self.request
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

    def _tell_kept(self, tern: Tern) -> None:
        run = self.run
        if run.hooks:
            run.emit(
                events.RunKept(
                    run=tern.id, at=run.now(), status=tern.status, answer=tern.answer, reason=tern.reason
                )
            )

    def _tell_ended(self, tern: Tern) -> None:
        run = self.run
        if run.hooks:
            run.emit(events.RunEnded(run=tern.id, at=run.now(), tern=tern))


def _journal(recorder: Recorder, run: str) -> Callable[[StepRecord, int], None]:
    """Keeps the steps of a run. No method of its `Execution`: a run that holds who holds it is freed late."""

    def keep(step: StepRecord, place: int) -> None:
        recorder.post(JournalEntry(run=run, step=step, place=place))

    return keep
