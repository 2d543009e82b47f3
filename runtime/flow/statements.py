"""Statements of a flow: each becomes an async function of a frame. A result other than None ends the flow with it."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping, Sequence
from typing import Any

import attrs

from ...dsl import ast
from ...dsl.plan import FlowPlan
from ...dsl.shapes import Json
from ..agents.decision_actor import Decided
from ..agents.decode import Decoder
from ..expr import Compiler, Record, type_name
from ..judge.confidence import effective_minimum
from ..judge.errors import StepError
from .binding import compiled_defaults, fill_defaults
from .calls import Action, CallCompiler
from .frame import Frame
from .members import past_members
from .outcomes import NO_REASON, SPENT, STOP, Guarded, Returned
from .steps import StepCompiler
from .together import bounded

Run = Callable[[Frame], Awaitable[Returned | None]]
Decide = Callable[[Frame], Awaitable[Decided]]


def compile_flow(
    plan: FlowPlan, calls: CallCompiler, compiler: Compiler
) -> Callable[[Frame, Mapping[str, Any]], Awaitable[Any]]:
    """A flow as a function of a fresh frame and its arguments. It gives what the flow returns, null without one."""
    body = _Statements(calls, compiler, plan).block(plan.body)
    defaults = compiled_defaults(plan.params, compiler, plan.origin)
    decoder = Decoder(calls.plan.types)

    def result(value: Any) -> Any:
        """What the flow returns, in the shape that it declares; what the checker could not see ends here."""
        if plan.result is None or isinstance(plan.result, Json):
            return value
        typed, violations = decoder.decode(plan.result, value)
        if violations:
            raise StepError(
                f"{plan.name} returned a value that has not the declared shape: {'; '.join(violations)}",
                code="flow.wrong-result",
                step=plan.name,
            )
        return typed

    async def flow(frame: Frame, values: Mapping[str, Any]) -> Any:
        names = dict(values)
        fill_defaults(names, plan.params, defaults)
        names.setdefault("run", frame.run.value())
        ended = await body(frame.with_names(names))
        return result(ended.value if ended is not None else None)

    return flow


class _Statements:
    def __init__(self, calls: CallCompiler, compiler: Compiler, plan: FlowPlan) -> None:
        self.calls = calls
        self.compiler = compiler
        self.origin = plan.origin
        self.steps = StepCompiler(calls, compiler, plan.origin)

    def block(self, body: Sequence[ast.Statement]) -> Run:
        parts = [self.statement(statement) for statement in body]

        async def block(frame: Frame) -> Returned | None:
            for part in parts:
                frame.scope.renew()
                ended = await part(frame)
                if ended is not None:
                    return ended
            return None

        return block

    def statement(self, node: ast.Statement) -> Run:
        method: Callable[[Any], Run] = getattr(self, f"_{type(node).__name__.lower()}")
        return method(node)

    # names and ends

    def _bind(self, node: ast.Bind) -> Run:
        name, step = node.name.text, self.steps.compile(node.step, node.name.text)

        async def bind(frame: Frame) -> None:
            frame.scope.values[name] = await step(frame)

        return bind

    def _do(self, node: ast.Do) -> Run:
        step = self.steps.compile(node.step)

        async def do(frame: Frame) -> None:
            await step(frame)

        return do

    def _return(self, node: ast.Return) -> Run:
        value = self.steps.expression(node.value)

        async def give(frame: Frame) -> Returned:
            return Returned(await value(frame))

        return give

    def _stop(self, node: ast.Stop) -> Run:
        reason = self.compiler.text(node.reason, self.origin)

        async def stop(frame: Frame) -> None:
            said = reason(frame.scope)
            raise Guarded(said if said.strip() else NO_REASON, code=STOP)

        return stop

    # branches

    def _if(self, node: ast.If) -> Run:
        if self._is_decision(node.condition):
            return self._if_decision(node)
        unless = self._unless(node.condition)
        then, otherwise = self.block(node.then.body), self._otherwise(node.otherwise)

        async def branch(frame: Frame) -> Returned | None:
            return await (otherwise if await unless(frame) else then)(frame)

        return branch

    def _unless(self, condition: ast.Expr) -> Action:
        """Whether a test fails: null counts as false, a decision as its value."""
        return self.steps.expression(ast.Unary(condition.start, condition.end, "not", condition))

    def _if_decision(self, node: ast.If) -> Run:
        decide, uncertain = self._decide(node.condition, node.uncertain)
        then, otherwise = self.block(node.then.body), self._otherwise(node.otherwise)

        async def branch(frame: Frame) -> Returned | None:
            decided = await decide(frame)
            if decided.decision is None or decided.uncertain:
                return await _in_branch(frame, decided, uncertain)
            return await _in_branch(frame, decided, then if decided.decision.value else otherwise)

        return branch

    def _switch(self, node: ast.Switch) -> Run:
        if self._is_decision(node.subject):
            return self._switch_decision(node)
        subject, cases = self.steps.expression(node.subject), self._cases(node)

        async def by_value(frame: Frame) -> Returned | None:
            return await self._case(await subject(frame), cases)(frame)

        return by_value

    def _switch_decision(self, node: ast.Switch) -> Run:
        decide, uncertain = self._decide(node.subject, node.uncertain)
        cases = self._cases(node)

        async def by_decision(frame: Frame) -> Returned | None:
            decided = await decide(frame)
            if decided.decision is None or decided.uncertain:
                return await _in_branch(frame, decided, uncertain)
            return await _in_branch(frame, decided, self._case(decided.decision.label, cases))

        return by_decision

    def _cases(self, node: ast.Switch) -> list[tuple[str, Run]]:
        return [(case.label.text, self.block(case.block.body)) for case in node.cases]

    def _case(self, value: Any, cases: Sequence[tuple[str, Run]]) -> Run:
        if isinstance(value, Record):
            fitting = [run for label, run in cases if self.compiler.is_a(value.variant, label)]
        else:
            if isinstance(value, dict):
                value = value.get("choice", value.get("variant"))
            fitting = [run for label, run in cases if label == value]
        if not fitting:
            raise StepError(
                f"no case fits a value of type {type_name(value)}", code="switch.missing-case", step="switch"
            )
        return fitting[0]

    def _is_decision(self, expr: ast.Expr) -> bool:
        return isinstance(expr, ast.Call) and expr.callee.text in self.calls.plan.decisions

    def _decide(self, call: Any, uncertain: ast.Uncertain | None) -> tuple[Decide, Run]:
        """The decision of a branch, and the branch for what is uncertain. The use's own bar overrides the
        declaration's; a bar without such a branch, or the reverse, is refused before anything runs."""
        name = call.callee.text
        own = uncertain.below.text if uncertain is not None and uncertain.below is not None else None
        declared = self.calls.plan.decisions[name].minimum
        minimum = effective_minimum(name, declared, own, handled=uncertain is not None)
        if uncertain is None:
            return self.calls.decision(call, self.origin, self.steps.site(), None), _nothing
        block = self.block(uncertain.block.body)
        decide = self.calls.decision(
            call, self.origin, self.steps.site(), None, minimum=minimum, uncertain=True
        )
        return decide, block

    def _otherwise(self, node: ast.Block | ast.If | None) -> Run:
        if node is None:
            return _nothing
        return self._if(node) if isinstance(node, ast.If) else self.block(node.body)

    # several at once, again and again

    def _parallel(self, node: ast.Parallel) -> Run:
        site = self.steps.site()
        members = [
            (task.name.text if isinstance(task, ast.Bind) else None, self._task(task)) for task in node.tasks
        ]

        async def parallel(frame: Frame) -> None:
            def member(at: int, action: Action) -> Callable[[], Awaitable[Any]]:
                inner = frame.inside(f"{frame.path}{site}[{at}].")
                return lambda: action(inner)

            tasks = [member(at, action) for at, (_, action) in enumerate(members)]
            past = past_members(frame.run, frame.path + site)
            results = await bounded(tasks, len(tasks), frame.run.guard.check, past)
            for (name, _), value in zip(members, results, strict=True):
                if name is not None:
                    frame.scope.values[name] = value

        return parallel

    def _task(self, task: ast.Bind | ast.Do) -> Action:
        return self.steps.compile(task.step, task.name.text if isinstance(task, ast.Bind) else None)

    def _loop(self, node: ast.Loop) -> Run:
        going_on = self._unless(node.until) if node.until is not None else None
        site = self.steps.site()
        body = self.block(node.body.body)
        spent = self.block(node.otherwise.body) if node.otherwise is not None else None
        turns = int(node.at_most.value)

        async def loop(frame: Frame) -> Returned | None:
            for turn in range(turns):
                inner = frame.at(f"{frame.path}{site}#{turn}.")
                if going_on is not None and not await going_on(inner):
                    return None
                ended = await body(inner)
                if ended is not None:
                    return ended
                await frame.run.guard.check()
            if going_on is None or not await going_on(frame.at(f"{frame.path}{site}#{turns}.")):
                return None
            if spent is not None:
                return await spent(frame)
            raise Guarded(f"the loop's {turns} turns are spent", code=SPENT)

        return loop

    def _withcontext(self, node: ast.WithContext) -> Run:
        layer = self.steps.expression(node.value)
        body = self.block(node.body.body)

        async def with_context(frame: Frame) -> Returned | None:
            added = await layer(frame)
            return await body(attrs.evolve(frame, layers=(*frame.layers, added)))

        return with_context


async def _nothing(frame: Frame) -> None:
    return None


async def _in_branch(frame: Frame, decided: Decided, branch: Run) -> Returned | None:
    """Runs a branch with its `decision`; what that name stood for before, it stands for again."""
    values = frame.scope.values
    before = values.get("decision", _UNBOUND)
    values["decision"] = decided.as_value()
    try:
        return await branch(frame)
    finally:
        if before is _UNBOUND:
            values.pop("decision", None)
        else:
            values["decision"] = before


_UNBOUND = object()
