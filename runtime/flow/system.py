"""A program's actors: one supervised actor for every declared agent, judge, gate, tool and decision, and one for each
provider that its models need. They are shared by all of the program's runs.

    root ── providers  one_for_one, a service: it outlives the workers and stops last, drained
         ├─ tools      one_for_one
         ├─ judges     one_for_one
         └─ agents, gates, decisions   one_for_one

A crash is a bug that one run's message met: that run ends with the cause, its actor is renewed, and nobody else is
harmed. A program does not give up on an actor, however often that happens, since every restart is paid for by one
run; an actor that cannot even be set up says so to everyone who asks.
"""

from __future__ import annotations

import math
import os
from collections.abc import AsyncIterator, Awaitable, Callable, Hashable, Mapping
from contextlib import AbstractAsyncContextManager, asynccontextmanager
from functools import partial
from pathlib import Path
from typing import Any

import attrs

from ...dsl.plan import AgentPlan, DecisionPlan, GatePlan, ModelPlan, Origin, Plan, ToolPlan, UsePlan
from ..agents.answers import AnswerReader
from ..agents.classes import Classes
from ..agents.decision_actor import DecisionParts, DecisionRef, decision_behaviour
from ..agents.gate_actor import GateParts, gate_behaviour
from ..agents.gateway import Gateway, Served, provider_behaviour
from ..agents.hooks import JudgeHook
from ..agents.judge_actor import judge_behaviour
from ..agents.judge_form import JudgeParts
from ..agents.loop import AgentParts, agent_behaviour
from ..agents.mcp_environ import server_environ
from ..agents.messages import AgentRef, DecisionTask, JudgeRef, ProviderRef, ToolRef
from ..agents.panel import JudgeArguments, Panel, Seat
from ..agents.startup import Opens, Starting, on_demand, or_its_failure
from ..agents.tool_actor import ToolAnswers, ToolParts, tool_behaviour
from ..agents.tool_use import tool_box
from ..core import ActorRef, ActorSpec, Intensity, Supervisor, SupervisorSpec, Trace, open_supervisor
from ..expr import Compiler, Scope
from ..judge.errors import ConfigurationError
from ..judge.protocol import Provider
from ..run import Stamp
from .binding import asked_values, bind
from .calls import Actors, CallCompiler
from .constants import NOWHERE, constants_of
from .frame import Frame
from .statements import compile_flow
from .steps import StepCompiler


@attrs.frozen(eq=False)
class Connection:
    """Where a model is served. Models with an equal `key` share one provider; `slug` is how it knows the model, and
    `vendor` who answers where the provider only passes questions on."""

    key: Hashable
    name: str
    slug: str
    open: Callable[[], AbstractAsyncContextManager[Provider]]
    vendor: str | None = None


Connect = Callable[[ModelPlan], Connection]

Enter = Callable[[Frame, Mapping[str, Any]], Awaitable[Any]]

PATIENT = Intensity(1_000_000, 30.0)
"""Restarts that no program reaches: the back-off allows a few a second at most."""


@attrs.frozen(eq=False)
class System:
    """A program's running actors, and its flows as functions."""

    plan: Plan
    compiler: Compiler
    classes: Classes
    actors: Actors
    flows: Mapping[str, Enter]
    unavailable: Mapping[str, ConfigurationError]
    """Why there is no provider, by the name of each model that has none."""
    supervisor: Supervisor
    gateway: Gateway


@asynccontextmanager
async def open_system(
    plan: Plan,
    *,
    connect: Connect,
    root: Path,
    stamp: Stamp,
    grace: float = 5.0,
    tool_answers: ToolAnswers | None = None,
    trace: Trace | None = None,
) -> AsyncIterator[System]:
    """Starts the actors of a checked program and stops them in order when the block ends. `tool_answers` stand in for
    the tools, in tests; `trace` is told what the actors do."""
    root_spec = SupervisorSpec(name=plan.workflow, intensity=PATIENT, grace=grace)
    async with open_supervisor(root_spec, trace=trace) as supervisor:
        assembly = _Assembly(plan, connect, root, stamp, supervisor, tool_answers)
        system = assembly.system()
        await assembly.starting.wait()
        yield system


