"""A checked program, and running it from Python.

`load` reads and checks a file; `Program.run` runs one flow; `Program.opened` keeps the actors for many runs.
"""

from __future__ import annotations

import os
import time
from collections.abc import AsyncIterator, Callable, Mapping, Sequence
from contextlib import asynccontextmanager
from functools import cached_property
from pathlib import Path
from typing import Any

import attrs
import trio

from ..dsl.diagnostics import Diagnostic
from ..dsl.lower import lower
from ..dsl.passes import load as load_checked
from ..dsl.plan import ParamPlan, Plan
from ..dsl.shapes import Text
from .agents.classes import plain
from .agents.decode import Decoder
from .agents.tool_actor import ToolAnswers
from .connect import Connections
from .expr import to_json
from .flow.binding import compiled_defaults, fill_defaults
from .flow.execute import Execution, Outcome, Request
from .flow.frame import Approver
from .flow.profiles import with_profile
from .flow.system import System, open_system
from .flow.versions import versions_of
from .judge.errors import ConfigurationError, JudgeflowError, UnknownThreadError
from .run import Ledger, Limits, Stamp, events
from .store.money import Cost
from .store.records import Tern, Versions, new_id
from .store.writer import Writer, open_writer


class CheckError(JudgeflowError):
    """A file has errors. `diagnostics` are all findings; the message holds the rendered ones."""

    code = "check"

    def __init__(self, diagnostics: tuple[Diagnostic, ...], rendered: str) -> None:
        super().__init__(rendered)
        self.diagnostics = diagnostics


@attrs.frozen
class Result:
    """How a run ended. `answer` is a text or JSON data; `status` is answered, guarded, failed, paused or cancelled."""

    answer: Any
    record: Tern
    error: Exception | None = attrs.field(default=None, repr=False)

    @property
    def status(self) -> str:
        return self.record.status

    @property
    def cost(self) -> Cost:
        return self.record.cost

    @property
    def thread(self) -> str:
        return self.record.thread

    def raised(self) -> Result:
        """Itself where the run was answered; raises what ended it otherwise."""
        if self.error is not None:
            raise self.error
        return self


@attrs.frozen
class Program:
    """A program without errors, ready to run. `warnings` are the findings that do not stop it."""

    plan: Plan
    path: Path
    warnings: tuple[Diagnostic, ...] = ()

    @cached_property
    def versions(self) -> Versions:
        return versions_of(self.plan)

    @property
    def root(self) -> Path:
        return self.path.parent

    def flow_name(self, flow: str | None) -> str:
        """The flow to run. `ConfigurationError` says which there are."""
        known = ", ".join(self.plan.flows) or "none"
        if flow is None and self.plan.entry is None:
            raise ConfigurationError(
                f"{self.path}: say which flow to run; there are: {known}", code="flow.unknown-entry"
            )
        name = flow or self.plan.entry or ""
        if name not in self.plan.flows:
            raise ConfigurationError(
                f"{self.path}: no flow `{name}`; there are: {known}", code="flow.unknown-entry"
            )
        return name

    @asynccontextmanager
    async def opened(
        self,
        *,
        profile: str | None = None,
        store: Path | None = None,
        connections: Connections | None = None,
        stamp: Stamp | None = None,
        grace: float = 5.0,
        tool_answers: ToolAnswers | None = None,
    ) -> AsyncIterator[Session]:
        """The program with its actors started, for any number of runs. `store` is the file of runs; None keeps the
        newest in memory. `tool_answers` stand in for the tools, in tests."""
        plan = with_profile(self.plan, profile)
        clock = stamp or Stamp(time.time)
        connected = connections or Connections(plan, self.root, os.environ)
        async with (
            open_writer(store) as writer,
            open_system(
                plan, connect=connected, root=self.root, stamp=clock, grace=grace, tool_answers=tool_answers
            ) as system,
        ):
            yield Session(self, system, writer, clock, profile, connected.scripted)

    async def run(
        self,
        input: Any = None,
        *,
        flow: str | None = None,
        thread: str | None = None,
        profile: str | None = None,
        store: Path | None = None,
        events: Callable[[events.Event], Any] | None = None,
        approver: Approver | None = None,
    ) -> Result:
        """Runs one flow. `input` is a text for a flow of one parameter, or an object of its parameters.

        Raises `ConfigurationError` for input that does not fit and `UnknownThreadError` before any call; how the run
        itself ended is in the `Result`.
        """
        async with self.opened(profile=profile, store=store) as session:
            return await session.run(
                input, flow=flow, thread=thread, hooks=(events,) if events else (), approver=approver
            )

    def run_sync(self, input: Any = None, **options: Any) -> Result:
        """`run` for scripts: starts Trio itself. Inside a running event loop, await `run` instead."""
        if trio.lowlevel.in_trio_run():
            raise RuntimeError(
                "run_sync starts Trio itself; here a Trio loop is running: await program.run(…)"
            )
        return trio.run(_run_with, self, input, options)


