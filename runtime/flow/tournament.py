"""`best of`: several variants, one picked by an agent. Nothing that was paid for is lost: every variant is a step.

Two variants are shown in both orders, because a picker that favours the first would decide by position.
"""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

import attrs

from ...dsl import ast
from ...dsl.plan import Origin
from ..agents.messages import ALONE, Draw
from ..core import StepFailure
from ..expr import Compiler, to_text
from ..judge.errors import EndsRun, StepError
from ..judge.fencing import fence
from ..judge.reading import WinnerReading, read_winner
from ..store.records import PickRecord
from .binding import asked_values
from .calls import Action, CallCompiler
from .frame import Frame
from .together import Setback, each_outcome
from .within import begin, within

DEFAULTED = "no parseable winner; defaulted to variant 1"
DISAGREED = "the picker chose by position: each order has another winner; variant 1 was kept"
ONE_ORDER = "only one of the two orders could be read"
LAST_LEFT = "only one variant was left"


@attrs.frozen
class Variant:
    """`number` counts from 1 among all that were asked for, failed ones too."""

    number: int
    value: Any


@attrs.frozen(eq=False)
class Tournament:
    calls: CallCompiler
    compiler: Compiler
    origin: Origin

    def compile(self, step: ast.Best, members: Sequence[Action], site: str, binding: str | None) -> Action:
        """`members` has one action per written call; `best of N` runs the one call N times."""
        question = self.compiler.text(step.question, self.origin) if step.question is not None else None
        count = int(step.count.value) if step.count is not None else len(members)
        picker = step.picker.text

        async def best(frame: Frame) -> Any:
            record = begin(frame, site, "best", picker, binding)

            def member(at: int) -> Callable[[], Any]:
                path = f"{frame.path}{site}[{at}]."
                inner = frame.inside(path, draw=Draw(at + 1, count), parent=record.id)
                return lambda: members[at % len(members)](inner)

            async def held() -> Any:
                tasks = [member(at) for at in range(count)]
                variants = _variants(await each_outcome(tasks, frame.run.guard.check), picker)
                asked = question(frame.scope) if question is not None else "Which is the best?"
                pick = self._picker(frame, site, picker, asked, record.id)
                record.pick = await _picked(pick, variants, count)
                return next(v.value for v in variants if v.number == record.pick.winner)

            winner = record.answer = await within(frame, record, held())
            frame.run.end_step(record, "succeeded")
            return winner

        return best

    def _picker(self, frame: Frame, site: str, picker: str, question: str, parent: str) -> _Pick:
        inner = frame.inside(f"{frame.path}{site}.", draw=ALONE, parent=parent)
        values = asked_values(self.calls.plan.agents[picker], self.compiler)

        async def pick(order: str, variants: Sequence[Variant]) -> WinnerReading | StepFailure:
            task = picker_task(question, [variant.value for variant in variants])
            try:
                reply = await self.calls.visit(inner, order, picker, values(task), task, None)
            except EndsRun:
                raise
            except StepFailure as failure:
                return failure
            return read_winner(to_text(reply), len(variants))

        return pick


_Pick = Callable[[str, Sequence[Variant]], Any]


def _variants(outcomes: Sequence[Any], picker: str) -> list[Variant]:
    """Those that succeeded. `StepError` where none did."""
    variants = [
        Variant(at, outcome) for at, outcome in enumerate(outcomes, 1) if not isinstance(outcome, Setback)
    ]
    if variants:
        return variants
    first = outcomes[0].error
    raise StepError(f"all {len(outcomes)} variants failed: {first}", code="step.best", step=picker) from first


async def _picked(pick: _Pick, variants: Sequence[Variant], count: int) -> PickRecord:
    if len(variants) == 1:
        reason = LAST_LEFT if count > 1 else None
        return PickRecord(winner=variants[0].number, count=count, reason=reason)
    first = await pick("pick", variants)
    if len(variants) != 2:
        return _record(first, variants, count)
    swapped = await pick("pick.swapped", variants[::-1])
    return _of_both(_record(first, variants, count), _record(swapped, variants[::-1], count), variants)


def _record(reading: WinnerReading | StepFailure, variants: Sequence[Variant], count: int) -> PickRecord:
    """What one order says, by the variants' own numbers."""
    if isinstance(reading, StepFailure):
        failed = f"{DEFAULTED} ({reading})"
        return PickRecord(
            winner=variants[0].number, count=count, readable=False, defaulted=True, reason=failed
        )
    return PickRecord(
        winner=variants[reading.winner - 1].number,
        count=count,
        readable=reading.readable,
        clamped=reading.clamped,
        defaulted=reading.defaulted,
        reason=DEFAULTED if reading.defaulted else None,
    )


def _of_both(first: PickRecord, swapped: PickRecord, variants: Sequence[Variant]) -> PickRecord:
    if not swapped.readable and not first.readable:
        return first
    if not swapped.readable or not first.readable:
        read = first if first.readable else swapped
        return PickRecord(
            winner=read.winner, count=read.count, readable=False, clamped=read.clamped, reason=ONE_ORDER
        )
    if first.winner == swapped.winner:
        return first
    return PickRecord(winner=variants[0].number, count=first.count, defaulted=True, reason=DISAGREED)


def picker_task(question: str, variants: Sequence[Any]) -> str:
    """What the picker reads: the question, every variant fenced under its number, and how to answer."""
    blocks = [
        f"Variant {at}:\n{fence(to_text(variant), f'variant {at}')}" for at, variant in enumerate(variants, 1)
    ]
    ask = f"End with a line `WINNER: <number>` that names one variant from 1 to {len(variants)}."
    return "\n\n".join([question, *blocks, ask])
