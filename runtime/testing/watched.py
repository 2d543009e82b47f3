"""What one run of a scenario shows of itself, and what must be true of it however it was cut."""

from __future__ import annotations

import math
from collections import Counter, defaultdict
from collections.abc import Callable
from typing import Any

from ..core import ActorRef, Supervisor, TraceEvent
from ..run import events
from ..store.records import Tern

_STARTS = (events.StepStarted, events.JudgeStarted, events.GateAsked)
_PLAIN = (str, bytes, int, float, bool, tuple, frozenset, type(None))
"""Messages that may be one object and yet be sent twice."""


class Watch:
    """Given to a scenario, which shows it what it does:

    * `trace` is a kernel's or a program's trace hook, `hook` a hook of its runs;
    * `starts` says that a phase starts here (a call, a context, a branch), `calls_back` that the application's own
      function is called, which happens once and neither may happen after the cut;
    * `tree` names the supervisors whose actors have to be gone in the end;
    * `cut_by` says what cuts it from here on (`execution.stop`); else its whole scope is cancelled.
    """

    def __init__(
        self,
        told: Callable[[], None],
        cut_by: Callable[[Callable[[], None]], None],
        excused: Callable[[bool], bool],
    ) -> None:
        self.cut_at = math.inf
        """When it was cut, on Trio's clock."""
        self.faults: list[str] = []
        """What was wrong so far."""
        self.terns: list[Tern] = []
        """The records of the runs that ended."""
        self._told = told
        self._cut_by = cut_by
        self._excused = excused
        self._kinds: defaultdict[str, Counter[str]] = defaultdict(Counter)
        self._handled: dict[tuple[str, int], object] = {}
        self._called: set[str] = set()
        self._trees: list[Supervisor] = []
        self._actors: dict[ActorRef[Any, Any], None] = {}
        self._begun: defaultdict[str, list[str]] = defaultdict(list)
        self._ended: defaultdict[str, list[str]] = defaultdict(list)
        self._runs: list[str] = []

    @property
    def is_cut(self) -> bool:
        """Whether it was cut already."""
        return self.cut_at < math.inf

    def trace(self, event: TraceEvent) -> None:
        """What its actors do: for `program.opened(trace=watch.trace)`."""
        self._kinds[event.name][event.kind] += 1
        if event.kind == "begun" and not isinstance(event.message, _PLAIN):
            key = event.name, id(event.message)  # held, so that no other message is given its number
            if key in self._handled:
                self.faults.append(f"{event.name} handled a message twice: {event.message!r}")
            self._handled[key] = event.message
        self._told()

    def hook(self, event: events.Event) -> None:
        """What its runs do: for `session.run(…, hooks=[watch.hook])`."""
        if isinstance(event, _STARTS):
            self._start(f"{type(event).__name__} of {event.step}", beside=True)
        if isinstance(event, events.RunStarted):
            self._runs.append(event.run)
        elif isinstance(event, events.StepStarted):
            self._begun[event.run].append(event.step)
        elif isinstance(event, events.StepEnded):
            self._ended[event.run].append(event.record.id)
        elif isinstance(event, events.RunEnded):
            self.terns.append(event.tern)
        self._told()

    def starts(self, phase: str) -> None:
        """A phase of the scenario's own starts here, which may not be after the cut."""
        self._start(phase, beside=False)
        self._told()

    def calls_back(self, name: str) -> None:
        """The application's own function is called here: once, and not after the cut."""
        if name in self._called:
            self.faults.append(f"{name} was called twice")
        self._called.add(name)
        self.starts(name)

    def tree(self, supervisor: Supervisor) -> None:
        """Its actors have to be gone in the end."""
        self._trees.append(supervisor)
        self._add(supervisor)

    def cut_by(self, cut: Callable[[], None]) -> None:
        """It is cut by this from here on, `execution.stop` for example, and not by cancelling its whole scope."""
        self._cut_by(cut)

    def _start(self, phase: str, *, beside: bool) -> None:
        """`beside`: a line of the record, which may be begun in the very step of the cut: it costs nothing."""
        if self.is_cut and not self._excused(beside):
            self.faults.append(f"{phase} started after the cut")

    def _add(self, supervisor: Supervisor) -> None:
        for ref, nested in supervisor._children.items():
            self._actors[ref] = None
            if nested is not None:
                self._add(nested)

    def found(self) -> list[str]:
        """All that is wrong, now that the scenario is over."""
        return [*self.faults, *self._of_actors(), *self._of_runs()]

    def _of_actors(self) -> list[str]:
        found = []
        for name, kinds in self._kinds.items():
            if kinds["started"] != kinds["stopped"]:
                found.append(
                    f"{name} was set up {kinds['started']} times and torn down {kinds['stopped']} times"
                )
            settled = kinds["ended"] + kinds["cancelled"]
            if kinds["begun"] != settled:
                found.append(f"{name} began {kinds['begun']} messages and settled {settled}")
        for ref in self._actors:
            now = ref.statistics()
            if not ref._closed or now.waiting or now.blocked or now.in_flight:
                found.append(f"the mailbox of {ref.name} is not closed and empty: {now}")
        return found

    def _of_runs(self) -> list[str]:
        found = []
        terns = {tern.id: tern for tern in self.terns}
        if sorted(self._runs) != sorted(tern.id for tern in self.terns):
            found.append(f"runs {self._runs} were started, and there are records of {sorted(terns)}")
        for run in self._runs:
            lines = Counter(step.id for step in terns[run].steps) if run in terns else Counter[str]()
            begun, ended = Counter(self._begun[run]), Counter(self._ended[run])
            for step in begun:
                told = begun[step], ended[step], lines[step]
                if told != (1, 1, 1):
                    found.append(
                        f"step {step} was started {told[0]} times, ended {told[1]} times "
                        f"and has {told[2]} lines in the record"
                    )
        for tern in self.terns:
            open_steps = [step.id for step in tern.steps if step.ended is None or step.status == "running"]
            if open_steps:
                found.append(f"the record of {tern.id} leaves these steps open: {', '.join(open_steps)}")
        return found
