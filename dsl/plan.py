"""The Plan: a checked program as plain data. It can be hashed, sent to another machine and looked at.

Names are resolved, files are merged, defaults are filled in; expressions and statements are the tree's own nodes.
`Origin` and the nodes' `start` and `end` say where a thing was written and are left out of every hash.
Paths are relative to the folder of the file that was run.
"""

from __future__ import annotations

from typing import Any, Literal

import msgspec

from . import ast
from .shapes import Shape, TypeInfo


class Origin(msgspec.Struct, frozen=True):
    """Where a declaration stands: its file, the offset of its text there, and its line (from 1). `text` is there
    where a report quotes it, as it does tests."""

    file: str
    offset: int
    line: int
    text: str = ""


class ParamPlan(msgspec.Struct, frozen=True):
    name: str
    shape: Shape
    optional: bool = False
    default: ast.Expr | None = None
    hidden: bool = False


class HookPlan(msgspec.Struct, frozen=True):
    """A Python function: `file` relative to the program's root."""

    file: str
    function: str


class EnvPlan(msgspec.Struct, frozen=True, tag="env"):
    """A setting that is read from the environment when the provider starts."""

    env: str


class ProviderPlan(msgspec.Struct, frozen=True):
    name: str
    api: str
    url: str | EnvPlan | None = None
    key: str | EnvPlan | None = None
    headers: tuple[tuple[str, str | EnvPlan], ...] = ()
    rounding: int | None = None


class ModelPlan(msgspec.Struct, frozen=True):
    """`name` is the declared name, or the slug of a model given in quotes. Prices are decimal texts in US dollars per
    million tokens; `timeout` is in seconds."""

    name: str
    slug: str
    via: str | None = None
    kind: Literal["chat", "decision"] = "chat"
    temperature: float | None = None
    max_tokens: int | None = None
    timeout: float | None = None
    retries: int | None = None
    price_in: str | None = None
    price_out: str | None = None
    fallback: tuple[str, ...] = ()
    concurrency: int | None = None
    rounding: int | None = None


class ToolPlan(msgspec.Struct, frozen=True):
    name: str
    params: tuple[ParamPlan, ...]
    result: Shape | None
    description: str | None
    python: HookPlan | None
    mcp: str | None
    only: tuple[str, ...]
    timeout: float | None
    secret: tuple[str, ...]
    origin: Origin


class UsePlan(msgspec.Struct, frozen=True):
    """A judge with the arguments that follow what is judged."""

    judge: str
    args: tuple[ast.Arg, ...] = ()


class AgentPlan(msgspec.Struct, frozen=True):
    name: str
    params: tuple[ParamPlan, ...]
    result: Shape
    description: str | None
    model: str
    prompt: ast.Text | None
    tools: tuple[str, ...]
    judges: tuple[UsePlan, ...]
    retries: int
    timeout: float | None
    origin: Origin


class QuestionPlan(msgspec.Struct, frozen=True):
    name: str
    kind: Literal["condition", "choice", "scale"]
    text: ast.Text
    choices: tuple[str, ...] = ()
    descriptions: tuple[str | None, ...] = ()


class JudgePlan(msgspec.Struct, frozen=True):
    """`form` says how the verdict comes about; `rules` are its `let`, `require` and `case` clauses in order."""

    name: str
    form: Literal["code", "python", "ask", "rate", "decide"]
    params: tuple[ParamPlan, ...]
    description: str | None
    model: str | None
    ask: ast.Text | None
    rate: ast.Text | None
    rubric: str | None
    """One of the built-in rubrics, where `rate` names one."""
    threshold: ast.Expr | None
    questions: tuple[QuestionPlan, ...]
    state: ast.Object | None
    rules: tuple[ast.Let | ast.Require | ast.Case, ...]
    metrics: ast.Object | None
    python: HookPlan | None
    origin: Origin
    jury: tuple[str, ...] = ()
    """The models of a jury, `model` the first of them; empty where one model judges."""
    agree: Literal["majority", "all"] = "majority"

    @property
    def models(self) -> tuple[str, ...]:
        """Every model that the judge asks itself."""
        return self.jury or ((self.model,) if self.model is not None else ())


