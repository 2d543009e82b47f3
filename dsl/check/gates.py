"""Gates: free checks first, a model only where they do not decide."""

from __future__ import annotations

from collections.abc import Mapping

from .. import ast
from ..shapes import Shape, Text
from .base import CallableSurface, NamedSurface, Related, Report, Scope
from .builtins import RUN
from .clauses import Clauses, check_clauses, report_exclusive, report_misplaced
from .env import Env
from .expressions import check_condition, check_template, infer
from .fit import describe
from .gate_bounds import check_bounds
from .gate_weights import check_weights
from .names import a, find_callable, kind_of, nearest, report_unknown
from .params import check_params, report_duplicate
from .replies import Answer
from .scorers import check_check
from .texts import check_not_blank, check_plain
from .uses import check_use


def gate_env(params: Mapping[str, Shape]) -> Env:
    """What every text and expression of a gate may mention."""
    return Env({"run": RUN, **params}, where="in a gate")


def check_gate(node: ast.Gate, scope: Scope, report: Report) -> None:
    check_plain(node.description, "a description", report)
    params = check_params(node.params, scope, report)
    if not node.params:
        report.add(
            "clause.missing",
            node.name,
            f"`{node.name.text}` has no parameter for what it checks",
            label="what does it check?",
            help=f"gate {node.name.text}(input) {{ … }}",
        )
    found = check_clauses("gate", node.name, node.clauses, report)
    env = gate_env(params)
    target = _check_target(found, env, params, scope, report)
    passing = found.get("pass when")
    if passing is not None:
        check_condition(passing.value, env, scope, report)  # type: ignore[arg-type]
    entries = _entries(found)
    before = len(report.findings)
    _check_entries(entries, env, scope, report)
    sound = len(report.findings) == before
    judge = found.get("judge")
    ask = found.get("ask")
    if judge is not None and isinstance(judge.value, ast.GateJudge):
        answer = Answer(node.name.text, target, "checks", "gate", "gate {name}(input: {shape})")
        _check_judge(answer, judge.value, env, scope, report)
    if ask is not None and isinstance(ask.value, ast.Ask):
        _check_ask(ask.value, env, scope, report)
    if judge is not None and ask is not None:
        message = f"`{node.name.text}` asks one party: its judge, or the agent of `ask`"
        report_exclusive(ask, judge, message, report)
    _check_unreadable(node, found, scope, report)
    if not (entries or passing or judge or ask):
        report.add(
            "clause.missing",
            node.name,
            f"`{node.name.text}` checks nothing: it has no scorers, no condition to pass and nobody to ask",
            label="checks nothing",
            help="Add:\nscorers { length 1..5000 }",
        )
        return
    if check_weights(node, found, entries, report) and sound:
        check_bounds(node, found, entries, report)


def _entries(found: Clauses) -> tuple[ast.ScorerEntry, ...]:
    scorers = found.get("scorers")
    return scorers.value.items if scorers is not None and isinstance(scorers.value, ast.ScorerEntries) else ()


def _check_target(
    found: Clauses, env: Env, params: Mapping[str, Shape], scope: Scope, report: Report
) -> Shape:
    """The shape of what is checked: the target, else the first parameter."""
    target = found.get("target")
    if target is None:
        return next(iter(params.values()), Text())
    return infer(target.value, env, scope, report)  # type: ignore[arg-type]


# --- scorers ----------------------------------------------------------------------------------------------


def _check_entries(entries: tuple[ast.ScorerEntry, ...], env: Env, scope: Scope, report: Report) -> None:
    names: dict[str, ast.Ident] = {}
    for entry in entries:
        if isinstance(entry.scorer, ast.Check):
            check_check(entry.scorer, env, scope, report)
        else:
            _check_reference(entry.scorer, scope, report)
        name = entry.alias or (entry.scorer if isinstance(entry.scorer, ast.Ident) else None)
        if name is None:
            continue
        first = names.setdefault(name.text, name)
        if first is not name:
            report_duplicate(name, first, "scorer", report)


def _check_reference(name: ast.Ident, scope: Scope, report: Report) -> None:
    found = scope.find(name.text)
    if isinstance(found, NamedSurface) and found.kind == "scorer":
        return
    if found is None:
        help = f'Declare it: `scorer {name.text} contains "…"`.'
        guess = nearest(name.text, scope, frozenset({"scorer"}))
        report_unknown(report, name, name.text, guess, what="scorer", help=help)
        return
    is_judge = isinstance(found, CallableSurface) and found.kind == "judge"
    report.add(
        "name.unknown",
        name,
        f"`{name.text}` is {a(kind_of(found))}, not a scorer",
        label="not a scorer",
        related=(Related(name.text, "declared here"),),
        help=f"A judge stands beside the scorers: `judge {name.text}`."
        if is_judge
        else "Name a scorer here.",
    )


# --- who is asked -----------------------------------------------------------------------------------------