async def _run_with(program: Program, input: Any, options: Mapping[str, Any]) -> Result:
    return await program.run(input, **options)


@attrs.frozen(eq=False)
class Session:
    """A program whose actors are running."""

    program: Program
    system: System
    writer: Writer
    stamp: Stamp
    profile: str | None
    scripted: tuple[str, ...]

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
        task: Any = None,
        replay_of: str | None = None,
    ) -> Result:
        """One run. `started` gets the execution before its first step, to stop it from elsewhere."""
        plan = self.system.plan
        name = self.program.flow_name(flow)
        values = self.values(name, input)
        history = await self._history(tenant, thread)
        request = Request(
            flow=name,
            values=values,
            task=plain(task if task is not None else _task(input)),
            id=new_id(),
            thread=thread or new_id(),
            tenant=tenant,
            history=history,
            hooks=hooks,
            on_error=on_error,
            approver=approver or _nobody,
            limits=limits or Limits(plan.limits, Ledger()),
            profile=self.profile,
            replay_of=replay_of,
            versions=self.program.versions,
            capture=capture,
            scripted=self.scripted,
        )
        execution = Execution(self.system, request, self.stamp, self.writer)
        if started is not None:
            started(execution)
        outcome: Outcome = await execution()
        return Result(outcome.value, outcome.tern, outcome.error)

    def values(self, flow: str, input: Any) -> dict[str, Any]:
        """The input as the flow's parameters. `ConfigurationError` names every fault at once."""
        plan = self.system.plan
        return input_values(plan.flows[flow].params, flow, input, self.system)

    async def _history(self, tenant: str, thread: str | None) -> tuple[Any, ...]:
        if thread is None:
            return ()
        if not await self.writer.thread_exists(tenant, thread):
            raise UnknownThreadError(f"there is no thread {thread}; leave it out to begin a new one")
        memory = self.system.plan.memory
        return await self.writer.history(thread, memory.history if memory is not None else 10, tenant=tenant)


def input_values(params: Sequence[ParamPlan], flow: str, input: Any, system: System) -> dict[str, Any]:
    """One text for a flow of one parameter, else an object with a value for each parameter."""
    names = [param.name for param in params]
    if input is None:
        given: dict[str, Any] = {}
    elif isinstance(input, Mapping) and (len(params) != 1 or set(input) <= set(names)):
        given = dict(input)
    elif len([param for param in params if param.default is None and not param.optional]) <= 1 and params:
        given = {params[0].name: input}
    else:
        raise ConfigurationError(
            f"{flow} takes {', '.join(names) or 'no input'}: give each by name", code="flow.wrong-arguments"
        )
    decoder = Decoder(system.plan.types)
    faults = [f"{name}: {flow} has no such parameter" for name in given if name not in names]
    values: dict[str, Any] = {}
    for param in params:
        if given.get(param.name) is None:
            if param.default is None and not param.optional:
                faults.append(f"{param.name}: is missing")
            continue
        raw = plain(given[param.name])
        value, wrong = decoder.decode(param.shape, raw)
        if wrong and isinstance(param.shape, Text) and not isinstance(raw, str):
            value, wrong = to_json(raw), []
        faults.extend(f"{param.name}{fault.removeprefix('$')}" for fault in wrong)
        values[param.name] = value
    if faults:
        raise ConfigurationError(f"{flow}: {'; '.join(faults)}", code="flow.wrong-arguments")
    origin = system.plan.flows[flow].origin
    fill_defaults(values, params, compiled_defaults(params, system.compiler, origin))
    return values


def _task(input: Any) -> Any:
    """What the record keeps as the question: the one text of an input by name is that text."""
    if isinstance(input, Mapping) and len(input) == 1:
        (value,) = input.values()
        return value if isinstance(value, str) else dict(input)
    return input


async def _nobody(question: str, showing: Any) -> bool | None:
    return None


def load(path: str | os.PathLike[str]) -> Program:
    """Reads and checks a `.judge` file and everything that it imports.

    Raises `CheckError` with all diagnostics where there is an error, and `OSError` where the file cannot be read.
    """
    checked = load_checked(os.fspath(path))
    if any(found.severity == "error" for found in checked.diagnostics):
        raise CheckError(checked.diagnostics, checked.rendered())
    return Program(lower(checked.modules), Path(path), checked.diagnostics)


__all__ = [
    "CheckError",
    "Program",
    "Result",
    "Session",
    "input_values",
    "load",
]
