"""Scorers, gates and decisions, from clauses to Plan."""

from __future__ import annotations

import json

from .. import ast
from .. import plan as p
from ..json_schema import schema_of
from ..scorer_spec import DEFAULT_BAR
from ..shapes import Record
from .context import Context
from .values import choices_of, clause_table, plain_text, word_of


def lower_scorer(context: Context, node: ast.Scorer) -> p.ScorerPlan:
    return lower_check(context, node.check, negated=node.negated, name=node.name.text, weight=None)


def lower_check(
    context: Context, check: ast.Check, *, negated: bool, name: str | None, weight: str | None
) -> p.ScorerPlan:
    text, schema, low, high, language = None, None, None, None, None
    match check.value:
        case ast.Bounds(low=lowest, high=highest):
            low = None if lowest is None else int(float(lowest))
            high = None if highest is None else int(float(highest))
        case ast.TypeRef(name=type_name):
            schema = schema_of(context.resolved(Record(type_name)), context.types)
        case ast.Text() as value if check.kind == "schema":
            schema = json.loads(value.plain or "null")
        case ast.Text() as value if check.kind == "compiles":
            language = value.plain
        case ast.Text() as value:
            text = value
    return p.ScorerPlan(check.kind, negated, name, text, schema, low, high, language, weight)


def lower_entry_plan(context: Context, entry: ast.ScorerEntry) -> p.ScorerPlan:
    weight = entry.weight.text if entry.weight else None
    alias = entry.alias.text if entry.alias else None
    if isinstance(entry.scorer, ast.Check):
        return lower_check(context, entry.scorer, negated=entry.negated, name=alias, weight=weight)
    node = context.scorer_nodes[entry.scorer.text]
    negated = node.negated is not entry.negated
    return lower_check(context, node.check, negated=negated, name=alias or node.name.text, weight=weight)


def lower_gate(context: Context, node: ast.Gate, origin: p.Origin) -> p.GatePlan:
    clauses = clause_table(node.clauses)
    scorers, combine, ask = clauses.get("scorers"), clauses.get("combine"), clauses.get("ask")
    unreadable = clauses.get("unreadable")
    return p.GatePlan(
        name=node.name.text,
        params=context.params(node.params),
        description=plain_text(node.description),
        target=clauses.get("target"),
        pass_when=clauses.get("pass when"),
        scorers=tuple(lower_entry_plan(context, entry) for entry in scorers.items) if scorers else (),
        combine=combine.mode if combine else "all",
        threshold=_bar(combine),
        judge=lower_gate_judge(context, clauses.get("judge")),
        ask_agent=ask.agent.text if ask else None,
        ask=ask.question if ask else None,
        unreadable="block" if unreadable is not None and word_of(unreadable) == "block" else "pass",
        origin=origin,
    )


def _bar(combine: ast.Combine | None) -> str | None:
    if combine is None or combine.mode != "weighted":
        return None
    return DEFAULT_BAR if combine.at_least is None else combine.at_least.text


def lower_gate_judge(context: Context, judge: ast.GateJudge | None) -> p.GateJudgePlan | None:
    if judge is None:
        return None
    name = judge.use.name.text
    is_agent = name in context.agent_names
    return p.GateJudgePlan(
        always=judge.always,
        agent=name if is_agent else None,
        judge=None if is_agent else p.UsePlan(name, judge.use.args),
        question=judge.question,
        weight=judge.weight.text if judge.weight else None,
    )


def lower_decision(context: Context, node: ast.Decision, origin: p.Origin) -> p.DecisionPlan:
    clauses = clause_table(node.clauses)
    choices, descriptions = choices_of(clauses.get("options") or clauses.get("levels"))
    cache, minimum = clauses.get("cache"), clauses.get("confidence")
    return p.DecisionPlan(
        kind=node.kind,
        name=node.name.text,
        params=context.params(node.params),
        description=plain_text(node.description),
        model=context.model_name(clauses["model"]),
        ask=clauses["ask"],
        choices=choices,
        descriptions=descriptions,
        context=clauses.get("context"),
        minimum=minimum.text if minimum else None,
        cache_seconds=cache.ttl.seconds if cache else None,
        cache_key=cache.key if cache else None,
        origin=origin,
    )
