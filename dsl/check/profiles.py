"""Profiles: the agents, judges and models that differ are there, and what differs is sound."""

from __future__ import annotations

from collections.abc import Iterator

import msgspec

from .. import ast
from ..diagnostics import Label
from ..shapes import Shape
from .agents import agent_env, check_tools
from .base import CallableSurface, Related, Report, Scope, SuiteSurface
from .builtins import decision_shape
from .cases import check_cases
from .clauses import Clauses, check_clauses
from .env import Env
from .expressions import check_template, infer
from .families import Clash, Meeting, clash, flow_reaching, reachable
from .fit import answered
from .judges import check_asking, judge_env, rule_env
from .juries import check_jury, members
from .model_refs import check_kind, check_model_ref
from .names import find_callable
from .rules import check_rules
from .surface import with_defaults
from .texts import check_not_blank, check_plain
from .uses import check_use


def check_profile(node: ast.Profile, scope: Scope, report: Report) -> None:
    check_plain(node.description, "a description", report)
    seen: dict[tuple[str, str], ast.Override] = {}
    changes = Changes({}, {}, {})
    for override in node.overrides:
        first = seen.setdefault((override.kind, override.name.text), override)
        if first is not override:
            _report_again(override, first, report)
        elif override.kind == "model":
            _check_model(override, changes, scope, report)
        elif override.kind == "agent":
            _check_agent(override, changes, scope, report)
        else:
            _check_judge(override, changes, scope, report)
    _check_families(node, changes, scope, report)


class Changes(msgspec.Struct, frozen=True):
    """What a profile changes that decides who judges whom: slugs by model, and models and judges by their
    owner."""

    slugs: dict[str, str]
    models: dict[str, tuple[str, ...]]
    judges: dict[str, tuple[str, ...]]


def _report_again(override: ast.Override, first: ast.Override, report: Report) -> None:
    report.add(
        "clause.duplicate",
        override.name,
        f"The {override.kind} `{override.name.text}` stands twice in this profile",
        label="again",
        labels=(Label(first.name.start, first.name.end, "the first one"),),
        help="Put both differences into one of them.",
    )


def _check_model(override: ast.Override, changes: Changes, scope: Scope, report: Report) -> None:
    name = override.name
    ref = ast.ModelRef(name.start, name.end, name.text, False)
    found = check_model_ref(ref, scope, report)
    slug = override.slug
    if slug is None or check_plain(slug, "a slug", report) is None:
        return
    if check_not_blank(slug, "the slug of a model", report, f'model {name.text} "vendor/name"') and found:
        changes.slugs[name.text] = slug.plain or ""


def _check_agent(override: ast.Override, changes: Changes, scope: Scope, report: Report) -> None:
    found = find_callable(override.name, "agent", scope, report)
    clauses = check_clauses("agent", override.name, override.clauses, report, partial=True)
    if found is None:
        return
    params = _params(found, scope)
    for clause in clauses.values():
        match clause.value:
            case ast.ModelRef() as ref:
                if _fits_kind(ref, "chat", f"`{found.name}` writes", scope, report):
                    changes.models[found.name] = (ref.text,)
            case ast.Text() as prompt:
                check_template(prompt, agent_env(params), scope, report)
            case ast.Names() as tools:
                check_tools(tools, scope, report)
            case ast.Uses() as uses:
                env = Env(params, where="in the arguments of a judge")
                for use in uses.items:
                    check_use(use, found.name, found.result, scope, report, env=env)
                changes.judges[found.name] = tuple(use.name.text for use in uses.items)


def _check_judge(override: ast.Override, changes: Changes, scope: Scope, report: Report) -> None:
    found = find_callable(override.name, "judge", scope, report)
    clauses = check_clauses("judge", override.name, override.clauses, report, partial=True)
    if found is None:
        return
    form = next((word for word in ("python", "decide", "rate", "ask") if word in clauses), found.form)
    model = clauses.get("model")
    refs = members(model)
    if model is not None and found.code:
        _report_code_judge(model, found, report)
    elif not found.code:
        check_jury(found.name, clauses, report, python=form == "python", jury=len(found.models) > 1)
        kind = "decision" if form == "decide" else "chat"
        because = f"`{found.name}` asks typed questions" if form == "decide" else f"`{found.name}` asks"
        fitting = [ref.text for ref in refs if _fits_kind(ref, kind, because, scope, report)]
        if fitting:
            changes.models[found.name] = tuple(fitting)
    node = ast.Judge(override.start, override.end, override.name, found.code, None, None, override.clauses)
    env = judge_env(node, _params(found, scope), scope)
    check_asking(clauses, env, scope, report)
    rules = [clause for clause in override.clauses if not isinstance(clause, ast.Clause)]
    after = check_rules(rules, _rule_env(env, form, clauses, found), scope, report)
    cases = [rule for rule in rules if isinstance(rule, ast.Case)]
    if cases:
        check_cases(node, cases, after, scope, report)
    metrics = clauses.get("metrics")
    if metrics is not None and isinstance(metrics.value, ast.Object):
        infer(metrics.value, after, scope, report)