class _Assembly:
    def __init__(
        self,
        plan: Plan,
        connect: Connect,
        root: Path,
        stamp: Stamp,
        supervisor: Supervisor,
        tool_answers: ToolAnswers | None,
    ) -> None:
        self.plan = plan
        self.connect = connect
        self.root = root
        self.stamp = stamp
        self.supervisor = supervisor
        self.tool_answers = tool_answers
        self.classes = Classes(plan.types)
        self.starting = Starting()
        self.unavailable: dict[str, ConfigurationError] = {}
        self.compiler = Compiler(plan.types, constants_of(plan, stamp), stamp.moment)

    def system(self) -> System:
        plan = self.plan
        gateway = Gateway(plan.models, self.providers())
        tools = self.level("tools")
        tool_refs = {
            name: self.start(tools, name, partial(tool_behaviour, self.tool(tool)))
            for name, tool in plan.tools.items()
        }
        judges = self.level("judges")
        judge_refs = {
            name: self.start(judges, name, partial(judge_behaviour, self.judge(name, gateway, tool_refs)))
            for name in plan.judges
        }
        workers = self.level("agents")
        agent_refs = {
            name: self.start(
                workers, name, partial(agent_behaviour, self.agent(agent, gateway, judge_refs, tool_refs))
            )
            for name, agent in plan.agents.items()
        }
        gate_refs = {
            name: self.start(workers, name, partial(gate_behaviour, self.gate(gate, agent_refs, judge_refs)))
            for name, gate in plan.gates.items()
        }
        flows: dict[str, Enter] = {}
        decisions: dict[str, DecisionRef] = {}
        actors = Actors(agent_refs, judge_refs, gate_refs, tool_refs, decisions)
        calls = CallCompiler(plan, actors, self.compiler, lambda name: flows[name])
        for name, decision in plan.decisions.items():
            parts = self.decision(decision, gateway, calls)
            decisions[name] = self.start(workers, name, partial(decision_behaviour, parts))
        for name, flow in plan.flows.items():
            flows[name] = compile_flow(flow, calls, self.compiler)
        return System(
            plan, self.compiler, self.classes, actors, flows, self.unavailable, self.supervisor, gateway
        )

    def level(self, name: str, *, service: bool = False) -> Supervisor:
        spec = SupervisorSpec(name=name, intensity=PATIENT, service=service)
        return self.supervisor.nest(spec)

    def start(self, level: Supervisor, name: str, opens: Opens) -> ActorRef[Any, Any]:
        behaviour = partial(or_its_failure, name, opens, self.starting.expect())
        return level.start(ActorSpec(name=name, behaviour=behaviour, concurrency=math.inf))

    def providers(self) -> dict[str, ProviderRef]:
        """An actor for each provider, by the name of every model that it serves."""
        level = self.level("providers", service=True)
        started: dict[Hashable, ProviderRef] = {}
        served: dict[str, Served] = {}
        refs: dict[str, ProviderRef] = {}
        for name, model in self.plan.models.items():
            try:
                connection = self.connect(model)
            except ConfigurationError as error:
                # A run that may call this model is refused before it starts; the others need not care.
                self.unavailable[name] = error
                continue
            served[name] = Served(connection.slug, connection.vendor)
            if connection.key not in started:
                opens = partial(_provider, connection, self.plan.models, served)
                started[connection.key] = self.start(level, f"provider:{connection.name}", opens)
            refs[name] = started[connection.key]
        return refs

    def tool(self, plan: ToolPlan) -> ToolParts:
        environ = server_environ(os.environ, self.plan.providers.values())
        return ToolParts(plan, self.root, self.plan.types, self.classes, environ, self.tool_answers)

    def judge(self, name: str, gateway: Gateway, refs: Mapping[str, ToolRef]) -> JudgeParts:
        plan = self.plan.judges[name]
        tools = {name: (tool, refs[name]) for name, tool in self.plan.tools.items()}
        hook = None
        if plan.python is not None:
            hook = JudgeHook(
                judge=name,
                model=plan.model,
                hook=plan.python,
                root=self.root,
                parameters=[param.name for param in plan.params[1:]],
                classes=self.classes,
                tools=tools,
            )
        return JudgeParts(plan, self.compiler, gateway, hook)

    def agent(
        self,
        plan: AgentPlan,
        gateway: Gateway,
        judges: Mapping[str, JudgeRef],
        tools: Mapping[str, ToolRef],
    ) -> AgentParts:
        box = tool_box([(self.plan.tools[name], tools[name]) for name in plan.tools], self.plan.types)
        seats = [
            Seat(use.judge, judges[use.judge], self.judge_arguments(use, plan.origin)) for use in plan.judges
        ]
        prompt: Callable[[Scope], str] | str = ""
        if plan.prompt is not None:
            fixed = plan.prompt.plain
            prompt = self.compiler.text(plan.prompt, plan.origin) if fixed is None else fixed
        reader = AnswerReader(plan.result, self.plan.types)
        return AgentParts(plan, prompt, reader, Panel(seats), box, gateway)

    def judge_arguments(self, use: UsePlan, origin: Origin) -> JudgeArguments | None:
        """The arguments after what is judged, evaluated with the names of whoever uses the judge; None where there
        are none."""
        params = self.plan.judges[use.judge].params[1:]
        if not params:
            return None
        given = bind(use.args, params, self.compiler, origin, self.plan.judges[use.judge].origin)
        return given.values

    def gate(
        self, plan: GatePlan, agents: Mapping[str, AgentRef], judges: Mapping[str, JudgeRef]
    ) -> GateParts:
        if plan.judge is not None and plan.judge.judge is not None:
            use = plan.judge.judge
            return GateParts(
                plan,
                self.compiler,
                judge=judges[use.judge],
                reply=self.plan.judges[use.judge].params[0].shape,
                types=self.plan.types,
                arguments=self.judge_arguments(use, plan.origin),
            )
        name = plan.judge.agent if plan.judge is not None else plan.ask_agent
        if name is None:
            return GateParts(plan, self.compiler)
        return GateParts(
            plan, self.compiler, agent=agents[name], asked=asked_values(self.plan.agents[name], self.compiler)
        )

    def decision(self, plan: DecisionPlan, gateway: Gateway, calls: CallCompiler) -> DecisionParts:
        shared = self.plan.context
        return DecisionParts(
            plan=plan,
            compiler=self.compiler,
            gateway=gateway,
            global_context=self.compiler.compile(shared, NOWHERE) if shared is not None else None,
            context=self.context(plan, calls),
            cache_key=self.compiler.compile(plan.cache_key, plan.origin)
            if plan.cache_key is not None
            else None,
            now=self.stamp.seconds,
        )

    def context(self, plan: DecisionPlan, calls: CallCompiler) -> Any:
        """The declaration's own context layer; it may call tools, as steps under the decision's."""
        if plan.context is None:
            return None
        resolve = StepCompiler(calls, self.compiler, plan.origin).expression(plan.context)

        async def context(scope: Scope, task: DecisionTask) -> Any:
            frame = Frame(task.run, scope, f"{task.step.id}/", _nobody, task.step.id)
            return await resolve(frame)

        return context


async def _nobody(question: str, showing: Any) -> bool | None:
    return None


@asynccontextmanager
async def _provider(
    connection: Connection, models: Mapping[str, ModelPlan], served: Mapping[str, Served]
) -> AsyncIterator[Any]:
    """A provider that is opened when it is first called: a model that no run asks has no connection to make and
    nothing to load."""
    async with on_demand(connection.name, lambda: _opened(connection, models, served)) as handle:
        yield handle


@asynccontextmanager
async def _opened(
    connection: Connection, models: Mapping[str, ModelPlan], served: Mapping[str, Served]
) -> AsyncIterator[Any]:
    async with connection.open() as provider, provider_behaviour(provider, models, served) as handle:
        yield handle
