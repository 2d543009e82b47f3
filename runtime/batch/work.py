"""The cases of a batch, at most so many at once. What has ended is written down before anything else begins."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from decimal import Decimal

import attrs
import trio

from ..evaluate.cases import Case
from ..flow.execute import Execution
from ..report.exit_codes import INTERRUPTED, exit_code
from ..result import Result
from ..run import Ledger, Limits, events
from ..session import Session
from .results_file import BatchResult, ResultsFile, input_hash

SPENT = "the batch's cost limit is spent"
STOPPED = "interrupted"


@attrs.frozen(kw_only=True)
class Task:
    """What all cases of a batch share."""

    flow: str | None = None
    tenant: str = ""
    capture: bool = False
    seconds: Decimal | None = None
    """The most that one case may take."""
    most: Decimal | None = None
    """US dollars that the whole batch may cost."""


@attrs.define(eq=False)
class Batch:
    """A batch under way. `ended` is told of every result, `hooks` of everything that the runs tell."""

    session: Session
    results: ResultsFile
    task: Task
    at_once: int
    ended: Callable[[BatchResult], None]
    hooks: Sequence[events.Hook] = ()
    stopped: str | None = attrs.field(default=None, init=False)
    """Why cases were left out; None where none was."""
    spent: Decimal = attrs.field(factory=Decimal, init=False)
    _under_way: dict[Execution, None] = attrs.field(factory=dict, init=False)

    @property
    def under_way(self) -> int:
        return len(self._under_way)

    async def run(self, cases: Sequence[Case]) -> None:
        """Every case, in order, until something stops the batch."""
        waiting = iter(cases)

        async def worker() -> None:
            for case in waiting:
                if self.stopped is not None:
                    return
                await self._one(case)
                if self.task.most is not None and self.spent >= self.task.most:
                    self.stopped = self.stopped or SPENT

        async with trio.open_nursery() as nursery:
            for _ in range(min(self.at_once, len(cases))):
                nursery.start_soon(worker)
                # Tasks that are started together run in any order; cases begin in theirs.
                await trio.lowlevel.checkpoint()

    def stop(self) -> None:
        """Begins no other case and lets the calls that are on their way come back."""
        self.stopped = STOPPED
        for execution in list(self._under_way):
            execution.stop()

    def abort(self) -> None:
        """Ends everything now; what was paid is kept."""
        self.stopped = STOPPED
        for execution in list(self._under_way):
            execution.abort()

    async def _one(self, case: Case) -> None:
        began = trio.current_time()
        mine: list[Execution] = []

        def started(execution: Execution) -> None:
            mine.append(execution)
            self._under_way[execution] = None
            if self.stopped == STOPPED:
                execution.abort()

        task = self.task
        limits = Limits(self.session.plan.limits, Ledger())
        if task.seconds is not None:
            limits.tighten("time", task.seconds)
        if task.most is not None:
            limits.tighten("cost", task.most - self.spent)
        try:
            result = await self.session.run(
                case.input,
                flow=task.flow,
                tenant=task.tenant,
                hooks=self.hooks,
                limits=limits,
                capture=task.capture,
                started=started,
            )
        finally:
            for execution in mine:
                del self._under_way[execution]
        self._record(case, result, trio.current_time() - began)

    def _record(self, case: Case, result: Result, seconds: float) -> None:
        tern = result.record
        self.spent += Decimal(tern.cost.known)
        found = BatchResult(
            case=case.id,
            line=case.line,
            run=tern.id,
            thread=tern.thread,
            status=tern.status,
            code=tern.code,
            reason=tern.reason,
            answer=tern.answer,
            exit=exit_code(tern),
            cost=tern.cost.total,
            known=tern.cost.known,
            tokens=tern.usage.input_tokens + tern.usage.output_tokens,
            seconds=round(seconds, 3),
            unreadable=tern.unreadable,
            input=input_hash(case.input),
            config=tern.versions.config,
        )
        if found.exit != INTERRUPTED:
            # What was cut is no result; its record says what it had cost.
            self.results.add(found)
        self.ended(found)
