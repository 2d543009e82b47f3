"""Agents, their judges and tools, from clauses to Plan."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from .. import ast
from .. import plan as p
from ..shapes import Text
from .context import Context
from .values import choices_of, clause_table, plain_text, seconds_of, whole_of, word_of

DEFAULT_RATE_THRESHOLD = ast.Number(0, 0, "0.7")


def lower_tool(context: Context, node: ast.Tool, origin: p.Origin) -> p.ToolPlan:
    clauses = clause_table(node.clauses)
    mcp, secret = clauses.get("mcp"), clauses.get("secret")
    return p.ToolPlan(
        name=node.name.text,
        params=context.params(node.params),
        result=context.shape(node.shape) if node.shape else None,
        description=plain_text(node.description),
        python=context.hook(clauses.get("python"), origin),
        mcp=mcp.command.plain if mcp else None,
        only=tuple(name.text for name in mcp.only.items) if mcp and mcp.only else (),
        timeout=seconds_of(clauses.get("timeout")),
        secret=tuple(name.text for name in secret.items) if secret else (),
        origin=origin,
    )


def lower_agent(context: Context, node: ast.Agent, origin: p.Origin) -> p.AgentPlan:
    return lower_agent_from(
        context,
        clause_table(node.clauses),
        p.AgentPlan(
            name=node.name.text,
            params=context.params(node.params),
            result=context.shape(node.shape) if node.shape else Text(),
            description=plain_text(node.description),
            model="",
            prompt=None,
            tools=(),
            judges=(),
            retries=1,
            timeout=None,
            origin=origin,
        ),
    )


def lower_agent_from(context: Context, clauses: dict[str, Any], base: p.AgentPlan) -> p.AgentPlan:
    """The agent with the clauses that are given replacing those of `base`."""
    retries = whole_of(clauses.get("retries"))
    return p.AgentPlan(
        name=base.name,
        params=base.params,
        result=base.result,
        description=base.description,
        model=context.model_name(clauses["model"]) if "model" in clauses else base.model,
        prompt=clauses.get("prompt", base.prompt),
        tools=tuple(n.text for n in clauses["tools"].items) if "tools" in clauses else base.tools,
        judges=context.uses(clauses["judges"]) if "judges" in clauses else base.judges,
        retries=base.retries if retries is None else retries,
        timeout=seconds_of(clauses["timeout"]) if "timeout" in clauses else base.timeout,
        origin=base.origin,
    )


def lower_judge(context: Context, node: ast.Judge, origin: p.Origin) -> p.JudgePlan:
    params = context.params(node.params) if node.params else (p.ParamPlan("reply", Text()),)
    base = p.JudgePlan(
        name=node.name.text,
        form="code",
        params=params,
        description=plain_text(node.description),
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
    return lower_judge_from(context, node.clauses, base)


def lower_judge_from(context: Context, clauses: Sequence[ast.JudgeClause], base: p.JudgePlan) -> p.JudgePlan:
    table = clause_table([clause for clause in clauses if isinstance(clause, ast.Clause)])
    rules = tuple(clause for clause in clauses if not isinstance(clause, ast.Clause))
    rate = table.get("rate", base.rate)
    rubric = base.rubric if "rate" not in table else None
    if isinstance(rate, ast.Ident | ast.Name):
        rate, rubric = None, word_of(rate)
    ask = table.get("ask", base.ask)
    questions = lower_questions(context, table["decide"]) if "decide" in table else base.questions
    python = context.hook(table.get("python"), base.origin) or base.python
    form: Any = base.form
    for name, given in (
        ("ask", ask),
        ("rate", rate or rubric),
        ("decide", questions),
        ("python", python),
    ):
        form = name if given else form
    threshold = table.get("threshold", base.threshold)
    model, jury = base.model, base.jury
    if "model" in table:
        named = table["model"]
        jury = tuple(map(context.model_name, named.items)) if isinstance(named, ast.Models) else ()
        model = jury[0] if jury else context.model_name(named)
    return p.JudgePlan(
        name=base.name,
        form=form,
        params=base.params,
        description=base.description,
        model=model,
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
        jury=jury,
        agree=table["agree"].text if "agree" in table else base.agree,
    )


def lower_questions(context: Context, questions: ast.Questions) -> tuple[p.QuestionPlan, ...]:
    found = []
    for question in questions.items:
        choices, descriptions = choices_of(question.options)
        found.append(p.QuestionPlan(question.name.text, question.kind, question.text, choices, descriptions))
    return tuple(found)
