"""Calls of a flow: from a call in the text to a message for an actor, and back to a value.

Every call is a step of the record. A failed step is a `StepError`, a gate's block is `Guarded`. A step that an earlier
process of the run has ended is not done again.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Container, Mapping
from typing import Any

import attrs

from ...dsl import ast
from ...dsl.plan import Origin, ParamPlan, Plan
from ...dsl.shapes import Text
from ..agents.decision_actor import Decided, DecisionRef
from ..agents.messages import (
    AgentRef,
    AgentTask,
    DecisionTask,
    GateRef,
    GateTask,
    JudgeRef,
    JudgeTask,
    ToolRef,
)
from ..agents.panel import as_record
from ..expr import Compiler, to_text
from ..judge.decisions import Refused
from ..judge.errors import StepError
from .binding import Arguments, bind
from .frame import Frame
from .outcomes import BLOCK, Guarded
from .recall import Recall
from .tool_step import ToolSteps
from .within import begin, within

Action = Callable[[Frame], Awaitable[Any]]

MOST_DEEP = 50
"""Flows within flows: the checker refuses recursion, and what it cannot see ends here."""
_TASK = ParamPlan("task", Text())
"""What an agent without parameters takes: one text or any value."""


@attrs.frozen(eq=False)
class Actors:
    """The addresses of everything that a flow may call, by declared name."""

    agents: Mapping[str, AgentRef]
    judges: Mapping[str, JudgeRef]
    gates: Mapping[str, GateRef]
    tools: Mapping[str, ToolRef]
    decisions: Mapping[str, DecisionRef]


class CallCompiler:
    """Compiles calls against a Plan. `subflow` gives the action of a declared flow; it is asked when the call runs,
    so that flows may mention each other in any order."""

    def __init__(
        self,
        plan: Plan,
        actors: Actors,
        compiler: Compiler,
        subflow: Callable[[str], Callable[[Frame, Mapping[str, Any]], Awaitable[Any]]],
    ) -> None:
        self.plan = plan
        self.actors = actors
        self.compiler = compiler
        self.subflow = subflow
        self.recall = Recall(plan)
        self.tools = ToolSteps(plan, actors.tools, self.recall)
        self.costly = Costly(plan)

    def compile(self, call: ast.Call, origin: Origin, site: str, binding: str | None) -> Action:
        name, plan = call.callee.text, self.plan
        if name in plan.agents:
            return self._agent(call, origin, site, binding)
        if name in plan.gates:
            return self._gate(call, origin, site, binding)
        if name in plan.decisions:
            decide = self.decision(call, origin, site, binding)

            async def value_of(frame: Frame) -> Any:
                return (await decide(frame)).as_value()

            return value_of
        if name in plan.judges:
            return self._judge(call, origin, site, binding)
        if name in plan.flows:
            return self._flow(call, origin, site, binding)
        return self._tool(call, origin, site, binding)

    def _agent(self, call: ast.Call, origin: Origin, site: str, binding: str | None) -> Action:
        name = call.callee.text
        agent = self.plan.agents[name]
        arguments = bind(call.args, agent.params or (_TASK,), self.compiler, origin, agent.origin)

        def ask(frame: Frame) -> Awaitable[Any]:
            values = arguments.values(frame.scope)
            return self.visit(frame, site, name, values, arguments.task(values), binding)

        return ask

    async def visit(
        self, frame: Frame, site: str, name: str, values: Mapping[str, Any], task: str, binding: str | None
    ) -> Any:
        """One visit to an agent, as a step of its own."""
        run = frame.run
        record = run.recall(frame.path + site, "agent", name)
        if record is not None:
            value = self.recall.agent(record)
        else:
            step = begin(frame, site, "agent", name, binding)
            message = AgentTask(run, step, values, task, frame.draw)
            answer = await within(frame, step, self.actors.agents[name].ask(message))
            step.answer = value = answer.value
            run.end_step(step, "succeeded")
        await run.proceed()
        return value

    def _gate(self, call: ast.Call, origin: Origin, site: str, binding: str | None) -> Action:
        name = call.callee.text
        gate = self.plan.gates[name]
        arguments = bind(call.args, gate.params, self.compiler, origin, gate.origin)

        async def check(frame: Frame) -> Any:
            run = frame.run
            values = arguments.values(frame.scope)
            record = run.recall(frame.path + site, "gate", name)
            if record is not None:
                return self.recall.gate(record)
            step = begin(frame, site, "gate", name, binding)
            value = await within(frame, step, self.actors.gates[name].ask(GateTask(run, step, values)))
            if value["passed"]:
                run.end_step(step, "succeeded")
                await run.proceed()
                return value
            reason = f"{name} blocked\n{value['report']}"
            run.end_step(step, "blocked", code=BLOCK, reason=reason)
            await run.proceed()
            raise Guarded(reason, code=BLOCK, value=value)

        return check

    def _judge(self, call: ast.Call, origin: Origin, site: str, binding: str | None) -> Action:
        name = call.callee.text
        judge = self.plan.judges[name]
        tasks = [arg for arg in call.args if arg.name is not None and arg.name.text == "task"]
        others = [arg for arg in call.args if arg not in tasks]
        arguments = bind(others, judge.params, self.compiler, origin, judge.origin)
        task_of = self.compiler.compile(tasks[0].value, origin) if tasks else None
        reply_name = judge.params[0].name

        async def ask(frame: Frame) -> Any:
            run = frame.run
            values = arguments.values(frame.scope)
            reply = values.pop(reply_name)
            record = run.recall(frame.path + site, "judge", name)
            if record is not None:
                return self.recall.judge(record)
            step = begin(frame, site, "judge", name, binding)
            task = JudgeTask(
                run=run,
                step=step,
                agent=None,
                reply=reply,
                variant=getattr(reply, "variant", None),
                task=to_text(task_of(frame.scope)) if task_of is not None else "",
                attempt=0,
                values=values,
                draw=frame.draw,
            )
            verdict = await within(frame, step, self.actors.judges[name].ask(task))
            step.verdicts.append(as_record(verdict, name, 0))
            run.end_step(step, "succeeded")
            await run.proceed()
            return self.recall.judge(step.record())

        return ask

    def decision(
        self,
        call: ast.Call,
        origin: Origin,
        site: str,
        binding: str | None,
        *,
        minimum: str | None = None,
        uncertain: bool = False,
    ) -> Callable[[Frame], Awaitable[Decided]]:
        """An action whose result is the `Decided`. `minimum` is the bar of a branch, `uncertain` says whether there is
        a branch below it."""
        name = call.callee.text
        decision = self.plan.decisions[name]
        arguments = bind(call.args, decision.params, self.compiler, origin, decision.origin)

        async def decide(frame: Frame) -> Decided:
            run = frame.run
            values = arguments.values(frame.scope)
            record = run.recall(frame.path + site, "decision", name)
            if record is not None:
                decided = self.recall.decision(decision, run.info.id, record)
            else:
                step = begin(frame, site, "decision", name, binding)
                task = DecisionTask(run, step, values, frame.layers, minimum, uncertain, frame.draw)
                decided = await within(frame, step, self._ask_decision(name, task))
                step.answer = decided.decision.value if decided.decision is not None else None
                run.end_step(step, "succeeded")
            await run.proceed()
            return decided

        return decide

    async def _ask_decision(self, name: str, task: DecisionTask) -> Decided:
        try:
            return await self.actors.decisions[name].ask(task)
        except Refused as refusal:
            raise StepError(f"{name}: {refusal.message}", code=refusal.code, step=name) from refusal

    def _tool(self, call: ast.Call, origin: Origin, site: str, binding: str | None) -> Action:
        function = call.callee.text
        tool = self.plan.tools[function.partition(".")[0]]
        arguments = bind(call.args, tool.params, self.compiler, origin, tool.origin)

        def use(frame: Frame) -> Awaitable[Any]:
            given = {name: evaluate(frame.scope) for name, evaluate in arguments.given}
            return self.tools.use(frame, site, function, given, binding)

        return use

    def _flow(self, call: ast.Call, origin: Origin, site: str, binding: str | None) -> Action:
        name = call.callee.text
        flow = self.plan.flows[name]
        arguments: Arguments = bind(call.args, flow.params, self.compiler, origin, flow.origin)

        async def enter(frame: Frame) -> Any:
            values = arguments.values(frame.scope)
            step = begin(frame, site, "flow", name, binding)
            inner = frame.inside(f"{frame.path}{site}/", parent=step.id, deeper=1)
            value = await within(frame, step, self._entered(name, inner, values))
            step.answer = value
            frame.run.end_step(step, "succeeded")
            return value

        return enter

    async def _entered(self, name: str, frame: Frame, values: Mapping[str, Any]) -> Any:
        if frame.depth > MOST_DEEP:
            raise StepError(
                f"{name}: flows call each other more than {MOST_DEEP} deep", code="flow.too-deep", step=name
            )
        return await self.subflow(name)(frame, values)


class Costly(Container[str]):
    """The names of all that costs when it is called, every function of an MCP server among them."""

    def __init__(self, plan: Plan) -> None:
        self._names = frozenset(
            [*plan.agents, *plan.gates, *plan.tools, *plan.flows, *plan.decisions, *plan.judges]
        )
        self._servers = frozenset(tool.name for tool in plan.tools.values() if tool.mcp is not None)

    def __contains__(self, name: object) -> bool:
        if name in self._names:
            return True
        server, dot, _ = str(name).partition(".")
        return bool(dot) and server in self._servers
