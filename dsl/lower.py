"""From a checked program to its Plan. Lowering trusts the checker: it is only called on programs without errors."""

from __future__ import annotations

import json
import os
from collections.abc import Iterable, Sequence
from typing import Any, TypeVar

from . import ast
from . import plan as p
from .json_schema import schema_of
from .lower_flow import lower_suite, lower_test
from .parse import Item, Module
from .shapes import FieldInfo, ListOf, Record, Shape, Text, TypeInfo
from .shapes import Union as UnionShape
from .surface import shape_of

DEFAULT_RATE_THRESHOLD = ast.Number(0, 0, "0.7")

V = TypeVar("V")


def lower(modules: Sequence[Module]) -> p.Plan:
    """The Plan of a program: `modules` are the file that is run and then everything that it imports."""
    return _Lowering(modules).plan()


class _Lowering:
    def __init__(self, modules: Sequence[Module]) -> None:
        self.root = os.path.dirname(modules[0].source.path)
        self.main = modules[0]
        self.items = [(module, item) for module in modules for item in module.items if item.node is not None]
        self.models: dict[str, p.ModelPlan] = {}
        self.aliases: dict[str, Shape] = {}
        self.types: dict[str, TypeInfo] = {}
        self.agent_names = {node.name.text for node in self.of(ast.Agent)}
        self.scorer_nodes = {node.name.text: node for node in self.of(ast.Scorer)}

    def of(self, kind: type[V]) -> list[V]:
        return [item.node for _, item in self.items if isinstance(item.node, kind)]

    def placed(self, kind: type[V]) -> list[tuple[V, p.Origin]]:
        return [
            (item.node, self.origin(module, item))
            for module, item in self.items
            if isinstance(item.node, kind)
        ]

    def origin(self, module: Module, item: Item) -> p.Origin:
        assert item.node is not None
        line, _ = module.source.position(item.offset + item.node.start)
        return p.Origin(self.relative(module.source.path), item.offset, line)

    def relative(self, path: str) -> str:
        return os.path.relpath(path, self.root or ".").replace(os.sep, "/")

    def plan(self) -> p.Plan:
        self.declare_types()
        for node in self.of(ast.Model):
            self.models[node.name.text] = self.model(node)
        workflow = next(iter(self.of(ast.Workflow)), None)
        flows = {node.name.text: self.flow(node, origin) for node, origin in self.placed(ast.Flow)}
        context = next(iter(self.of(ast.Context)), None)
        agents = {node.name.text: self.agent(node, origin) for node, origin in self.placed(ast.Agent)}
        judges = {node.name.text: self.judge(node, origin) for node, origin in self.placed(ast.Judge)}
        stem = os.path.splitext(os.path.basename(self.main.source.path))[0]
        return p.Plan(
            workflow=workflow.name.text if workflow else stem,
            version=_plain(workflow.version) if workflow else None,
            description=_plain(workflow.description) if workflow else None,
            entry=self.entry(),
            types=self.types,
            constants=tuple(p.ConstantPlan(node.name.text, node.value) for node in self.of(ast.Constant)),
            providers={node.name.text: self.provider(node) for node in self.of(ast.Provider)},
            tools={node.name.text: self.tool(node, origin) for node, origin in self.placed(ast.Tool)},
            agents=agents,
            judges=judges,
            scorers={name: self.scorer(node) for name, node in self.scorer_nodes.items()},
            gates={node.name.text: self.gate(node, origin) for node, origin in self.placed(ast.Gate)},
            decisions={node.name.text: self.decision(node, o) for node, o in self.placed(ast.Decision)},
            flows=flows,
            context=context.value if context else None,
            limits=tuple(limit for node in self.of(ast.LimitsDecl) for limit in lower_limits(node.limits)),
            memory=self.memory(next(iter(self.of(ast.Memory)), None)),
            profiles={node.name.text: self.profile(node, agents, judges) for node in self.of(ast.Profile)},
            suites={
                node.name.text: lower_suite(node, self.uses, lower_limits) for node in self.of(ast.Suite)
            },
            tests=tuple(lower_test(node, origin) for node, origin in self.placed(ast.Test)),
            models=self.models,
        )

    def entry(self) -> str | None:
        """`main`, else the only flow of the file that is run."""
        names = [item.node.name.text for item in self.main.items if isinstance(item.node, ast.Flow)]
        if "main" in names:
            return "main"
        return names[0] if len(names) == 1 else None

    # types and shapes

    def declare_types(self) -> None:
        for node in self.of(ast.Type):
            if node.alias is not None:
                self.aliases[node.name.text] = shape_of(node.alias)
        for node in self.of(ast.Type):
            if node.alias is None:
                self.types[node.name.text] = TypeInfo(
                    name=node.name.text,
                    fields=tuple(
                        FieldInfo(f.name.text, self.shape(f.shape), f.optional, _plain(f.description))
                        for f in node.fields
                    ),
                    extends=node.extends.text if node.extends else None,
                    description=_plain(node.description),
                )

    def shape(self, node: ast.ShapeNode) -> Shape:
        return self.resolved(shape_of(node))

    def resolved(self, shape: Shape) -> Shape:
        match shape:
            case Record(name) if name in self.aliases:
                return self.resolved(self.aliases[name])
            case ListOf(item, low, high):
                return ListOf(self.resolved(item), low, high)
            case UnionShape(options):
                flat: list[Shape] = []
                for option in map(self.resolved, options):
                    flat.extend(option.options if isinstance(option, UnionShape) else (option,))
                return UnionShape(tuple(flat))
        return shape

    def params(self, params: Iterable[ast.Param]) -> tuple[p.ParamPlan, ...]:
        return tuple(
            p.ParamPlan(
                name=param.name.text,
                shape=self.shape(param.shape) if param.shape else Text(),
                optional=param.optional,
                default=param.default,
                hidden=param.hidden,
            )
            for param in params
        )

    # models and providers

    def model_name(self, ref: Any) -> str:
        """The key of a model in the Plan; a slug in quotes becomes a model of that name."""
        assert isinstance(ref, ast.ModelRef)
        if ref.quoted and ref.text not in self.models:
            self.models[ref.text] = p.ModelPlan(name=ref.text, slug=ref.text)
        return ref.text

    def model(self, node: ast.Model) -> p.ModelPlan:
        clauses = _table(node.clauses)
        price = clauses.get("price")
        fallback = clauses.get("fallback")
        kind = clauses.get("kind")
        return p.ModelPlan(
            name=node.name.text,
            slug=node.slug.plain or "",
            via=node.via.text if node.via else None,
            kind="decision" if kind is not None and _word(kind) == "decision" else "chat",
            temperature=_float(clauses.get("temperature")),
            max_tokens=_int(clauses.get("max_tokens")),
            timeout=_seconds(clauses.get("timeout")),
            retries=_int(clauses.get("retries")),
            price_in=price.input.text if price else None,
            price_out=price.output.text if price else None,
            fallback=tuple(self.model_name(ref) for ref in fallback.items) if fallback else (),
            concurrency=_int(clauses.get("concurrency")),
            rounding=_int(clauses.get("rounding")),
        )

    def provider(self, node: ast.Provider) -> p.ProviderPlan:
        clauses = _table(node.clauses)
        headers = clauses.get("headers")
        api = clauses.get("api")
        return p.ProviderPlan(
            name=node.name.text,
            api=_word(api) if api is not None else "openai",
            url=_setting(clauses.get("url")),
            key=_setting(clauses.get("key")),
            headers=tuple((h.name, _setting(h.value) or "") for h in headers.items) if headers else (),
            rounding=_int(clauses.get("rounding")),
        )

    # tools, agents, judges

    def hook(self, text: ast.Text | None, origin: p.Origin) -> p.HookPlan | None:
        if text is None:
            return None
        file, _, function = (text.plain or "").rpartition(":")
        folder = os.path.dirname(origin.file)
        return p.HookPlan(os.path.normpath(os.path.join(folder, file)).replace(os.sep, "/"), function)

    def tool(self, node: ast.Tool, origin: p.Origin) -> p.ToolPlan:
        clauses = _table(node.clauses)
        mcp, secret = clauses.get("mcp"), clauses.get("secret")
        return p.ToolPlan(
            name=node.name.text,
            params=self.params(node.params),
            result=self.shape(node.shape) if node.shape else None,
            description=_plain(node.description),
            python=self.hook(clauses.get("python"), origin),
            mcp=mcp.command.plain if mcp else None,
            only=tuple(name.text for name in mcp.only.items) if mcp and mcp.only else (),
            timeout=_seconds(clauses.get("timeout")),
            secret=tuple(name.text for name in secret.items) if secret else (),
            origin=origin,
        )

    def uses(self, uses: ast.Uses | None) -> tuple[p.UsePlan, ...]:
        return tuple(p.UsePlan(use.name.text, use.args) for use in uses.items) if uses else ()

    def agent(self, node: ast.Agent, origin: p.Origin) -> p.AgentPlan:
        return self.agent_from(
            _table(node.clauses),
            p.AgentPlan(
                name=node.name.text,
                params=self.params(node.params),
                result=self.shape(node.shape) if node.shape else Text(),
                description=_plain(node.description),
                model="",
                prompt=None,
                tools=(),
                judges=(),
                retries=1,
                timeout=None,
                origin=origin,
            ),
        )

    def agent_from(self, clauses: dict[str, Any], base: p.AgentPlan) -> p.AgentPlan:
        """The agent with the clauses that are given replacing those of `base`."""
        retries = _int(clauses.get("retries"))
        return p.AgentPlan(
            name=base.name,
            params=base.params,
            result=base.result,
            description=base.description,
            model=self.model_name(clauses["model"]) if "model" in clauses else base.model,
            prompt=clauses.get("prompt", base.prompt),
            tools=tuple(n.text for n in clauses["tools"].items) if "tools" in clauses else base.tools,
            judges=self.uses(clauses["judges"]) if "judges" in clauses else base.judges,
            retries=base.retries if retries is None else retries,
            timeout=_seconds(clauses["timeout"]) if "timeout" in clauses else base.timeout,
            origin=base.origin,
        )

    def judge(self, node: ast.Judge, origin: p.Origin) -> p.JudgePlan:
        params = self.params(node.params) if node.params else (p.ParamPlan("reply", Text()),)
        base = p.JudgePlan(
            name=node.name.text,
            form="code",
            params=params,
            description=_plain(node.description),
            model=None,
            ask=None,
            rate=None,
            rubric=None,
            threshold=None,
            questions=(),
            state=None,
            rules=(),
            metrics=None,
            python=None,
            origin=origin,
        )
        return self.judge_from(node.clauses, base)

    def judge_from(self, clauses: Sequence[ast.JudgeClause], base: p.JudgePlan) -> p.JudgePlan:
        table = _table([clause for clause in clauses if isinstance(clause, ast.Clause)])
        rules = tuple(clause for clause in clauses if not isinstance(clause, ast.Clause))
        rate = table.get("rate", base.rate)
        rubric = base.rubric if "rate" not in table else None
        if isinstance(rate, ast.Ident | ast.Name):
            rate, rubric = None, _word(rate)
        ask = table.get("ask", base.ask)
        questions = self.questions(table["decide"]) if "decide" in table else base.questions
        python = self.hook(table.get("python"), base.origin) or base.python
        form: Any = base.form
        for name, given in (
            ("ask", ask),
            ("rate", rate or rubric),
            ("decide", questions),
            ("python", python),
        ):
            form = name if given else form
        threshold = table.get("threshold", base.threshold)
        return p.JudgePlan(
            name=base.name,
            form=form,
            params=base.params,
            description=base.description,
            model=self.model_name(table["model"]) if "model" in table else base.model,
            ask=ask,
            rate=rate,
            rubric=rubric,
            threshold=threshold or (DEFAULT_RATE_THRESHOLD if form == "rate" else None),
            questions=questions,
            state=table.get("state", base.state),
            rules=rules or base.rules,
            metrics=table.get("metrics", base.metrics),
            python=python,
            origin=base.origin,
        )

    def questions(self, questions: ast.Questions) -> tuple[p.QuestionPlan, ...]:
        found = []
        for question in questions.items:
            choices, descriptions = _choices(question.options)
            found.append(
                p.QuestionPlan(question.name.text, question.kind, question.text, choices, descriptions)
            )
        return tuple(found)

    # scorers and gates

    def scorer(self, node: ast.Scorer) -> p.ScorerPlan:
        return self.check(node.check, negated=node.negated, name=node.name.text, weight=None)

    def check(self, check: ast.Check, *, negated: bool, name: str | None, weight: str | None) -> p.ScorerPlan:
        text, schema, low, high, language = None, None, None, None, None
        match check.value:
            case ast.Bounds(low=lowest, high=highest):
                low = None if lowest is None else int(float(lowest))
                high = None if highest is None else int(float(highest))
            case ast.TypeRef(name=type_name):
                schema = schema_of(self.resolved(Record(type_name)), self.types)
            case ast.Text() as value if check.kind == "schema":
                schema = json.loads(value.plain or "null")
            case ast.Text() as value if check.kind == "compiles":
                language = value.plain
            case ast.Text() as value:
                text = value
        return p.ScorerPlan(check.kind, negated, name, text, schema, low, high, language, weight)

    def entry_plan(self, entry: ast.ScorerEntry) -> p.ScorerPlan:
        weight = entry.weight.text if entry.weight else None
        alias = entry.alias.text if entry.alias else None
        if isinstance(entry.scorer, ast.Check):
            return self.check(entry.scorer, negated=entry.negated, name=alias, weight=weight)
        node = self.scorer_nodes[entry.scorer.text]
        negated = node.negated is not entry.negated
        return self.check(node.check, negated=negated, name=alias or node.name.text, weight=weight)

    def gate(self, node: ast.Gate, origin: p.Origin) -> p.GatePlan:
        clauses = _table(node.clauses)
        scorers, combine, ask = clauses.get("scorers"), clauses.get("combine"), clauses.get("ask")
        unreadable = clauses.get("unreadable")
        return p.GatePlan(
            name=node.name.text,
            params=self.params(node.params),
            description=_plain(node.description),
            target=clauses.get("target"),
            pass_when=clauses.get("pass when"),
            scorers=tuple(self.entry_plan(entry) for entry in scorers.items) if scorers else (),
            combine=combine.mode if combine else "all",
            threshold=combine.at_least.text if combine and combine.at_least else None,
            judge=self.gate_judge(clauses.get("judge")),
            ask_agent=ask.agent.text if ask else None,
            ask=ask.question if ask else None,
            unreadable="block" if unreadable is not None and _word(unreadable) == "block" else "pass",
            origin=origin,
        )

    def gate_judge(self, judge: ast.GateJudge | None) -> p.GateJudgePlan | None:
        if judge is None:
            return None
        name = judge.use.name.text
        is_agent = name in self.agent_names
        return p.GateJudgePlan(
            always=judge.always,
            agent=name if is_agent else None,
            judge=None if is_agent else p.UsePlan(name, judge.use.args),
            question=judge.question,
            weight=judge.weight.text if judge.weight else None,
        )

    # decisions, flows, settings

    def decision(self, node: ast.Decision, origin: p.Origin) -> p.DecisionPlan:
        clauses = _table(node.clauses)
        choices, descriptions = _choices(clauses.get("options") or clauses.get("levels"))
        cache, minimum = clauses.get("cache"), clauses.get("confidence")
        return p.DecisionPlan(
            kind=node.kind,
            name=node.name.text,
            params=self.params(node.params),
            description=_plain(node.description),
            model=self.model_name(clauses["model"]),
            ask=clauses["ask"],
            choices=choices,
            descriptions=descriptions,
            context=clauses.get("context"),
            minimum=minimum.text if minimum else None,
            cache_seconds=cache.ttl.seconds if cache else None,
            cache_key=cache.key if cache else None,
            origin=origin,
        )

    def flow(self, node: ast.Flow, origin: p.Origin) -> p.FlowPlan:
        return p.FlowPlan(
            name=node.name.text,
            params=self.params(node.params),
            result=self.shape(node.shape) if node.shape else None,
            description=_plain(node.description),
            body=node.body,
            origin=origin,
        )

    def memory(self, node: ast.Memory | None) -> p.MemoryPlan | None:
        if node is None:
            return None
        clauses = _table(node.clauses)
        compact = clauses.get("compact")
        history = _int(clauses.get("history"))
        return p.MemoryPlan(
            history=10 if history is None else history,
            compact_every=_int(compact.every) if compact else None,
            keep=_int(compact.keep) if compact else None,
            model=self.model_name(compact.model) if compact else None,
        )

    def profile(
        self, node: ast.Profile, agents: dict[str, p.AgentPlan], judges: dict[str, p.JudgePlan]
    ) -> p.ProfilePlan:
        changed_agents, changed_judges, changed_models = [], [], []
        for override in node.overrides:
            name = override.name.text
            clauses = override.clauses
            if override.kind == "agent" and name in agents:
                table = _table([clause for clause in clauses if isinstance(clause, ast.Clause)])
                changed_agents.append(self.agent_from(table, agents[name]))
            elif override.kind == "judge" and name in judges:
                changed_judges.append(self.judge_from(clauses, judges[name]))
            elif override.kind == "model" and name in self.models and override.slug is not None:
                base = self.models[name]
                changed_models.append(p.ModelPlan(base.name, override.slug.plain or "", kind=base.kind))
        return p.ProfilePlan(
            name=node.name.text,
            description=_plain(node.description),
            agents=tuple(changed_agents),
            judges=tuple(changed_judges),
            models=tuple(changed_models),
        )


