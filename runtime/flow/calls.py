"""Calls of a flow: from a call in the text to a message for an actor, and back to a value.

Every call is a step of the record. A failed step is a `StepError`, a gate's block is `Guarded`.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Mapping
from typing import Any

import attrs

from ...dsl import ast
from ...dsl.plan import Origin, ParamPlan, Plan
from ...dsl.shapes import Text
from ..agents.decision_actor import DecisionRef
from ..agents.messages import (
    AgentAnswer,
    AgentRef,
    AgentTask,
    DecisionTask,
    GateRef,
    GateTask,
    JudgeRef,
    JudgeTask,
    ToolRef,
    ToolResult,
    ToolTask,
    Verdict,
)
from ..agents.panel import as_record
from ..agents.tool_use import masked
from ..core import StepFailure
from ..expr import Compiler, to_text
from ..judge.errors import LimitReached, StepError, failed_step
from ..run import Step
from ..store.records import StepKind, ToolCallRecord
from .binding import Arguments, bind
from .frame import Frame
from .outcomes import BLOCK, Guarded

Action = Callable[[Frame], Awaitable[Any]]

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
        tools = [name for tool in plan.tools.values() for name in _functions(tool.name, tool.only)]
        self.costly = frozenset(
            [*plan.agents, *plan.gates, *tools, *plan.flows, *plan.decisions, *plan.judges]
        )

    def compile(self, call: ast.Call, origin: Origin, site: str, binding: str | None) -> Action:
        name, plan = call.callee.text, self.plan
        if name in plan.agents:
            return self._agent(call, origin, site, binding)
        if name in plan.gates:
            return self._gate(call, origin, site, binding)
        if name in plan.decisions:
            decide = self.decision(call, origin, site, binding, branching=False, minimum=None)

            async def value_of(frame: Frame) -> Any:
                return (await decide(frame)).as_value()

            return value_of
        if name in plan.judges:
            return self._judge(call, origin, site, binding)
        if name in plan.flows:
            return self._flow(call, origin, site, binding)
        return self._tool(call, origin, site, binding)

    def agent_arguments(self, call: ast.Call, origin: Origin) -> Arguments:
        agent = self.plan.agents[call.callee.text]
        return bind(call.args, agent.params or (_TASK,), self.compiler, origin, agent.origin)

    def _agent(self, call: ast.Call, origin: Origin, site: str, binding: str | None) -> Action:
        name = call.callee.text
        arguments = self.agent_arguments(call, origin)

        async def ask(frame: Frame) -> Any:
            values = arguments.values(frame.scope)
            return await self.visit(frame, site, name, values, arguments.task(values), binding)

        return ask

    async def visit(
        self, frame: Frame, site: str, name: str, values: Mapping[str, Any], task: str, binding: str | None
    ) -> Any:
        """One visit to an agent, as a step of its own."""
        step = frame.run.begin_step(frame.path + site, "agent", name, parent=frame.parent, binding=binding)
        answer: AgentAnswer = await _within(
            frame, step, self.actors.agents[name].ask(AgentTask(frame.run, step, values, task, frame.sample))
        )
        step.answer = answer.value
        frame.run.end_step(step, "succeeded")
        await frame.run.guard.check()
        return answer.value

    def _gate(self, call: ast.Call, origin: Origin, site: str, binding: str | None) -> Action:
        name = call.callee.text
        gate = self.plan.gates[name]
        arguments = bind(call.args, gate.params, self.compiler, origin, gate.origin)

        async def check(frame: Frame) -> Any:
            values = arguments.values(frame.scope)
            step = frame.run.begin_step(frame.path + site, "gate", name, parent=frame.parent, binding=binding)
            value = await _within(frame, step, self.actors.gates[name].ask(GateTask(frame.run, step, values)))
            if value["passed"]:
                frame.run.end_step(step, "succeeded")
                await frame.run.guard.check()
                return value
            reason = f"{name} blocked\n{value['report']}"
            frame.run.end_step(step, "blocked", code=BLOCK, reason=reason)
            await frame.run.guard.check()
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
            values = arguments.values(frame.scope)
            reply = values.pop(reply_name)
            step = frame.run.begin_step(
                frame.path + site, "judge", name, parent=frame.parent, binding=binding
            )
            task = JudgeTask(
                run=frame.run,
                step=step,
                agent="",
                reply=reply,
                variant=getattr(reply, "variant", None),
                task=to_text(task_of(frame.scope)) if task_of is not None else "",
                attempt=0,
                values=values,
            )
            verdict: Verdict = await _within(frame, step, self.actors.judges[name].ask(task))
            step.verdicts.append(as_record(verdict, name, 0))
            frame.run.end_step(step, "succeeded")
            await frame.run.guard.check()
            return {
                "passed": verdict.passed,
                "reason": verdict.reason,
                "metrics": dict(verdict.metrics),
                "readable": verdict.readable,
            }

        return ask

    def decision(
        self,
        call: ast.Call,
        origin: Origin,
        site: str,
        binding: str | None,
        *,
        branching: bool,
        minimum: str | None,
    ) -> Action:
        """An action whose result is the `Decided`, for `if` and `switch`."""
        name = call.callee.text
        decision = self.plan.decisions[name]
        arguments = bind(call.args, decision.params, self.compiler, origin, decision.origin)

        async def decide(frame: Frame) -> Any:
            values = arguments.values(frame.scope)
            step = frame.run.begin_step(
                frame.path + site, "decision", name, parent=frame.parent, binding=binding
            )
            task = DecisionTask(frame.run, step, values, frame.layers, minimum, branching)
            decided = await _within(frame, step, self.actors.decisions[name].ask(task))
            step.answer = decided.decision.value if decided.decision is not None else None
            frame.run.end_step(step, "succeeded")
            return decided

        return decide

    def _tool(self, call: ast.Call, origin: Origin, site: str, binding: str | None) -> Action:
        function = call.callee.text
        tool = self.plan.tools[function.partition(".")[0]]
        arguments = bind(call.args, tool.params, self.compiler, origin, tool.origin)

        async def use(frame: Frame) -> Any:
            given = {name: evaluate(frame.scope) for name, evaluate in arguments.given}
            return await self.use_tool(frame, site, function, given, binding)

        return use

    async def use_tool(
        self, frame: Frame, site: str, function: str, given: Mapping[str, Any], binding: str | None
    ) -> Any:
        """One use of a tool, as a step of its own."""
        run, tool = frame.run, self.plan.tools[function.partition(".")[0]]
        step = run.begin_step(frame.path + site, "tool", function, parent=frame.parent, binding=binding)
        result: ToolResult = await _within(
            frame, step, self.actors.tools[tool.name].ask(ToolTask(run, step, function, given))
        )
        secrets = tuple(to_text(given[name]) for name in tool.secret if given.get(name) is not None)
        step.tool_calls.append(
            ToolCallRecord(
                tool=function,
                input=masked(dict(given), secrets),
                output=masked(result.output, secrets),
                error=masked(result.error, secrets),
                status=result.status,  # type: ignore[arg-type]
                started=step.started,
                ended=run.stamp(),
            )
        )
        if result.status != "succeeded":
            error = StepError(
                f"{function}: {masked(result.error, secrets)}",
                code=f"step.tool.{result.status}",
                step=function,
            )
            run.end_step(step, "failed", code=error.code, reason=error.message)
            raise error
        step.answer = masked(result.output, secrets)
        run.end_step(step, "succeeded")
        await run.guard.check()
        return result.output

    def _flow(self, call: ast.Call, origin: Origin, site: str, binding: str | None) -> Action:
        name = call.callee.text
        flow = self.plan.flows[name]
        arguments = bind(call.args, flow.params, self.compiler, origin, flow.origin)

        async def enter(frame: Frame) -> Any:
            values = arguments.values(frame.scope)
            step = begin(frame, site, "flow", name, binding)
            inner = frame.inside(f"{frame.path}{site}/", parent=step.id)
            value = await _within(frame, step, self.subflow(name)(inner, values))
            step.answer = value
            frame.run.end_step(step, "succeeded")
            return value

        return enter


def begin(frame: Frame, site: str, kind: StepKind, name: str, binding: str | None) -> Step:
    return frame.run.begin_step(frame.path + site, kind, name, parent=frame.parent, binding=binding)


async def _within(frame: Frame, step: Step, work: Awaitable[Any]) -> Any:
    """Runs a step's work; whatever ends it is in the step's record before it goes on."""
    try:
        return await work
    except LimitReached as limit:
        frame.run.end_step(step, "failed", code=limit.code, reason=limit.message)
        raise
    except StepError as error:
        frame.run.end_step(step, "failed", code=error.code, reason=error.message)
        raise
    except StepFailure as failure:
        failed = failed_step(step.name, f"step.{step.kind}", failure)
        frame.run.end_step(step, "failed", code=failed.code, reason=failed.message)
        raise failed from failure
    except Guarded as guarded:
        frame.run.end_step(step, "blocked", code=guarded.code, reason=guarded.reason)
        raise
    except BaseException:
        # Cancelled, paused, or a bug in another place: the step did not end, and its record says so.
        frame.run.end_step(step, "cancelled")
        raise


def _functions(name: str, only: tuple[str, ...]) -> list[str]:
    return [name, *(f"{name}.{function}" for function in only)]
