"""`best of`: several variants, one picked by an agent. Nothing that was paid for is lost: every variant is a step."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ...dsl import ast
from ...dsl.plan import Origin
from ..core import StepFailure
from ..expr import Compiler, to_text
from ..judge.errors import LimitReached, StepError
from ..judge.fencing import fence
from ..judge.reading import read_winner
from ..store.records import PickRecord
from .calls import Action, CallCompiler, begin
from .frame import Frame
from .outcomes import Guarded
from .together import each_outcome

DEFAULTED = "no parseable winner; defaulted to variant 1"


class Tournament:
    def __init__(self, calls: CallCompiler, compiler: Compiler, origin: Origin) -> None:
        self.calls = calls
        self.compiler = compiler
        self.origin = origin

    def compile(self, step: ast.Best, members: Sequence[Action], site: str, binding: str | None) -> Action:
        """`members` has one action per written call; `best of N` runs the one call N times."""
        question = self.compiler.text(step.question, self.origin) if step.question is not None else None
        count = int(step.count.value) if step.count is not None else len(members)
        picker = step.picker.text

        async def best(frame: Frame) -> Any:
            record = begin(frame, site, "best", picker, binding)

            def member(at: int) -> Callable[[], Any]:
                inner = frame.inside(f"{frame.path}{site}[{at}].", sample=at + 1, parent=record.id)
                return lambda: members[at % len(members)](inner)

            outcomes = await each_outcome([member(at) for at in range(count)])
            failures = [outcome for outcome in outcomes if isinstance(outcome, Exception)]
            for failure in failures:
                if not isinstance(failure, StepFailure | Guarded) or isinstance(failure, LimitReached):
                    frame.run.end_step(record, "failed", reason=str(failure))
                    raise failure
            variants = [outcome for outcome in outcomes if not isinstance(outcome, Exception)]
            if not variants:
                reason = f"all {count} variants failed: {failures[0]}"
                frame.run.end_step(record, "failed", code="step.best", reason=reason)
                raise StepError(reason, code="step.best", step=picker) from failures[0]
            asked = question(frame.scope) if question is not None else "Which is the best?"
            record.pick = await self._pick(frame, site, picker, asked, variants, record.id)
            winner = variants[record.pick.winner - 1]
            record.answer = winner
            frame.run.end_step(record, "succeeded")
            await frame.run.guard.check()
            return winner

        return best

    async def _pick(
        self, frame: Frame, site: str, picker: str, question: str, variants: Sequence[Any], parent: str
    ) -> PickRecord:
        count = len(variants)
        if count == 1:
            return PickRecord(winner=1, count=1, reason="only one variant was left")
        inner = frame.inside(f"{frame.path}{site}.", parent=parent)
        task = picker_task(question, variants)
        try:
            await frame.run.guard.check()
            reply = await self.calls.visit(inner, "pick", picker, {"task": task}, task, None)
        except LimitReached:
            raise
        except StepFailure as failure:
            return PickRecord(
                winner=1, count=count, readable=False, defaulted=True, reason=f"{DEFAULTED} ({failure})"
            )
        reading = read_winner(to_text(reply), count)
        return PickRecord(
            winner=reading.winner,
            count=count,
            readable=reading.readable,
            clamped=reading.clamped,
            defaulted=reading.defaulted,
            reason=DEFAULTED if reading.defaulted else None,
        )


def picker_task(question: str, variants: Sequence[Any]) -> str:
    """What the picker reads: the question, every variant fenced under its number, and how to answer."""
    blocks = [
        f"Variant {at}:\n{fence(to_text(variant), f'variant {at}')}" for at, variant in enumerate(variants, 1)
    ]
    ask = f"End with a line `WINNER: <number>` that names one variant from 1 to {len(variants)}."
    return "\n\n".join([question, *blocks, ask])