def lower_limits(limits: ast.Limits) -> tuple[p.LimitPlan, ...]:
    found = []
    for limit in limits.items:
        amount = limit.amount
        text = str(amount.seconds) if isinstance(amount, ast.Duration) else amount.text
        found.append(p.LimitPlan(limit.what, text, limit.per))
    return tuple(found)


def _table(clauses: Sequence[ast.Clause]) -> dict[str, Any]:
    return {clause.keyword: clause.value for clause in clauses}


def _plain(text: ast.Text | None) -> str | None:
    return None if text is None else text.plain


def _word(value: Any) -> str:
    return value.text if isinstance(value, ast.Ident) else str(getattr(value, "id", ""))


def _int(value: Any) -> int | None:
    return int(value.value) if isinstance(value, ast.Number) else None


def _float(value: Any) -> float | None:
    return float(value.value) if isinstance(value, ast.Number) else None


def _seconds(value: Any) -> float | None:
    return value.seconds if isinstance(value, ast.Duration) else None


def _setting(value: Any) -> str | p.EnvPlan | None:
    if isinstance(value, ast.Env):
        return p.EnvPlan(value.name)
    return value.plain if isinstance(value, ast.Text) else None


def _choices(options: ast.Options | ast.Texts | None) -> tuple[tuple[str, ...], tuple[str | None, ...]]:
    match options:
        case ast.Options(items=items):
            return tuple(item.name.text for item in items), tuple(_plain(item.description) for item in items)
        case ast.Texts(items=texts):
            return tuple(text.plain or "" for text in texts), (None,) * len(texts)
    return (), ()
