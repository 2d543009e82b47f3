"""A program whose actors are running: its runs, one after the other or many at once."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import attrs

from ..dsl.plan import Plan
from .agents.gateway import is_free
from .flow.execute import Execution, Request
from .flow.frame import Approver
from .flow.reach import models_of
from .flow.system import System
from .inputs import FlowInput
from .judge.errors import ConfigurationError, UnknownThreadError
from .result import Result
from .run import Ledger, Limits, Stamp, events
from .store.records import TernHead, Versions, new_id
from .store.writer import Writer

HISTORY = 10
"""Turns of the thread that agents and decisions see where the file does not say."""


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
    durable: bool
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
        on_error: Callable[[BaseException], Any] | None = None,
        approver: Approver | None = None,
        limits: Limits | None = None,
        capture: bool = False,
        started: Callable[[Execution], Any] | None = None,
        replay_of: str | None = None,
    ) -> Result:
        """One run. `started` gets the execution before its first step, to stop it from elsewhere.

        Raises `ConfigurationError` and `UnknownThreadError` before any call, and `StoreError` where the run cannot be
        recorded; how the run itself ended is in the `Result`.
        """
        name = flow_name(self.plan, flow)
        reader = self._input(name)
        values = reader.values(input)
        limits = limits or Limits(self.plan.limits, Ledger())
        self._check_models(name, limits)
        history = await self._history(tenant, thread)
        request = Request(
            flow=name,
            values=values,
            task=reader.task(input),
            id=new_id(),
            thread=thread or new_id(),
            tenant=tenant,
            history=history,
            hooks=hooks,
            on_error=on_error,
            approver=approver or nobody,
            limits=limits,
            profile=self.profile,
            replay_of=replay_of,
            versions=self.versions,
            capture=capture,
            scripted=self._scripted(name),
        )
        execution = Execution(self.system, request, self.stamp, self.writer, self.durable)
        if started is not None:
            started(execution)
        outcome = await execution()
        return Result(outcome.value, outcome.tern, outcome.error)

    def _input(self, flow: str) -> FlowInput:
        if flow not in self._inputs:
            self._inputs[flow] = FlowInput(self.system, flow)
        return self._inputs[flow]

    def _models(self, flow: str) -> frozenset[str]:
        if flow not in self._reach:
            self._reach[flow] = models_of(self.plan, flow)
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
            priced = model.price_in is not None and model.price_out is not None
            if limits.has_cost and not priced and name not in self.scripted and not is_free(model):
                raise ConfigurationError(
                    f"{name} has no price, so the cost limit could not be kept: "
                    "declare it with `price $… in, $… out`",
                    code="model.no-price",
                )

    async def _history(self, tenant: str, thread: str | None) -> tuple[TernHead, ...]:
        if thread is None:
            return ()
        if not await self.writer.thread_exists(tenant, thread):
            raise UnknownThreadError(f"there is no thread {thread}; leave it out to begin a new one")
        memory = self.plan.memory
        turns = memory.history if memory is not None else HISTORY
        return await self.writer.history(thread, turns, tenant=tenant)


def flow_name(plan: Plan, flow: str | None) -> str:
    """The flow to run. `ConfigurationError` says which there are."""
    known = ", ".join(plan.flows) or "none"
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


async def nobody(question: str, showing: Any) -> bool | None:
    """Nobody can be asked now: the run pauses."""
    return None
