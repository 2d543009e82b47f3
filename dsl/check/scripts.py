"""The scripts of a test: who answers what, and who has to be scripted at all."""

from __future__ import annotations

from collections.abc import Sequence

from .. import ast
from ..diagnostics import Label
from ..shapes import Bool, Int, Shape, Text, Unknown
from ..suggest import closest
from .base import CallableSurface, ModelSurface, Report, Scope, Surface
from .decides import check_decides
from .env import Env
from .expressions import check_condition, infer
from .families import reachable
from .names import a, kind_of, listed, nearest, replace_fix, ticked
from .scripted_values import Values

PEOPLE = "approve"
SCRIPTED = {
    "agent": "replies",
    "condition": "decides",
    "choice": "decides",
    "scale": "decides",
    "tool": "returns",
}
"""What each kind does in a script; a judge replies or decides by its form."""


def check_scripts(
    node: ast.Test, flow: CallableSurface | None, env: Env, scope: Scope, report: Report
) -> None:
    """Every script, and what `flow` reaches without one. `env` is what a scripted value may mention."""
    certain: dict[str, ast.Script] = {}
    for script in node.scripts:
        _check_script(script, env, scope, report)
        first = certain.get(script.name.text)
        if first is not None:
            _report_never_used(script, first, report)
        elif script.when is None:
            certain[script.name.text] = script
    if flow is not None:
        _check_unscripted(node, flow, scope, report)


def _check_script(script: ast.Script, env: Env, scope: Scope, report: Report) -> None:
    name = script.name.text
    found = scope.find(name) or scope.find(name.partition(".")[0])
    if isinstance(found, CallableSurface) and found.kind in (*SCRIPTED, "judge"):
        if found.code:
            _report_code_judge(script, found, scope, report)
        elif _check_verb(script, found, report):
            _check_answers(script, found, env, scope, report)
        _check_when(script, found, env, scope, report)
    elif name == PEOPLE:
        if script.verb != "replies":
            _report_verb(script, "People", "replies", report)
        for answer in one_by_one(script.value):
            Values(env, scope, report).check(answer, Bool(), "the answer of a person")
        _check_when(script, None, env, scope, report)
    else:
        _report_not_scripted(script, found, scope, report)


def one_by_one(value: ast.Expr) -> Sequence[ast.Expr]:
    """A list holds one answer per call; anything else is the answer to every call."""
    return value.items if isinstance(value, ast.ListExpr) else (value,)


def verbs_of(found: CallableSurface) -> tuple[str, ...]:
    """What may stand after a scripted name. A judge in Python may ask its model either way."""
    if found.kind != "judge":
        return (SCRIPTED[found.kind],)
    if found.form == "python":
        return ("replies", "decides")
    return ("decides",) if found.form == "decide" else ("replies",)


def _check_verb(script: ast.Script, found: CallableSurface, report: Report) -> bool:
    allowed = verbs_of(found)
    if script.verb in allowed:
        return True
    _report_verb(script, f"`{found.name}` is {a(kind_of(found))}: it", allowed[0], report)
    return False


def _report_verb(script: ast.Script, who: str, verb: str, report: Report) -> None:
    report.add(
        "test.wrong-shape",
        script.name,
        f"{who} {verb}, and does not {script.verb.removesuffix('s').replace('replie', 'reply')}",
        label=f"`{script.verb}` is for something else",
        help=f"{script.name.text} {verb} …",
    )


def _check_answers(
    script: ast.Script, found: CallableSurface, env: Env, scope: Scope, report: Report
) -> None:
    for answer in one_by_one(script.value) if script.verb != "returns" else (script.value,):
        call = tool_call_of(answer) if found.kind == "agent" else None
        if call is not None:
            _check_tool_call(call, env, scope, report)
        elif script.verb == "decides":
            check_decides(answer, found, env, scope, report)
        elif found.kind == "tool" and isinstance(found.result, Unknown):
            infer(answer, env, scope, report)
        else:
            shape, what = _expected(found)
            Values(env, scope, report).check(answer, shape, what)


def _expected(found: CallableSurface) -> tuple[Shape, str]:
    """The shape of a scripted answer, and what it is called."""
    if found.kind == "judge":
        return Text(), f"the reply of `{found.name}`'s model"
    return found.result, f"the {'answer' if found.kind == 'agent' else 'result'} of `{found.name}`"


def tool_call_of(answer: ast.Expr) -> dict[str, ast.Expr] | None:
    """`{ call: "get_order", input: { … } }`: the agent uses a tool instead of answering."""
    if not isinstance(answer, ast.Object):
        return None
    pairs = {pair.key.text: pair.value for pair in answer.pairs}
    return pairs if "call" in pairs and pairs.keys() <= {"call", "input"} else None


def _check_tool_call(call: dict[str, ast.Expr], env: Env, scope: Scope, report: Report) -> None:
    name = call["call"]
    written = name.plain if isinstance(name, ast.Text) else None
    if written is None:
        infer(name, env, scope, report)
        return
    tool = scope.find(written.partition(".")[0])
    if not isinstance(tool, CallableSurface) or tool.kind != "tool":
        guess = nearest(written, scope, frozenset({"tool"}))
        report.add(
            "test.wrong-shape",
            name,
            f"There is no tool `{written}` to call",
            label="not a tool",
            help=f"Did you mean `{guess}`?" if guess else "",
        )
        return
    given = call.get("input")
    if not isinstance(given, ast.Object) or tool.functions:
        return
    params = {param.name: param for param in tool.params}
    for pair in given.pairs:
        param = params.get(pair.key.text)
        if param is not None:
            Values(env, scope, report).check(pair.value, param.shape, f"`{param.name}` of `{tool.name}`")
        else:
            report_no_parameter(pair.key, tool, report, code="test.wrong-shape")


