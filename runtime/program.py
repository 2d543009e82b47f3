"""A checked program, and running it from Python.

`load` reads and checks a file; `Program.run` runs one flow; `Program.opened` keeps the actors for many runs.
"""

from __future__ import annotations

import logging
import os
import time
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager
from functools import cached_property, partial
from inspect import iscoroutinefunction
from pathlib import Path
from typing import Any

import attrs
import trio

from ..dsl.diagnostics import Diagnostic
from ..dsl.lower import lower
from ..dsl.passes import load as load_checked
from ..dsl.plan import Plan
from .agents.tool_actor import ToolAnswers
from .connect import Connections
from .core import Trace
from .flow.frame import Approver
from .flow.profiles import with_profile
from .flow.system import Connect, open_system
from .flow.versions import versions_of
from .judge.errors import ConfigurationError, JudgeflowError, ObservabilityError
from .needs_trio import require_trio
from .providers.cache import ReplyCache
from .providers.recording import Recorder
from .result import Result
from .run import Stamp, events
from .scripted import WatchedScript, approver_of, replies_now
from .scripted import tool_answers as answers_of_tools
from .session import Session, flow_name, nobody
from .store.recorder import Writer
from .store.records import Versions
from .store.writer import open_writer

_log = logging.getLogger(__name__)


class CheckError(JudgeflowError):
    """A file has errors. `diagnostics` are all findings; the message holds the rendered ones."""

    code = "check"

    def __init__(self, diagnostics: tuple[Diagnostic, ...], rendered: str) -> None:
        super().__init__(rendered)
        self.diagnostics = diagnostics


@attrs.frozen(slots=False)
class Program:
    """A program without errors, ready to run. `warnings` are the findings that do not stop it."""

    plan: Plan = attrs.field(repr=False)
    path: Path
    warnings: tuple[Diagnostic, ...] = attrs.field(default=(), repr=lambda found: f"<{len(found)}>")
    _loaded_in: Path = attrs.field(init=False, repr=False, eq=False)
    """What a relative path is relative to."""

    @_loaded_in.default
    def _here(self) -> Path:
        return self.path.parent if self.path.is_absolute() else Path.cwd()

    @cached_property
    def versions(self) -> Versions:
        """What the program is: the declared version, and digests of its prompts, its models and all of it."""
        return versions_of(self.plan)

    @property
    def root(self) -> Path:
        """The file's folder, from wherever the process works by now."""
        folder = self.path.parent
        return folder if folder.is_absolute() or Path.cwd() == self._loaded_in else self._loaded_in / folder

    def flow_name(self, flow: str | None) -> str:
        """The flow to run. `ConfigurationError` says which there are."""
        return flow_name(self.plan, flow)

    @asynccontextmanager
    async def opened(
        self,
        *,
        profile: str | None = None,
        store: str | os.PathLike[str] | None = None,
        connect: Connect | None = None,
        stamp: Stamp | None = None,
        grace: float = 5.0,
        tool_answers: ToolAnswers | None = None,
        extend: Callable[[Plan], Plan] | None = None,
        cache: ReplyCache | None = None,
        recorder: Recorder | None = None,
        accounts: Path | None = None,
        booked: bool = True,
        trace: Trace | None = None,
    ) -> AsyncIterator[Session]:
        """The program with its actors started, for any number of runs. `store` is the file of runs; None keeps the
        newest in memory. `tool_answers` stand in for the tools, in tests.
        `extend` adds what an evaluation needs; the versions are those of the plan without it.
        `cache` answers requests that were made before, `recorder` keeps every reply; both are left aside where
        `connect` is given. Inside `judgeflow.testing.script` the script answers instead of models, tools and
        people.
        `accounts` is the store that limits per day are kept in where `store` is None. Runs that are not `booked` count
        towards no day: an evaluation pays from an account of its own.
        `trace` is told what the actors do, messages and all.
        Raises `RuntimeError` where no Trio loop is running."""
        require_trio("this", "call program.run_sync(…)", "program.run_sync, …")
        path = None if store is None else Path(store)
        plan = with_profile(self.plan, profile)
        versions = self.versions if profile is None else versions_of(plan)
        plan = plan if extend is None else extend(plan)
        clock = stamp or Stamp(time.time)
        replies = replies_now() if connect is None else None
        script = WatchedScript(plan, replies) if replies is not None else None
        connected = connect or Connections(
            plan, self.root, os.environ, everything=script, cache=cache, recorder=recorder
        )
        tool_answers = answers_of_tools(script) if script is not None else tool_answers
        async with (
            open_writer(path) as writer,
            _open_accounts(plan, writer, accounts if path is None else None) as kept,
            open_system(
                plan,
                connect=connected,
                root=self.root,
                stamp=clock,
                grace=grace,
                tool_answers=tool_answers,
                trace=trace,
            ) as system,
        ):
            scripted = connected.scripted if isinstance(connected, Connections) else ()
            durable = path is not None
            file = str((self.root / self.path.name).absolute()) if durable else None
            approver = approver_of(script) if script is not None else nobody
            days = kept if booked else None
            session = Session(
                system, writer, clock, profile, scripted, versions, file, durable, approver, days
            )
            try:
                yield session
            finally:
                session.over.set()

    async def run(
        self,
        input: Any = None,
        *,
        flow: str | None = None,
        thread: str | None = None,
        profile: str | None = None,
        store: str | os.PathLike[str] | None = None,
        events: Callable[[events.Event], Any] | None = None,
        approver: Approver | None = None,
    ) -> Result:
        """Runs one flow. `input` is a text for a flow of one parameter, or an object of its parameters.

        `profile` is one of the file's, `thread` the thread to continue, `store` the file of runs; without it nothing
        is kept. `events` gets each event as it happens; what it raises changes nothing, and the first of it is logged.
        `approver` stands for the person behind `approve`.

        Raises `ConfigurationError` for input that does not fit and `UnknownThreadError` before any call, and
        `RuntimeError` where no Trio loop is running; how the run itself ended is in the `Result`.
        """
        _check_functions(events, approver)
        async with self.opened(profile=profile, store=store) as session:
            return await session.run(
                input,
                flow=flow,
                thread=thread,
                hooks=(events,) if events else (),
                on_error=_logged_once(),
                approver=approver,
            )

    def run_sync(
        self,
        input: Any = None,
        *,
        flow: str | None = None,
        thread: str | None = None,
        profile: str | None = None,
        store: str | os.PathLike[str] | None = None,
        events: Callable[[events.Event], Any] | None = None,
        approver: Approver | None = None,
    ) -> Result:
        """`run` for scripts, notebooks and threads: starts Trio itself. `RuntimeError` inside a Trio loop: await `run`
        there."""
        if trio.lowlevel.in_trio_run():
            raise RuntimeError(
                "run_sync starts Trio itself; here a Trio loop is running: await program.run(…)"
            )
        run = partial(
            self.run,
            input,
            flow=flow,
            thread=thread,
            profile=profile,
            store=store,
            events=events,
            approver=approver,
        )
        return trio.run(run)


