"""What an evaluation adds to a program: judges that say how likely an answer is good, or which of two is better.

They are written in the language itself, so that they are asked, paid and recorded as any judge is.
"""

from __future__ import annotations

from collections.abc import Sequence
from functools import cache

import msgspec

from ...dsl import ast
from ...dsl.lower import lower
from ...dsl.parse import parse
from ...dsl.plan import JudgePlan, ModelPlan, Plan
from ...dsl.source import Source
from ..flow.versions import without_places
from ..judge.errors import ConfigurationError
from ..store.canonical import canonical_hash, short_hash

ADEQUATE, PREFERS = "adequate", "prefers"
SHARE = "measured"
"""The metric under which an added measurement stands: `measured.<question>`, a number between 0 and 1."""

_SOURCE = '''\
model decider "echo/none" { kind decision }
judge adequate(reply: json) "The answer is adequate" {
  model decider
  decide {
    adequate: condition """
      Is the reply an adequate answer to the task: relevant, complete and, as far as you can tell, correct?
      """
  }
  require adequate.value else "the answer is not adequate"
  metrics { measured: { adequate: adequate.probability } }
}
judge prefers(reply: json) "The first of two answers is the better one" {
  model decider
  state { task: reply.task, first: reply.first, second: reply.second }
  decide {
    better: choice "Which answer does the task better?" { first "The first answer"  second "The second answer" }
  }
  metrics { better: better.choice, confidence: better.confidence }
}
'''


@cache
def _added() -> Plan:
    return lower([parse(Source("evaluation.judge", _SOURCE))])


def with_judge(plan: Plan, name: str, model: ModelPlan) -> Plan:
    """The plan with `adequate` or `prefers` asked of a decision model. Its own name comes first: a declared judge of
    that name stays what it is under another one."""
    judge = msgspec.structs.replace(_added().judges[name], name=added_name(plan, name), model=model.name)
    return msgspec.structs.replace(
        plan, judges={**plan.judges, judge.name: judge}, models={**plan.models, model.name: model}
    )


def added_name(plan: Plan, name: str) -> str:
    """How an added judge is called in a program: as it is, unless the program has something of that name."""
    taken = {*plan.judges, *plan.agents, *plan.gates, *plan.flows, *plan.decisions, *plan.tools}
    while name in taken:
        name += "_"
    return name


def with_measurements(plan: Plan, name: str) -> Plan:
    """The plan with a `decide` judge that also tells the probability of each of its conditions, and where on its
    scale each scale stands, between 0 and 1."""
    judge = plan.judges[name]
    if judge.form != "decide":
        return plan
    pairs = [
        _pair(question.name, _share(question.name, question.kind, len(question.choices)))
        for question in judge.questions
        if question.kind != "choice"
    ]
    kept = judge.metrics.pairs if judge.metrics is not None else ()
    metrics = ast.Object(0, 0, (*kept, _pair(SHARE, ast.Object(0, 0, tuple(pairs)))))
    changed = msgspec.structs.replace(judge, metrics=metrics)
    return msgspec.structs.replace(plan, judges={**plan.judges, name: changed})


def _share(question: str, kind: str, levels: int) -> ast.Expr:
    name = ast.Name(0, 0, question)
    if kind == "condition":
        return ast.Field(0, 0, name, ast.Ident(0, 0, "probability"))
    score = ast.Field(0, 0, name, ast.Ident(0, 0, "score"))
    return ast.Binary(0, 0, "/", score, ast.Number(0, 0, str(levels - 1)))


def _pair(key: str, value: ast.Expr) -> ast.Pair:
    return ast.Pair(0, 0, ast.Ident(0, 0, key), value)


def decision_model(plan: Plan, wanted: str | None) -> ModelPlan:
    """The model that is asked for P(adequate): the one wanted (a declared name or a slug), else the only decision
    model. `ConfigurationError` lists what there is."""
    deciding = [name for name, model in plan.models.items() if model.kind == "decision"]
    if wanted is None:
        if len(deciding) == 1:
            return plan.models[deciding[0]]
        there = f"there are {', '.join(deciding)}" if deciding else "the file declares none"
        raise ConfigurationError(
            f"say who judges, with --judge and a judge, a decision model or a slug: {there}",
            code="eval.no-judge",
        )
    if wanted in plan.models:
        model = plan.models[wanted]
        if model.kind == "decision":
            return model
        # A chat model decides as well, by the probabilities of its tokens or a JSON answer.
        return msgspec.structs.replace(model, name=f"{wanted} decides", kind="decision")
    if "/" in wanted:
        return ModelPlan(wanted, wanted, kind="decision")
    known: Sequence[str] = [*plan.judges, *plan.models]
    raise ConfigurationError(
        f"--judge {wanted}: there is no judge and no model of that name; there are {', '.join(known) or 'none'}",
        code="eval.no-judge",
    )


def key_of(plan: Plan, judge: JudgePlan, shown: str) -> str:
    """Under which name a judge's scores are kept: with a hash of the judge and its model, so that a score is always
    that of the judge as it was asked."""
    models = {name: plan.models[name] for name in judge.models}
    data = without_places(msgspec.to_builtins([msgspec.structs.replace(judge, metrics=None), models]))
    return f"{shown}@{short_hash(canonical_hash(data))}"
