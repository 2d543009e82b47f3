"""The judges of one agent: all of them on every answer, at once, reported in the order in which they are listed."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import attrs
import msgspec
import trio

from ..core import StepFailure
from ..expr import Scope
from ..judge.errors import EndsRun
from ..run import events
from ..store.records import VerdictRecord
from .messages import JudgeRef, JudgeTask, Verdict

JudgeArguments = Callable[[Scope], Mapping[str, Any]]


class JudgeBroke(Exception):
    """A judge gave no verdict. The step is the agent's, so its failure has to say which judge it was."""

    def __init__(self, judge: str, failure: StepFailure) -> None:
        super().__init__(judge)
        self.judge = judge
        self.failure = failure


@attrs.frozen(eq=False)
class Seat:
    """A judge as this agent uses it: its further arguments, if any, come from the agent's own parameters."""

    judge: str
    ref: JudgeRef
    arguments: JudgeArguments | None


@attrs.frozen(eq=False)
class Panel:
    seats: Sequence[Seat]

    async def verdicts(self, task: JudgeTask, values: Mapping[str, Any]) -> list[VerdictRecord]:
        """Every judge's verdict. A rejection stops nobody; a judge that breaks cancels the rest: `JudgeBroke`."""
        if not self.seats:
            return []
        found: list[VerdictRecord | None] = [None] * len(self.seats)
        try:
            if len(self.seats) == 1:
                found[0] = await self._ask(self.seats[0], task, values)
            else:
                await self._ask_all(task, values, found)
        finally:
            # In listed order, and also those that were there when a judge broke or the run was cancelled.
            given = [verdict for verdict in found if verdict is not None]
            task.step.verdicts.extend(given)
        return given

    async def _ask_all(
        self, task: JudgeTask, values: Mapping[str, Any], found: list[VerdictRecord | None]
    ) -> None:
        broken: list[Exception] = []

        async def one(at: int, seat: Seat) -> None:
            try:
                await task.run.guard.check()
                found[at] = await self._ask(seat, task, values)
            except Exception as error:
                # Only the first: the others are its consequence, and a group would hide which judge broke.
                broken.append(error)
                nursery.cancel_scope.cancel()

        async with trio.open_nursery() as nursery:
            for at, seat in enumerate(self.seats):
                nursery.start_soon(one, at, seat)
                # Tasks that are started together run in any order; judges start in the order they are listed.
                await trio.lowlevel.checkpoint()
        if broken:
            raise broken[0]

    async def _ask(self, seat: Seat, task: JudgeTask, values: Mapping[str, Any]) -> VerdictRecord:
        run = task.run
        if run.hooks:
            run.emit(
                events.JudgeStarted(
                    run=run.info.id, at=run.now(), step=task.step.id, judge=seat.judge, attempt=task.attempt
                )
            )
        if seat.arguments is not None:
            task = msgspec.structs.replace(task, values=seat.arguments(Scope(dict(values))))
        try:
            verdict = await seat.ref.ask(task)
        except EndsRun:
            raise
        except StepFailure as error:
            raise JudgeBroke(seat.judge, error) from error
        record = as_record(verdict, seat.judge, task.attempt)
        if run.hooks:
            run.emit(events.JudgeEnded(run=run.info.id, at=run.now(), step=task.step.id, verdict=record))
        return record


def as_record(verdict: Verdict, judge: str, attempt: int) -> VerdictRecord:
    return VerdictRecord(
        judge=judge,
        attempt=attempt,
        passed=verdict.passed,
        reason=verdict.reason,
        metrics=dict(verdict.metrics),
        readable=verdict.readable,
        field=verdict.field,
    )