def _rule_env(env: Env, form: str, clauses: Clauses, found: CallableSurface) -> Env:
    """What the judge's model said; its questions are the declared ones where the profile asks no others."""
    env = rule_env(env, form, clauses)
    if "decide" not in clauses and form == found.form:
        for question in found.questions:
            shape = decision_shape(question.kind, question.options, declared=False)
            env = env.bind(question.name, shape)
    return env


def _params(found: CallableSurface, scope: Scope) -> dict[str, Shape]:
    """A callable's parameters as what stands inside it sees them."""
    return {
        param.name: answered(with_defaults(param.shape, param.optional and not param.has_default), scope)
        for param in found.params
    }


def _fits_kind(ref: ast.ModelRef, kind: str, because: str, scope: Scope, report: Report) -> bool:
    """Whether there is such a model; one of the wrong kind is reported."""
    model = check_model_ref(ref, scope, report)
    if model is not None:
        check_kind(ref, model, kind, because, report)
    return model is not None


def _report_code_judge(clause: ast.Clause, found: CallableSurface, report: Report) -> None:
    report.add(
        "judge.model-on-code-judge",
        (clause.start, clause.start + len("model")),
        f"`{found.name}` is a code judge, which calls no model, but this profile names one",
        label="a code judge has no model",
        related=(Related(found.name, "declared with `code`"),),
        help="Remove it.",
    )


# --- families -----------------------------------------------------------------------------------------------


def _check_families(node: ast.Profile, changes: Changes, scope: Scope, report: Report) -> None:
    """Pairs of an agent and a judge that the profile puts into one family, reported once for each."""
    for agent in _agents(scope):
        for name in changes.judges.get(agent.name, agent.judges):
            judge = scope.find(name)
            if not isinstance(judge, CallableSurface) or judge.kind != "judge" or judge.code:
                continue
            judging = changes.models.get(judge.name, judge.models)
            answering = changes.models.get(agent.name, agent.models)
            found = clash(judging, answering, scope, changes.slugs)
            if found is None or (name in agent.judges and clash(judge.models, agent.models, scope)):
                continue
            _report_meeting(node, agent, judge, found, flow_reaching(agent.name, scope), scope, report)
    for suite in _suites(scope):
        _check_suite(node, suite, changes, scope, report)


def _check_suite(
    node: ast.Profile, suite: SuiteSurface, changes: Changes, scope: Scope, report: Report
) -> None:
    """A suite may run under any profile: its judges are held against every agent that its flow can reach."""
    agents = [found for found in reachable(suite.flow, scope) if found.kind == "agent"]
    for judge in map(scope.find, suite.checks):
        if not isinstance(judge, CallableSurface) or judge.kind != "judge" or judge.code:
            continue
        for agent in agents:
            judging = changes.models.get(judge.name, judge.models)
            answering = changes.models.get(agent.name, agent.models)
            found = clash(judging, answering, scope, changes.slugs)
            judged_anyway = judge.name in changes.judges.get(agent.name, agent.judges)
            if found is not None and not judged_anyway and not clash(judge.models, agent.models, scope):
                _report_meeting(node, agent, judge, found, suite.flow, scope, report)


def _report_meeting(
    node: ast.Profile,
    agent: CallableSurface,
    judge: CallableSurface,
    found: Clash,
    flow: str | None,
    scope: Scope,
    report: Report,
) -> None:
    related = (Related(agent.name, "this agent"), Related(judge.name, "this judge"))
    meeting = Meeting(judge.name, agent.name, found, flow, node.name.text)
    meeting.report(_cause(node, agent, judge, scope), f"both are {found.family} now", related, report)


def _suites(scope: Scope) -> Iterator[SuiteSurface]:
    for name in scope.names():
        found = scope.find(name)
        if isinstance(found, SuiteSurface):
            yield found


def _agents(scope: Scope) -> Iterator[CallableSurface]:
    for name in scope.names():
        found = scope.find(name)
        if isinstance(found, CallableSurface) and found.kind == "agent":
            yield found


def _cause(node: ast.Profile, agent: CallableSurface, judge: CallableSurface, scope: Scope) -> ast.Ident:
    """The override that brings them together: of the agent, of the judge, else of a model of theirs."""
    wanted = (("agent", agent.name), ("judge", judge.name))
    for kind, name in wanted:
        for override in node.overrides:
            if (override.kind, override.name.text) == (kind, name):
                return override.name
    models = {*agent.models, *judge.models}
    found = (o.name for o in node.overrides if o.kind == "model" and o.name.text in models)
    return next(found, node.name)