class ScorerPlan(msgspec.Struct, frozen=True):
    """`text` is the value of contains, equals and regex, maybe a template; `schema` a JSON Schema as plain data."""

    kind: Literal["contains", "equals", "regex", "schema", "length", "compiles"]
    negated: bool = False
    name: str | None = None
    text: ast.Text | None = None
    schema: Any = None
    low: int | None = None
    high: int | None = None
    language: str | None = None
    weight: str | None = None


class GateJudgePlan(msgspec.Struct, frozen=True):
    """`judge` is a declared judge, else `agent` an agent that is asked `question`."""

    always: bool
    agent: str | None
    judge: UsePlan | None
    question: ast.Text | None
    weight: str | None


class GatePlan(msgspec.Struct, frozen=True):
    name: str
    params: tuple[ParamPlan, ...]
    description: str | None
    target: ast.Expr | None
    pass_when: ast.Expr | None
    scorers: tuple[ScorerPlan, ...]
    combine: Literal["all", "any", "weighted"]
    threshold: str | None
    judge: GateJudgePlan | None
    ask_agent: str | None
    ask: ast.Text | None
    unreadable: Literal["pass", "block"]
    origin: Origin


class DecisionPlan(msgspec.Struct, frozen=True):
    """`minimum` is the literal of `confidence at least`; `cache_seconds` and `cache_key` belong together."""

    kind: Literal["condition", "choice", "scale"]
    name: str
    params: tuple[ParamPlan, ...]
    description: str | None
    model: str
    ask: ast.Text
    choices: tuple[str, ...]
    descriptions: tuple[str | None, ...]
    context: ast.Object | None
    minimum: str | None
    cache_seconds: float | None
    cache_key: ast.Expr | None
    origin: Origin


class FlowPlan(msgspec.Struct, frozen=True):
    name: str
    params: tuple[ParamPlan, ...]
    result: Shape | None
    description: str | None
    body: tuple[ast.Statement, ...]
    origin: Origin


class LimitPlan(msgspec.Struct, frozen=True):
    """`amount` is a decimal text: US dollars, a count, or seconds."""

    what: Literal["cost", "calls", "time", "tokens"]
    amount: str
    per: Literal["run", "day"]


class MemoryPlan(msgspec.Struct, frozen=True):
    history: int = 10
    compact_every: int | None = None
    keep: int | None = None
    model: str | None = None


class ProfilePlan(msgspec.Struct, frozen=True):
    """The agents, judges and models that differ, whole."""

    name: str
    description: str | None
    agents: tuple[AgentPlan, ...]
    judges: tuple[JudgePlan, ...]
    models: tuple[ModelPlan, ...]


class SuitePlan(msgspec.Struct, frozen=True):
    name: str
    flow: str
    description: str | None
    cases: str
    checks: tuple[UsePlan, ...]
    limits: tuple[LimitPlan, ...]
    labels: str | None
    cascade: Literal["stop", "all"]


class TestPlan(msgspec.Struct, frozen=True):
    name: str
    flow: str
    given: ast.Object | None
    scripts: tuple[ast.Script, ...]
    expects: tuple[ast.Expect, ...]
    origin: Origin


class ConstantPlan(msgspec.Struct, frozen=True):
    name: str
    value: ast.Expr


class Plan(msgspec.Struct, frozen=True):
    """Tables are keyed by name. `entry` is the flow that runs where none is named; None where there are several."""

    workflow: str
    version: str | None
    description: str | None
    entry: str | None
    types: dict[str, TypeInfo]
    constants: tuple[ConstantPlan, ...]
    """In an order in which each only mentions earlier ones."""
    providers: dict[str, ProviderPlan]
    models: dict[str, ModelPlan]
    tools: dict[str, ToolPlan]
    agents: dict[str, AgentPlan]
    judges: dict[str, JudgePlan]
    scorers: dict[str, ScorerPlan]
    gates: dict[str, GatePlan]
    decisions: dict[str, DecisionPlan]
    flows: dict[str, FlowPlan]
    context: ast.Object | None
    limits: tuple[LimitPlan, ...]
    memory: MemoryPlan | None
    profiles: dict[str, ProfilePlan]
    suites: dict[str, SuitePlan]
    tests: tuple[TestPlan, ...]