def _report_never_used(script: ast.Script, first: ast.Script, report: Report) -> None:
    report.add(
        "clause.duplicate",
        script.name,
        f"An earlier line for `{script.name.text}` answers every call, so this one is never used",
        label="never used",
        labels=(Label(first.name.start, first.name.end, "answers every call"),),
        help="The first line that fits answers: put those with `when` first, or write a list, one answer a call.",
    )


def _check_when(
    script: ast.Script, found: CallableSurface | None, env: Env, scope: Scope, report: Report
) -> None:
    """`when` sees the parameters of what is called, the task and the attempt."""
    if script.when is None:
        return
    for param in found.params if found is not None else ():
        env = env.bind(param.name, param.shape)
    env = env.bind("task", Unknown()).bind("attempt", Int())
    check_condition(script.when, env, scope, report)


def _report_code_judge(script: ast.Script, found: CallableSurface, scope: Scope, report: Report) -> None:
    report.add(
        "test.code-judge-scripted",
        script.name,
        f"`{found.name}` is a code judge: it calls no model, so there is nothing to script",
        label="decides by its rules alone",
        help="It runs as it is. Script the agent that it judges, or the tools that it reads.",
    )


def _report_not_scripted(script: ast.Script, found: Surface | None, scope: Scope, report: Report) -> None:
    name = script.name.text
    if found is None:
        guess = nearest(name, scope, frozenset({*SCRIPTED, "judge"}), (PEOPLE,))
        report.add(
            "name.unknown",
            script.name,
            f"There is nothing called `{name}` to script",
            label="not declared",
            help=f"Did you mean `{guess}`?" if guess else "",
        )
        return
    what = a(kind_of(found))
    calls = found.calls if isinstance(found, CallableSurface) else ()
    calls = tuple(name for name in calls if _is_scriptable(name, scope))
    report.add(
        "test.wrong-shape",
        script.name,
        f"`{name}` is {what}: it has no answers of its own to script",
        label="calls no model itself",
        help=f"Script what it calls: {listed(ticked(calls))}."
        if calls
        else "Script agents, judges, decisions and tools by their names.",
    )


def _is_scriptable(name: str, scope: Scope) -> bool:
    found = scope.find(name)
    return isinstance(found, CallableSurface) and found.kind in (*SCRIPTED, "judge") and not found.code


def report_no_parameter(
    key: ast.Ident, callee: CallableSurface, report: Report, code: str = "flow.wrong-arguments"
) -> None:
    names = [param.name for param in callee.params]
    guess = closest(key.text, names)
    report.add(
        code,
        key,
        f"`{callee.name}` has no parameter `{key.text}`",
        label="no such parameter",
        help=f"Did you mean `{guess}`?" if guess else f"It takes {listed(ticked(names)) or 'nothing'}.",
        fixes=(replace_fix(key, guess),) if guess else (),
    )


# --- what has no script -------------------------------------------------------------------------------------


def _check_unscripted(node: ast.Test, flow: CallableSurface, scope: Scope, report: Report) -> None:
    """An error where the call is certain, else one hint for everything that the flow may reach."""
    scripted = {script.name.text for script in node.scripts}
    reached = [found for found in reachable(flow.name, scope) if _needs_script(found, scope)]
    certain: set[str] = set()
    for script in node.scripts:
        agent = scope.find(script.name.text)
        if not isinstance(agent, CallableSurface) or agent.kind != "agent":
            continue
        for judge in agent.judges:
            found = scope.find(judge)
            missing = (
                isinstance(found, CallableSurface) and _needs_script(found, scope) and judge not in scripted
            )
            if isinstance(found, CallableSurface) and missing and judge not in certain:
                certain.add(judge)
                report.add(
                    "test.unscripted-model",
                    script.name,
                    f"`{judge}` judges every answer of `{agent.name}`, and has no script",
                    label="scripted, but its judge is not",
                    help=f"Script it too: `{judge} {verbs_of(found)[0]} …`.",
                )
    unscripted = [f for f in reached if f.name not in scripted and f.name not in certain]
    agents = {f.name for f in unscripted if f.kind == "agent"}
    names = [f.name for f in unscripted if f.kind != "judge" or not _only_judges(f.name, agents, scope)]
    if names:
        report.add(
            "test.unscripted-model",
            node.name,
            f"This test has no script for {listed(ticked(names))}",
            label="it fails if it reaches one of them" if len(names) > 1 else "it fails if it reaches it",
            help="A test makes no call: script what this path reaches.",
            severity="hint",
        )


def _needs_script(found: CallableSurface, scope: Scope) -> bool:
    """Whether it asks a model that a test may not call."""
    for name in found.models:
        model = scope.find(name)
        slug = model.slug if isinstance(model, ModelSurface) else name
        if slug.partition("/")[0] not in ("script", "echo"):
            return True
    return False


def _only_judges(judge: str, agents: set[str], scope: Scope) -> bool:
    """Whether a judge is reached through these agents, which have no script themselves."""
    found = [scope.find(agent) for agent in agents]
    return any(isinstance(agent, CallableSurface) and judge in agent.judges for agent in found)