@asynccontextmanager
async def _open_accounts(plan: Plan, writer: Writer, path: Path | None) -> AsyncIterator[Writer]:
    """Where days are kept: with the runs, or in a store of which nothing else is wanted."""
    if path is None or not any(limit.per == "day" for limit in plan.limits):
        yield writer
        return
    async with open_writer(path) as accounts:
        yield accounts


def _logged_once() -> Callable[[ObservabilityError], None]:
    """What becomes of a function of events that raises: once for a run, as it may raise at every event."""
    told = False

    def log(failure: ObservabilityError) -> None:
        nonlocal told
        if not told:
            told = True
            _log.error("run %s: `events` raised; the run goes on", failure.id, exc_info=failure.__cause__)

    return log


def _check_functions(events: object, approver: object) -> None:
    """An event that nobody hears, or a question that crashes hours later, would come too late."""
    if events is not None and (not callable(events) or iscoroutinefunction(events)):
        raise ConfigurationError(
            f"`events` is a plain function that gets each event, as in `events=print`: {events!r} is none",
            code="run.events",
        )
    if approver is not None and not callable(approver):
        raise ConfigurationError(
            f"`approver` is an async function of the question and what is shown: {approver!r} is none",
            code="run.approver",
        )


def load(path: str | os.PathLike[str]) -> Program:
    """Reads and checks a `.judge` file and everything that it imports.

    Raises `CheckError` with all diagnostics where there is an error, and `OSError` where the file cannot be read.
    """
    checked = load_checked(os.fspath(path))
    if any(found.severity == "error" for found in checked.diagnostics):
        raise CheckError(checked.diagnostics, checked.rendered())
    return Program(lower(checked.modules), Path(path), checked.diagnostics)


__all__ = ["CheckError", "Program", "Result", "Session", "load"]
