"""Agents: their model, prompt, tools and judges."""

from __future__ import annotations

import msgspec

from .. import ast
from ..diagnostics import Label
from ..shapes import Shape, Text, Unknown
from ..suggest import closest
from .base import CallableSurface, Related, Report, Scope
from .builtins import RUN
from .clauses import check_clauses, example
from .env import Env
from .expressions import check_template
from .families import Meeting, clash, flow_reaching
from .model_refs import check_kind, check_model_ref, is_blank
from .names import find_callable, listed, report_unknown, ticked
from .params import check_params
from .shapes import check_shape
from .surface import shape_of
from .texts import check_plain
from .uses import check_use


def agent_env(params: dict[str, Shape]) -> Env:
    """What an agent's prompt may mention."""
    return Env({"task": Unknown(), "run": RUN, **params}, where="in a prompt")


def check_agent(node: ast.Agent, scope: Scope, report: Report) -> None:
    check_plain(node.description, "a description", report)
    params = check_params(node.params, scope, report)
    if node.shape is not None:
        check_shape(node.shape, scope, report)
    name = node.name
    found = check_clauses("agent", name, node.clauses, report)
    env = agent_env(params)
    models: tuple[str, ...] = ()
    tools: tuple[str, ...] = ()
    for keyword, clause in found.items():
        value = clause.value
        if keyword == "model" and isinstance(value, ast.ModelRef):
            models = _check_model(name, value, scope, report)
        elif keyword == "prompt" and isinstance(value, ast.Text):
            check_template(value, env, scope, report)
        elif keyword == "tools" and isinstance(value, ast.Names):
            tools = check_tools(value, scope, report)
    judges = found.get("judges")
    if judges is not None and isinstance(judges.value, ast.Uses):
        judged = Judged(name.text, Text() if node.shape is None else shape_of(node.shape), models, tools)
        judge_env = Env(params, where="in the arguments of a judge")
        _check_judges(judges.value, judged, judge_env, scope, report)


def _check_model(name: ast.Ident, ref: ast.ModelRef, scope: Scope, report: Report) -> tuple[str, ...]:
    if is_blank(ref):
        report.add(
            "clause.missing",
            ref,
            f"`{name.text}` has no model: its slug is blank",
            label="blank",
            help=example("agent", "model"),
        )
        return ()
    model = check_model_ref(ref, scope, report)
    if model is None:
        return ()
    check_kind(ref, model, "chat", f"`{name.text}` writes text", report)
    return (ref.text,)


def check_tools(names: ast.Names, scope: Scope, report: Report) -> tuple[str, ...]:
    seen: dict[str, ast.Ident] = {}
    for name in names.items:
        first = seen.setdefault(name.text, name)
        if first is not name:
            _report_again(name, first, report)
            continue
        head, _, function = name.text.partition(".")
        tool = find_callable(ast.Ident(name.start, name.start + len(head), head), "tool", scope, report)
        if tool is None or not function:
            continue
        if not tool.functions:
            report.add(
                "name.unknown",
                name,
                f"`{head}` is one function, so it has no `{function}`",
                label="no such function",
                related=(Related(head, "declared here"),),
                help=f"Write `{head}`.",
            )
        elif function not in tool.functions and tool.functions != ("*",):
            offered = [f"{head}.{each}" for each in tool.functions]
            report_unknown(report, name, name.text, closest(name.text, offered), what="function")
    return tuple(seen)


def _report_again(name: ast.Ident, first: ast.Ident, report: Report) -> None:
    report.add(
        "name.duplicate",
        name,
        f"`{name.text}` is listed twice",
        label="again",
        labels=(Label(first.start, first.end, "the first one"),),
        help="Remove one of the two.",
    )


class Judged(msgspec.Struct, frozen=True):
    """An agent as its judges meet it: what it answers with, its models and its tools."""

    name: str
    answer: Shape
    models: tuple[str, ...]
    tools: tuple[str, ...]


def _check_judges(uses: ast.Uses, agent: Judged, env: Env, scope: Scope, report: Report) -> None:
    seen: dict[str, ast.Use] = {}
    compared: set[str] = set()
    for use in uses.items:
        if not use.args:
            first = seen.setdefault(use.name.text, use)
            if first is not use:
                _report_again(use.name, first.name, report)
                continue
        judge = check_use(use, agent.name, agent.answer, scope, report, env=env)
        if judge is None:
            continue
        if not judge.code and judge.name not in compared:
            compared.add(judge.name)
            _check_family(agent, use, judge, scope, report)
        _check_tools_read(agent, use, judge, report)


def _check_family(agent: Judged, use: ast.Use, judge: CallableSurface, scope: Scope, report: Report) -> None:
    found = clash(judge.models, agent.models, scope)
    if found is None:
        return
    related = (Related(judge.name, f"judges with {found.judge_slug}"),)
    meeting = Meeting(judge.name, agent.name, found, flow_reaching(agent.name, scope))
    meeting.report(use.name, f"also {found.family}", related, report)


def _check_tools_read(agent: Judged, use: ast.Use, judge: CallableSurface, report: Report) -> None:
    """A judge that reads the calls of a tool which the agent does not have always finds none."""
    if not judge.calls:
        return
    tools = agent.tools
    heads = {tool.partition(".")[0] for tool in tools}
    missing = [
        tool
        for tool in judge.calls
        if tool not in tools and (tool.partition(".")[0] not in heads or _other_function(tool, tools))
    ]
    if missing:
        report.add(
            "judge.wrong-arguments",
            use.name,
            f"`{judge.name}` reads the calls of {listed(ticked(missing))}, "
            f"which `{agent.name}` does not have",
            label="finds no calls",
            related=(Related(judge.name, "reads them here"),),
            help=f"Give it to the agent: `tools [{', '.join((*tools, *missing))}]`.",
            severity="warning",
        )


def _other_function(tool: str, tools: tuple[str, ...]) -> bool:
    """Whether the agent has other functions of the tool's server, but neither this one nor all of them."""
    head, _, function = tool.partition(".")
    return bool(function) and head not in tools
