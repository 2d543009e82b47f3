"""A judge where it is used: on an agent, in a gate or in a suite."""

from __future__ import annotations

from .. import ast
from ..shapes import Shape
from .base import CallableSurface, Related, Report, Scope
from .env import Env
from .expressions import check_arguments
from .names import JUDGES, a, kind_of, nearest, report_unknown
from .replies import Answer, wrong_reply

_NOWHERE = Env(where="here")


def check_use(
    use: ast.Use,
    answerer: str,
    shape: Shape,
    scope: Scope,
    report: Report,
    *,
    env: Env = _NOWHERE,
    answer: Answer | None = None,
) -> CallableSurface | None:
    """The judge of a use, whose arguments and whose fit to what `answerer` answers are checked; None, and a
    finding, where it is no judge. `env` is what its arguments may mention, `answer` who answers where that
    is no agent."""
    judge = find_judge(use.name, scope, report)
    if judge is None:
        return None
    check_arguments(use, judge, env, scope, report, code="judge.wrong-arguments", skip=1)
    wrong = wrong_reply(answer or Answer(answerer, shape), judge, scope)
    if wrong is not None:
        report.add(
            "judge.wrong-reply",
            use.name,
            wrong.message,
            label=wrong.label,
            related=(Related(judge.name, "what it judges is declared here"),),
            help=wrong.help,
        )
    return judge


def find_judge(name: ast.Ident, scope: Scope, report: Report) -> CallableSurface | None:
    """The judge of that name. Something else of that name is `judge.not-a-judge`."""
    found = scope.find(name.text)
    if isinstance(found, CallableSurface) and found.kind == "judge":
        return found
    if found is None:
        help = f"Declare it: `judge {name.text} {{ … }}`."
        guess = nearest(name.text, scope, JUDGES)
        report_unknown(report, name, name.text, guess, what="judge", help=help)
        return None
    kind = kind_of(found)
    helps = {
        "agent": f'Let it judge in a gate: `judge {name.text} "…?"`, or declare a judge with its own `ask`.',
        "scorer": 'Scorers stand in gates and suites; a code judge holds such a rule: `require … else "…"`.',
        "gate": "Call a gate in a flow, after the agent.",
    }
    report.add(
        "judge.not-a-judge",
        name,
        f"`{name.text}` is {a(kind)}, not a judge",
        label="not a judge",
        related=(Related(name.text, "declared here"),),
        help=helps.get(kind, "Name a judge here."),
    )
    return None
