"""Suites: the flow is there, the cases are there, and every check can look at what the flow answers."""

from __future__ import annotations

from .. import ast
from ..shapes import Json
from .base import CallableSurface, NamedSurface, Related, Report, Scope
from .clauses import check_clauses
from .env import Env
from .families import Meeting, clash, reachable
from .files import Files
from .names import a, kind_of, listed, nearest, replace_fix, ticked
from .replies import Answer
from .settings import check_limit_items
from .texts import check_plain
from .uses import check_use

_CHECKS = Env({"case": Json()}, where="in the arguments of a check")
CASE_KINDS = (".jsonl", ".json", ".csv", ".yaml", ".yml")


def check_suite(node: ast.Suite, scope: Scope, report: Report, files: Files) -> None:
    flow = find_flow(node.flow, scope, report)
    check_plain(node.description, "a description", report)
    clauses = check_clauses("suite", node.name, node.clauses, report)
    cases = clauses.get("cases")
    if cases is None:
        report.add(
            "suite.no-cases",
            node.name,
            f"The suite `{node.name.text}` has no cases",
            label="nothing to run",
            help='Name the file that holds them:\ncases "golden.jsonl"',
        )
    elif isinstance(cases.value, ast.Text):
        _check_file(cases.value, "cases", report, files)
    labels = clauses.get("labels")
    if labels is not None and isinstance(labels.value, ast.Text):
        _check_file(labels.value, "labels", report, files)
    limits = clauses.get("limits")
    if limits is not None and isinstance(limits.value, ast.Limits):
        check_limit_items(limits.value.items, report)
    checks = clauses.get("checks")
    if checks is not None and isinstance(checks.value, ast.Uses):
        for use in checks.value.items:
            check_suite_use(use, flow, scope, report)
        if flow is not None:
            check_families(node, checks.value, flow, scope, report)


def find_flow(name: ast.Ident, scope: Scope, report: Report) -> CallableSurface | None:
    """The flow that a suite or test names."""
    found = scope.find(name.text)
    if isinstance(found, CallableSurface) and found.kind == "flow":
        return found
    guess = nearest(name.text, scope, frozenset({"flow"}))
    flows = tuple(scope.callables("flow"))
    report.add(
        "flow.unknown-entry",
        name,
        f"There is no flow `{name.text}`",
        label="not declared" if found is None else f"this is {a(kind_of(found))}",
        help=f"Did you mean `{guess}`?" if guess else f"There are {listed(ticked(flows))}." if flows else "",
        fixes=(replace_fix(name, guess),) if guess else (),
    )
    return None


def _check_file(text: ast.Text, what: str, report: Report, files: Files) -> None:
    path = check_plain(text, "a file's name", report)
    if path is None:
        return
    if not path.lower().endswith(CASE_KINDS):
        report.add(
            "suite.no-cases",
            text,
            f"{path or 'An empty name'} is no file of {what} that can be read",
            label="expected .jsonl, .json, .csv or .yaml",
        )
    elif not files.exists(path):
        report.add(
            "suite.no-cases",
            text,
            f"There is no file {path}",
            label="looked for beside this file",
            help="A path is relative to the folder of the file that it stands in.",
        )


def check_suite_use(use: ast.Use, flow: CallableSurface | None, scope: Scope, report: Report) -> None:
    """A check of a suite: a judge of what the flow answers, or a scorer."""
    found = scope.find(use.name.text)
    if isinstance(found, NamedSurface) and found.kind == "scorer":
        if use.args:
            report.add(
                "judge.wrong-arguments",
                use,
                f"The scorer `{use.name.text}` takes no arguments",
                label="remove them",
            )
        return
    if flow is not None:
        answer = Answer(flow.name, flow.result, declare="flow {name}(…) -> {shape}")
        check_use(use, flow.name, flow.result, scope, report, env=_CHECKS, answer=answer)


def check_families(
    node: ast.Suite, checks: ast.Uses, flow: CallableSurface, scope: Scope, report: Report
) -> None:
    """A suite's judges are held against every agent that its flow can reach."""
    agents = [found for found in reachable(flow.name, scope) if found.kind == "agent"]
    for use in checks.items:
        judge = scope.find(use.name.text)
        if not isinstance(judge, CallableSurface) or judge.kind != "judge" or judge.code:
            continue
        for agent in agents:
            found = clash(judge.models, agent.models, scope)
            if found is not None:
                label = f"judges answers of {found.family} with a model of {found.family}"
                related = (Related(agent.name, "this agent's answers"),)
                Meeting(judge.name, agent.name, found, flow.name).report(use, label, related, report)
