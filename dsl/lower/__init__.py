"""From a checked program to its Plan. Lowering trusts the checker: it is called on programs without errors only.

General layout: `values` reads clause values, `context` knows the whole program, `agents`,
`gates` and `flow` make the parts, and this file puts them together.
"""

from __future__ import annotations

import os
from collections.abc import Sequence

import msgspec

from .. import ast
from .. import plan as p
from ..parse import Module
from .agents import lower_agent, lower_agent_from, lower_judge, lower_judge_from, lower_tool
from .context import Context
from .flow import lower_suite, lower_test
from .gates import lower_decision, lower_gate, lower_scorer
from .values import clause_table, plain_text, whole_of


def lower(modules: Sequence[Module]) -> p.Plan:
    """The Plan of a program: `modules` are the file that is run and then everything that it imports."""
    return lower_plan(Context(modules))


def lower_plan(context: Context) -> p.Plan:
    context.declare_types()
    for node in context.of(ast.Model):
        context.models[node.name.text] = context.model(node)
    workflow = next(iter(context.of(ast.Workflow)), None)
    flows = {node.name.text: lower_flow(context, node, origin) for node, origin in context.placed(ast.Flow)}
    shared = next(iter(context.of(ast.Context)), None)
    agents = {
        node.name.text: lower_agent(context, node, origin) for node, origin in context.placed(ast.Agent)
    }
    judges = {
        node.name.text: lower_judge(context, node, origin) for node, origin in context.placed(ast.Judge)
    }
    stem = os.path.splitext(os.path.basename(context.main.source.path))[0]
    return p.Plan(
        workflow=workflow.name.text if workflow else stem,
        version=plain_text(workflow.version) if workflow else None,
        description=plain_text(workflow.description) if workflow else None,
        entry=lower_entry(context),
        types=context.types,
        constants=tuple(p.ConstantPlan(node.name.text, node.value) for node in context.of(ast.Constant)),
        providers={node.name.text: context.provider(node) for node in context.of(ast.Provider)},
        tools={
            node.name.text: lower_tool(context, node, origin) for node, origin in context.placed(ast.Tool)
        },
        agents=agents,
        judges=judges,
        scorers={name: lower_scorer(context, node) for name, node in context.scorer_nodes.items()},
        gates={
            node.name.text: lower_gate(context, node, origin) for node, origin in context.placed(ast.Gate)
        },
        decisions={
            node.name.text: lower_decision(context, node, o) for node, o in context.placed(ast.Decision)
        },
        flows=flows,
        context=shared.value if shared else None,
        limits=tuple(limit for node in context.of(ast.LimitsDecl) for limit in lower_limits(node.limits)),
        memory=lower_memory(context, next(iter(context.of(ast.Memory)), None)),
        profiles={
            node.name.text: lower_profile(context, node, agents, judges) for node in context.of(ast.Profile)
        },
        suites={
            node.name.text: lower_suite(node, context.uses, lower_limits) for node in context.of(ast.Suite)
        },
        tests=tuple(
            lower_test(item.node, context.origin(module, item, text=item.text))
            for module, item in context.items
            if isinstance(item.node, ast.Test)
        ),
        models=context.models,
    )


def lower_entry(context: Context) -> str | None:
    """`main`, else the only flow of the file that is run."""
    names = [item.node.name.text for item in context.main.items if isinstance(item.node, ast.Flow)]
    if "main" in names:
        return "main"
    return names[0] if len(names) == 1 else None


def lower_flow(context: Context, node: ast.Flow, origin: p.Origin) -> p.FlowPlan:
    return p.FlowPlan(
        name=node.name.text,
        params=context.params(node.params),
        result=context.shape(node.shape) if node.shape else None,
        description=plain_text(node.description),
        body=node.body,
        origin=origin,
    )


def lower_memory(context: Context, node: ast.Memory | None) -> p.MemoryPlan | None:
    if node is None:
        return None
    clauses = clause_table(node.clauses)
    compact = clauses.get("compact")
    history = whole_of(clauses.get("history"))
    return p.MemoryPlan(
        history=10 if history is None else history,
        compact_every=whole_of(compact.every) if compact else None,
        keep=whole_of(compact.keep) if compact else None,
        model=context.model_name(compact.model) if compact else None,
    )


def lower_profile(
    context: Context, node: ast.Profile, agents: dict[str, p.AgentPlan], judges: dict[str, p.JudgePlan]
) -> p.ProfilePlan:
    changed_agents, changed_judges, changed_models = [], [], []
    for override in node.overrides:
        name = override.name.text
        clauses = override.clauses
        if override.kind == "agent" and name in agents:
            table = clause_table([clause for clause in clauses if isinstance(clause, ast.Clause)])
            changed_agents.append(lower_agent_from(context, table, agents[name]))
        elif override.kind == "judge" and name in judges:
            changed_judges.append(lower_judge_from(context, clauses, judges[name]))
        elif override.kind == "model" and name in context.models and override.slug is not None:
            # Only the slug differs: the price and the settings that were declared for the model still hold.
            changed_models.append(
                msgspec.structs.replace(context.models[name], slug=override.slug.plain or "")
            )
    return p.ProfilePlan(
        name=node.name.text,
        description=plain_text(node.description),
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