def _check_judge(gate: Answer, judge: ast.GateJudge, env: Env, scope: Scope, report: Report) -> None:
    """The judge of a gate: an agent with a question, or a declared judge, which has its own."""
    name = judge.use.name
    found = scope.find(name.text)
    if judge.question is not None:
        check_template(judge.question, env, scope, report)
    if isinstance(found, CallableSurface) and found.kind == "agent":
        _check_agent(found, judge, report)
        return
    declared = check_use(judge.use, gate.name, gate.shape, scope, report, env=env, answer=gate)
    if declared is not None and judge.question is not None:
        report.add(
            "clause.misplaced",
            judge.question,
            f"`{name.text}` is a judge and has its own question",
            label="has no effect here",
            related=(Related(name.text, "declared here"),),
            help='Remove the text, or name an agent: `judge some_agent "…"`.',
        )


def _check_agent(agent: CallableSurface, judge: ast.GateJudge, report: Report) -> None:
    name = judge.use.name
    example = f'judge {name.text} "Is this good enough?"'
    _check_asked(agent, name, report)
    if judge.use.args:
        report.add(
            "judge.wrong-arguments",
            judge.use.args[0],
            f"`{name.text}` is an agent: a gate sends it the question and what is checked, nothing else",
            label="remove it",
            help=example,
        )
    if judge.question is None:
        message = f"`{name.text}` is an agent, so it needs a question"
        report.add("clause.missing", name, message, label="which question?", help=example)
    else:
        check_not_blank(judge.question, "the question", report, example)


def _check_ask(ask: ast.Ask, env: Env, scope: Scope, report: Report) -> None:
    check_template(ask.question, env, scope, report)
    check_not_blank(ask.question, "the question", report, f'ask {ask.agent.text} "VERDICT: PASS or BLOCK?"')
    found = scope.find(ask.agent.text)
    if isinstance(found, CallableSurface) and found.kind == "judge":
        report.add(
            "name.unknown",
            ask.agent,
            f"`{ask.agent.text}` is {a(kind_of(found))}: a gate asks agents, and lets judges judge",
            label="not an agent",
            related=(Related(ask.agent.text, "declared here"),),
            help=f"judge {ask.agent.text}",
        )
        return
    agent = find_callable(ask.agent, "agent", scope, report)
    if agent is not None:
        _check_asked(agent, ask.agent, report)


def _check_asked(agent: CallableSurface, at: ast.Ident, report: Report) -> None:
    """A gate sends one text and reads a verdict from the text that comes back."""
    needed = [param.name for param in agent.params if not (param.optional or param.has_default)]
    if len(needed) > 1 or (needed and agent.params[0].name != needed[0]):
        report.add(
            "flow.wrong-arguments",
            at,
            f"A gate sends one text, but `{agent.name}` takes {len(agent.params)} arguments",
            label=f"needs {' and '.join(f'`{name}`' for name in needed)}",
            related=(Related(agent.name, "declared here"),),
            help="Name an agent that takes one text, such as one without parameters.",
        )
    if not isinstance(agent.result, Text):
        report.add(
            "shape.mismatch",
            at,
            f"A gate reads a verdict from a text, but `{agent.name}` answers with {describe(agent.result)}",
            label=f"answers with {describe(agent.result)}",
            related=(Related(agent.name, "declared here"),),
            help="Name an agent without a shape, or a judge.",
        )


def _check_unreadable(node: ast.Gate, found: Clauses, scope: Scope, report: Report) -> None:
    """What an unreadable verdict means: only an agent's can be unreadable."""
    clause, judge, ask = found.get("unreadable"), found.get("judge"), found.get("ask")
    policy = clause.value.text if clause is not None and isinstance(clause.value, ast.Ident) else None
    if clause is not None and policy not in ("pass", "block"):
        report.add(
            "value.range",
            clause.value,
            "An unreadable verdict means pass or block",
            label="`pass` or `block`",
            help="unreadable block",
        )
        return
    if judge is None and ask is None:
        if clause is not None:
            message = f"`{node.name.text}` asks nobody, so no verdict of it can be unreadable"
            report_misplaced(clause, message, "Remove it, or add a judge.", report)
        return
    asked = _asked(judge, ask)
    if asked is None:
        return
    surface = scope.find(asked.text)
    if not isinstance(surface, CallableSurface):
        return
    if surface.kind == "judge":
        if policy == "pass" and clause is not None:
            _report_fail_open(node, surface, clause, report)
        return
    if surface.kind == "agent" and clause is None:
        report.add(
            "gate.fails-open",
            asked,
            f"`{node.name.text}` passes when the verdict of `{asked.text}` cannot be read",
            label="an unreadable verdict passes",
            help="Write `unreadable block`, or `unreadable pass` if that is meant.",
            severity="hint",
        )


def _asked(judge: ast.Clause | None, ask: ast.Clause | None) -> ast.Ident | None:
    if judge is not None and isinstance(judge.value, ast.GateJudge):
        return judge.value.use.name
    return ask.value.agent if ask is not None and isinstance(ask.value, ast.Ask) else None


def _report_fail_open(node: ast.Gate, judge: CallableSurface, clause: ast.Clause, report: Report) -> None:
    verb = "rating" if judge.form == "rate" else "verdict"
    report.add(
        "judge.fail-open",
        clause,
        f"`{judge.name}` is a judge, and a {verb} of it that cannot be read never passes: "
        f"`{node.name.text}` cannot wish for that",
        label="cannot be",
        related=(Related(judge.name, "declared here"),),
        help="Remove it, or write `unreadable block`.",
    )
