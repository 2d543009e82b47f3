"""Steps: what may stand after `=` in a flow, or alone. Each becomes an action of a frame that gives a value."""

from __future__ import annotations

from collections.abc import Callable
from inspect import isawaitable
from typing import Any

from ...dsl import ast
from ...dsl.plan import Origin
from ..agents.messages import Draw
from ..core import StepFailure
from ..expr import Compiler, to_json, to_text
from ..judge.errors import EndsRun, JudgeflowError, StepError
from ..store.records import ApprovalRecord
from .calls import Action, CallCompiler
from .frame import Frame
from .hoist import hoisted
from .members import past_members
from .outcomes import REFUSED, Guarded, Paused
from .together import bounded, first_success
from .tournament import Tournament
from .within import begin, within

EACH_AT_ONCE = 16
"""How many members of an `each` run at once where it does not say."""


class StepCompiler:
    """Compiles the steps of one flow. `site` numbers them, so that a step keeps its id when a run is resumed."""

    def __init__(self, calls: CallCompiler, compiler: Compiler, origin: Origin) -> None:
        self.calls = calls
        self.compiler = compiler
        self.origin = origin
        self.tournament = Tournament(calls, compiler, origin)
        self._sites = 0

    def site(self) -> str:
        self._sites += 1
        return str(self._sites)

    def compile(self, step: ast.Step, binding: str | None = None) -> Action:
        match step:
            case ast.Call() if step.callee.text in self.calls.costly and not self._holds_costly(step):
                return self.calls.compile(step, self.origin, self.site(), binding)
            case ast.Try():
                return self._try(step, binding)
            case ast.Approve():
                return self._approve(step, binding)
            case ast.Each():
                return self._each(step, binding)
            case ast.Best():
                site, members = self.site(), [self.compile(call) for call in step.calls]
                return self.tournament.compile(step, members, site, binding)
            case ast.Race():
                return self._race(step)
            case _:
                return self.expression(step, binding)

    def expression(self, expr: ast.Expr, binding: str | None = None) -> Action:
        """An expression; the costly calls in it run first, in order."""
        rest, found = hoisted(expr, self.calls.costly)
        if len(found) == 1 and isinstance(rest, ast.Name) and rest.id == found[0][0]:
            return self.calls.compile(found[0][1], self.origin, self.site(), binding)
        evaluate = self.compiler.compile(rest, self.origin)
        actions = [(name, self.calls.compile(call, self.origin, self.site(), None)) for name, call in found]

        async def action(frame: Frame) -> Any:
            for name, call in actions:
                frame.scope.values[name] = await call(frame)
            return evaluate(frame.scope)

        return action

    def _holds_costly(self, call: ast.Call) -> bool:
        return any(hoisted(arg.value, self.calls.costly)[1] for arg in call.args)

    def _try(self, step: ast.Try, binding: str | None) -> Action:
        call = self.compile(step.call, binding)
        is_gate = step.call.callee.text in self.calls.plan.gates
        otherwise = self.compiler.compile(step.otherwise, self.origin) if step.otherwise is not None else None

        async def attempt(frame: Frame) -> Any:
            try:
                value = await call(frame)
            except EndsRun:
                raise
            except Guarded as guarded:
                failure = _failure(guarded.code, guarded.reason, guarded.value if is_gate else None)
            except StepFailure as error:
                code = error.code if isinstance(error, JudgeflowError) else "step"
                failure = _failure(code, str(error), _broken_gate(str(error)) if is_gate else None)
            else:
                if is_gate or otherwise is not None:
                    return value
                return {"ok": True, "value": value, "code": None, "reason": None}
            return otherwise(frame.scope) if otherwise is not None else failure

        return attempt

    def _approve(self, step: ast.Approve, binding: str | None) -> Action:
        question = self.compiler.text(step.question, self.origin)
        showing = self.expression(step.showing) if step.showing is not None else None
        site, name = self.site(), binding or "approve"

        async def approve(frame: Frame) -> Any:
            run = frame.run
            shown = await showing(frame) if showing is not None else None
            asked = question(frame.scope)
            past = run.past.get(frame.path + site)
            if past is not None and _is_the_same(past.approval, asked, shown):
                run.recall(past.id, "approve", name)
                return _answered(past.approval, asked, binding)
            record = begin(frame, site, "approve", name, binding)
            record.approval = ApprovalRecord(question=asked, showing=shown)
            await run.guard.check()
            answer = await within(frame, record, _ask(frame, record.id, asked, shown))
            record.approval = ApprovalRecord(question=asked, showing=shown, approved=answer, at=run.stamp())
            record.answer = answer
            if answer or binding is not None:
                run.end_step(record, "succeeded")
            else:
                run.end_step(record, "blocked", code=REFUSED, reason=asked)
            await run.proceed()
            return _answered(record.approval, asked, binding)

        return approve

    def _each(self, step: ast.Each, binding: str | None) -> Action:
        name, source, site = step.name.text, self.expression(step.source), self.site()
        body = self.compile(step.body, binding)
        at_once = int(step.at_most.value) if step.at_most is not None else EACH_AT_ONCE

        async def each(frame: Frame) -> list[Any]:
            items = await source(frame)
            if items is None:
                return []
            if not isinstance(items, list):
                raise StepError(f"`each {name} in …` goes through a list", code="step.each", step=name)

            def member(at: int, item: Any) -> Callable[[], Any]:
                inner = frame.inside(f"{frame.path}{site}[{at}].", draw=Draw(at + 1, len(items)))
                inner.scope.values[name] = item
                return lambda: body(inner)

            tasks = (member(at, item) for at, item in enumerate(items))
            past = past_members(frame.run, frame.path + site)
            return await bounded(tasks, min(at_once, len(items)), frame.run.guard.check, past)

        return each

    def _race(self, step: ast.Race) -> Action:
        site = self.site()
        members = [self.compile(call) for call in step.calls]

        async def race(frame: Frame) -> Any:
            def member(at: int, action: Action) -> Callable[[], Any]:
                return lambda: action(frame.inside(f"{frame.path}{site}[{at}]."))

            tasks = [member(at, action) for at, action in enumerate(members)]
            past = past_members(frame.run, frame.path + site)
            return await first_success(tasks, frame.run.guard.check, past)

        return race


