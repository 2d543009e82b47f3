"""A program whose actors are running: its runs, one after the other or many at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import attrs
import trio

from ..dsl.plan import Plan
from .agents.gateway import is_free
from .agents.price import price_of
from .flow.execute import Execution, Outcome, Request
from .flow.frame import Approver
from .flow.reach import models_of
from .flow.system import System
from .inputs import FlowInput
from .judge.errors import ConfigurationError, ObservabilityError, UnknownThreadError
from .memory.compaction import Compaction
from .memory.reading import history_of
from .result import Result, ended_by
from .resume import claimed, in_flight, past_of, warning_of
from .run import Accounts, DayLimits, Ledger, Limits, Stamp, events
from .store.history import NO_HISTORY, History
from .store.recorder import Writer
from .store.records import TernHead, Versions, new_id
from .store.versions import note_version
from .store.writer import StoreWriter


async def nobody(question: str, showing: Any) -> bool | None:
    """Nobody can be asked now: the run pauses."""
    return None


@attrs.frozen(eq=False)
class Session:
    """`profile` is the one that the program runs under; `scripted` names the models whose answers are written down;
    `durable` says that runs outlive the process."""

    system: System
    writer: Writer
    stamp: Stamp
    profile: str | None
    scripted: tuple[str, ...]
    versions: Versions
    file: str | None
    """Where the program stands, for whoever goes on with a run."""
    durable: bool
    approver: Approver = nobody
    """Who is asked where a run does not say."""
    accounts: Accounts | None = None
    """Where the day of the workflow is kept; None where its runs count towards no day."""
    over: trio.Event = attrs.field(factory=trio.Event, init=False)
    """Set when its actors end."""
    _days: dict[str, DayLimits] = attrs.field(factory=dict, init=False)
    _drift: dict[str, tuple[str, ...]] = attrs.field(factory=dict, init=False)
    _reach: dict[str, frozenset[str]] = attrs.field(factory=dict, init=False)
    _inputs: dict[str, FlowInput] = attrs.field(factory=dict, init=False)

    @property
    def plan(self) -> Plan:
        return self.system.plan

    async def run(
        self,
        input: Any = None,
        *,
        flow: str | None = None,
        thread: str | None = None,
        tenant: str = "",
        hooks: Sequence[events.Hook] = (),
        on_error: Callable[[ObservabilityError], Any] | None = None,
        approver: Approver | None = None,
        limits: Limits | None = None,
        capture: bool = False,
        started: Callable[[Execution], Any] | None = None,
        replay_of: str | None = None,
        evaluation: str | None = None,
    ) -> Result:
        """One run. `started` gets the execution before its first step, to stop it from elsewhere.

        Raises `ConfigurationError` and `UnknownThreadError` before any call, and `StoreError` where the run cannot be
        recorded; how the run itself ended is in the `Result`.
        """
        self._check_open()
        name = flow_name(self.plan, flow)
        reader = self._input(name)
        values = reader.values(input)
        limits = await self._limits(limits, tenant)
        self._check_models(name, limits)
        history = await self._history(tenant, thread)
        request = Request(
            flow=name,
            values=values,
            task=reader.task(input),
            id=new_id(),
            thread=thread or new_id(),
            turn=await self._turn(tenant, thread),
            tenant=tenant,
            history=history,
            hooks=hooks,
            on_error=on_error,
            approver=approver or self.approver,
            limits=limits,
            profile=self.profile,
            file=self.file,
            replay_of=replay_of,
            evaluation=evaluation,
            versions=self.versions,
            capture=capture,
            scripted=self._scripted(name),
            remember=self._compaction,
            warnings=await self._drifted(tenant),
        )
        return await self._result(request, started)

    async def resume(
        self,
        run: str,
        *,
        tenant: str = "",
        hooks: Sequence[events.Hook] = (),
        on_error: Callable[[ObservabilityError], Any] | None = None,
        approver: Approver | None = None,
        limits: Limits | None = None,
        capture: bool = False,
        started: Callable[[Execution], Any] | None = None,
    ) -> Result:
        """Goes on with a run of the store that waits for a person, was stopped, or whose process died. What its record
        says was done is not done again.

        Raises `NotResumableError`, `ConfigurationError` where the program has changed since, and `StoreError`.
        """
        self._check_open()
        if not isinstance(self.writer, StoreWriter):
            raise ConfigurationError("only a run in a store can be gone on with", code="resume.no-store")
        config = self.versions.config
        tern = await self.writer.transact(lambda store: claimed(store, run, tenant, config))
        lost = in_flight(tern)
        charged = any(not self._is_free(model) for model in self._models(tern.flow))
        request = Request(
            flow=tern.flow,
            values=self._input(tern.flow).values(tern.task),
            task=tern.task,
            id=tern.id,
            thread=tern.thread,
            tenant=tenant,
            history=await history_of(
                self.writer, self.plan.memory, tern.thread, tenant=tenant, before=tern.turn
            ),
            hooks=hooks,
            on_error=on_error,
            approver=approver or self.approver,
            limits=await self._limits(limits, tenant),
            profile=tern.profile,
            file=tern.file,
            replay_of=tern.replay_of,
            evaluation=tern.evaluation,
            versions=tern.versions,
            capture=capture,
            scripted=self._scripted(tern.flow),
            warnings=(*tern.warnings, *map(warning_of, lost)),
            past=past_of(tern),
            started=tern.started,
            remember=self._compaction,
            doubts=tuple(f"{step.kind}:{step.name}" for step in lost) if charged else (),
        )
        return await self._result(request, started)

    def _check_open(self) -> None:
        if self.over.is_set():
            raise ConfigurationError(
                "this program is closed: run it inside `async with program.opened() as session:`",
                code="run.closed",
            )

    async def _result(self, request: Request, started: Callable[[Execution], Any] | None) -> Result:
        execution = self._execution(request, started)
        day = request.limits.day
        if day is not None and "time" in day.allowed:
            outcome = await self._timed(execution, day)
        else:
            outcome = await execution()
        return Result(outcome.value, outcome.tern, ended_by(outcome.error))

    async def _timed(self, execution: Execution, day: DayLimits) -> Outcome:
        """A run whose time counts towards its day, however it ends."""
        began = self.stamp.seconds()
        try:
            return await execution()
        finally:
            day.book_time(max(self.stamp.seconds() - began, 0.0))

    async def _limits(self, limits: Limits | None, tenant: str) -> Limits:
        """The limits of a run, those of the workflow's day with them: they are shared by all runs of a tenant."""
        limits = limits or Limits(self.plan.limits, Ledger())
        if self.accounts is None or not any(limit.per == "day" for limit in self.plan.limits):
            return limits
        if tenant not in self._days:
            self._days[tenant] = DayLimits(
                self.plan.workflow, self.plan.limits, self.accounts, self.stamp, tenant
            )
        limits.day = self._days[tenant]
        await limits.day.refresh()
        return limits

    def _execution(self, request: Request, started: Callable[[Execution], Any] | None) -> Execution:
        execution = Execution(self.system, request, self.stamp, self.writer, self.durable)
        if started is not None:
            started(execution)
        return execution

    def _input(self, flow: str) -> FlowInput:
        if flow not in self._inputs:
            self._inputs[flow] = FlowInput(self.system, flow)
        return self._inputs[flow]

    def _models(self, flow: str) -> frozenset[str]:
        if flow not in self._reach:
            self._reach[flow] = models_of(self.plan, flow, remembers=self._compaction is not None)
        return self._reach[flow]

    def _scripted(self, flow: str) -> tuple[str, ...]:
        return tuple(name for name in self.scripted if name in self._models(flow))

    def _check_models(self, flow: str, limits: Limits) -> None:
        """Every model that the flow may call has a provider and, under a cost limit, a price."""
        if not self.system.unavailable and not limits.has_cost:
            return
        for name in sorted(self._models(flow)):
            if name in self.system.unavailable:
                raise self.system.unavailable[name]
            model = self.plan.models[name]
            if limits.has_cost and price_of(model) is None and not self._is_free(name):
                raise ConfigurationError(
                    f"{name} has no price, so the cost limit could not be kept: "
                    "declare it with `price $… in, $… out`",
                    code="model.no-price",
                )

    def _is_free(self, model: str) -> bool:
        return model in self.scripted or is_free(self.plan.models[model])

    async def _drifted(self, tenant: str) -> tuple[str, ...]:
        """A warning where the declared version was another program when it first ran. Looked up once, as the program
        stays what it is."""
        if not isinstance(self.writer, StoreWriter) or self.versions.workflow is None:
            return ()
        if tenant not in self._drift:
            seen = TernHead(
                id="",
                thread="",
                flow="",
                workflow=self.plan.workflow,
                tenant=tenant,
                status="running",
                versions=self.versions,
                profile=self.profile,
                started=self.stamp(),
            )
            warning = await self.writer.transact(lambda store: note_version(store, seen))
            self._drift[tenant] = () if warning is None else (warning,)
        return self._drift[tenant]

    async def _history(self, tenant: str, thread: str | None) -> History:
        if thread is None:
            return NO_HISTORY
        if not await self.writer.thread_exists(tenant, thread):
            raise UnknownThreadError(f"there is no thread {thread}; leave it out to begin a new one")
        return await history_of(self.writer, self.plan.memory, thread, tenant=tenant)

    async def _turn(self, tenant: str, thread: str | None) -> int:
        """The run's number in its thread; a store counts for itself, and for every process."""
        if thread is None or self.durable:
            return 1
        last = await self.writer.history(thread, 1, tenant=tenant)
        return last[-1].turn + 1 if last else 1

    @property
    def _compaction(self) -> Compaction | None:
        """What sums the thread up; only where there is a store to keep it in."""
        memory, writer = self.plan.memory, self.writer
        if memory is None or memory.compact_every is None or not isinstance(writer, StoreWriter):
            return None
        return Compaction(memory, self.system.gateway, writer)


def flow_name(plan: Plan, flow: str | None) -> str:
    """The flow to run. `ConfigurationError` says which there are."""
    if not plan.flows:
        raise ConfigurationError(
            f"{plan.workflow}: there is no flow in it to run: write `flow main(task: text) -> text {{ … }}`",
            code="flow.unknown-entry",
        )
    known = ", ".join(plan.flows)
    if flow is None and plan.entry is None:
        raise ConfigurationError(
            f"{plan.workflow}: say which flow to run; there are: {known}", code="flow.unknown-entry"
        )
    name = flow or plan.entry or ""
    if name not in plan.flows:
        raise ConfigurationError(
            f"{plan.workflow}: no flow `{name}`; there are: {known}", code="flow.unknown-entry"
        )
    return name