async def _ask(frame: Frame, step: str, question: str, showing: Any) -> bool:
    """A person's answer; only yes and no are answers."""
    asked = frame.approver(question, showing)
    if not isawaitable(asked):
        raise StepError(
            f"{question}: the approver is no async function: write `async def approver(question, showing)`",
            code="approve.invalid",
            step="approve",
        )
    answer = await asked
    if answer is None:
        raise Paused(step, question, showing)
    if not isinstance(answer, bool):
        raise StepError(
            f"{question}: {answer!r} is neither yes nor no", code="approve.invalid", step="approve"
        )
    return answer


def _is_the_same(approval: ApprovalRecord | None, question: str, showing: Any) -> bool:
    """Whether a person has answered exactly this: another question, or other things shown, are asked about anew."""
    return (
        approval is not None
        and approval.approved is not None
        and (approval.question, to_json(approval.showing)) == (question, to_json(showing))
    )


def _answered(approval: ApprovalRecord | None, question: str, binding: str | None) -> bool:
    """The answer as a value; a no that nobody looks at ends the flow."""
    assert approval is not None
    if not approval.approved and binding is None:
        raise Guarded(f"not approved: {question}", code=REFUSED)
    return bool(approval.approved)


def _failure(code: str, reason: str, gate_value: Any) -> dict[str, Any]:
    """What a `try` gives for what did not succeed: a gate's own value, else ok, value, code and reason."""
    if gate_value is not None:
        return dict(gate_value)
    return {"ok": False, "value": None, "code": code, "reason": reason}


def _broken_gate(reason: str) -> dict[str, Any]:
    return {
        "passed": False,
        "verdict": "block",
        "combined": None,
        "results": [],
        "report": to_text(reason),
        "judge": None,
    }
