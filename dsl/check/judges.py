"""Judges: their form, their model and their rules."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from .. import ast
from ..diagnostics import Edit, Fix
from ..shapes import ListOf, Shape, Text, Variant
from .base import Report, Scope
from .builtins import (
    FORM_NAMES,
    JUDGE_FUNCTIONS,
    JUDGE_NAMES,
    MOST_QUESTIONS,
    RUBRICS,
    decision_shape,
)
from .cases import check_cases
from .clauses import (
    Clauses,
    check_clauses,
    keyword_span,
    report_exclusive,
    report_misplaced,
)
from .env import Absent, Env
from .expressions import check_template, infer
from .fit import answered
from .juries import check_jury, members
from .model_refs import check_kind, check_model_ref, is_blank
from .models import check_word
from .names import listed
from .params import check_params, report_duplicate
from .questions import check_levels, check_options, check_question_text
from .rules import check_fail_open, check_looks_at_score, check_rules
from .surface import choices_of
from .texts import check_not_blank, check_plain

FORMS = ("ask", "rate", "decide")
"""The clauses that ask a model."""


def check_judge(node: ast.Judge, scope: Scope, report: Report) -> None:
    check_plain(node.description, "a description", report)
    params = _check_params(node, scope, report)
    found = check_clauses("judge", node.name, node.clauses, report)
    form = _check_form(node, found, report)
    _check_model(node, found, form, scope, report)
    env = judge_env(node, params, scope)
    check_asking(found, env, scope, report)
    rules = [clause for clause in node.clauses if not isinstance(clause, ast.Clause)]
    inner = rule_env(env, form, found)
    after = check_rules(rules, inner, scope, report)
    check_cases(node, [rule for rule in rules if isinstance(rule, ast.Case)], after, scope, report)
    if form == "rate":
        check_fail_open(rules, report)
        check_looks_at_score(node, found["rate"], rules, report)
    metrics = found.get("metrics")
    if metrics is not None and isinstance(metrics.value, ast.Object):
        infer(metrics.value, after, scope, report)
    _check_has_rule(node, found, rules, form, report)


def _check_params(node: ast.Judge, scope: Scope, report: Report) -> Mapping[str, Shape]:
    if node.params is None:
        return {"reply": Text()}
    params = check_params(node.params, scope, report)
    if not node.params:
        report.add(
            "judge.wrong-arguments",
            node.name,
            f"`{node.name.text}` has no parameter for what it judges",
            label="what does it judge?",
            help=f"{_head(node)}judge {node.name.text}(reply: text)",
        )
    return params or {"reply": Text()}


def _head(node: ast.Judge) -> str:
    return "code " if node.code else ""


# --- what may be mentioned --------------------------------------------------------------------------------


def judge_env(node: ast.Judge, params: Mapping[str, Shape], scope: Scope) -> Env:
    """What every text and rule of a judge may mention, its form's own names left out."""
    first = next(iter(params))
    judged = answered(params[first], scope)
    absent: dict[str, Absent] = {}
    names: dict[str, Shape] = {builtin.name: builtin.shape for builtin in JUDGE_NAMES}
    if isinstance(judged, ListOf) and isinstance(judged.item, Variant):
        del names["variant"]
        types = listed(judged.item.options)
        absent["variant"] = Absent(
            "shape.no-field",
            f"A judge of a list of {types} has no `variant`: each item has its own",
            f"Ask an item: `item is {judged.item.options[0]}`, or `item.variant`.",
        )
    names.update(params)
    names["reply"] = names[first] = judged
    return Env(
        names,
        functions=JUDGE_FUNCTIONS,
        where="in a judge",
        absent=absent,
        judged=tuple(dict.fromkeys(("reply", first))),
    )


def rule_env(env: Env, form: str, found: Clauses) -> Env:
    """What rules and metrics may mention: also what the judge's model said."""
    builtin = FORM_NAMES.get(form)
    if builtin is not None:
        env = env.bind(builtin.name, builtin.shape)
    decide = found.get("decide")
    if decide is not None and isinstance(decide.value, ast.Questions):
        for question in decide.value.items:
            options = choices_of(question.options)
            env = env.bind(question.name.text, decision_shape(question.kind, options, declared=False))
    return env


# --- form and model ---------------------------------------------------------------------------------------


def _check_form(node: ast.Judge, found: Clauses, report: Report) -> str:
    """How the judge comes to its verdict; more than one way is reported."""
    asking = sorted((found[form] for form in FORMS if form in found), key=lambda clause: clause.start)
    for clause in asking[1:]:
        message = f"`{node.name.text}` asks in one way: `ask`, `rate` or `decide`"
        report_exclusive(clause, asking[0], message, report, "Keep one, or write a second judge.")
    python = found.get("python")
    if python is not None:
        rule = next((rule for rule in node.clauses if not isinstance(rule, ast.Clause)), None)
        name = node.name.text
        if asking:
            message = f"`{name}` is decided by its Python function, which asks the model itself"
            report_exclusive(python, asking[0], message, report)
        elif rule is not None:
            report.add(
                "clause.misplaced",
                rule,
                f"`{name}` is decided by its Python function alone, so this rule has no effect",
                label="has no effect here",
                help="Write the rule into the function, or into a judge of its own.",
            )
        for keyword in ("metrics", "threshold", "state"):
            if keyword in found:
                message = f"`{name}` is decided by its Python function alone, so `{keyword}` has no effect"
                report_misplaced(found[keyword], message, "Let the function do it.", report)
        return "python"
    form = asking[0].keyword if asking else "code"
    if "threshold" in found and form != "rate":
        help = 'Rate the reply (`rate "clarity"`), or write the bar as a rule: `require …`.'
        report_misplaced(
            found["threshold"], "`threshold` is the bar of a rating, and nothing is rated here", help, report
        )
    rule = next((rule for rule in node.clauses if isinstance(rule, ast.Require | ast.Case)), None)
    if "threshold" in found and form == "rate" and rule is not None:
        message = "Rules stand instead of a threshold, so `threshold` has no effect beside them"
        report_misplaced(found["threshold"], message, "Write the bar as a rule, or remove the rules.", report)
    if "state" in found and form != "decide":
        help = "Mention what the model needs in the question: `{{ reply }}`."
        report_misplaced(
            found["state"], "`state` is what `decide` sees, and nothing is decided here", help, report
        )
    return form


def _check_model(node: ast.Judge, found: Clauses, form: str, scope: Scope, report: Report) -> None:
    refs = members(found.get("model"))
    if node.code:
        _check_code_judge(node, found, form, report)
        return
    check_jury(node.name.text, found, report, python=form == "python")
    if not refs and "model" not in found:
        _report_no_model(node, None, found, form, report)
    for ref in refs:
        if is_blank(ref):
            _report_no_model(node, ref, found, form, report)
        else:
            _check_member(node, ref, form, scope, report)


def _check_member(node: ast.Judge, ref: ast.ModelRef, form: str, scope: Scope, report: Report) -> None:
    surface = check_model_ref(ref, scope, report)
    if surface is None:
        return
    name = node.name.text
    if form in ("ask", "rate"):
        verb = "asks for an opinion" if form == "ask" else "rates"
        check_kind(ref, surface, "chat", f"`{name}` {verb}", report)
    elif form == "decide":
        check_kind(ref, surface, "decision", f"`{name}` asks typed questions", report)


def _check_code_judge(node: ast.Judge, found: Clauses, form: str, report: Report) -> None:
    culprit = next((found[word] for word in ("model", *FORMS) if word in found), None)
    if culprit is None:
        return
    fix = Fix("Remove `code`", (Edit(node.start, node.start + len("code "), ""),))
    asks = form in FORMS
    does = "names a model" if culprit.keyword == "model" else f"asks a model with `{culprit.keyword}`"
    report.add(
        "judge.model-on-code-judge",
        keyword_span(culprit),
        f"`{node.name.text}` is a code judge, which calls no model, but it {does}",
        label="a code judge has no model",
        help=f"Write `judge {node.name.text}` if a model is to judge, else remove `{culprit.keyword}`.",
        fixes=(fix,) if asks and "model" in found else (),
    )


def _report_no_model(
    node: ast.Judge, ref: ast.ModelRef | None, found: Clauses, form: str, report: Report
) -> None:
    name = node.name.text
    needs = {
        "ask": "asks for an opinion",
        "rate": "rates",
        "decide": "asks typed questions",
        "python": "is no code judge",
        "code": "is no code judge",
    }[form]
    blank = ref is not None
    computed = form in ("code", "python")
    fix = Fix("Write `code judge`", (Edit(node.start, node.start, "code "),))
    example = "model decider   # a model with `kind decision`" if form == "decide" else "model small"
    help = f"Name one that is not the agent's own:\n{example}"
    if computed:
        help = f"Write `code judge {name}` if its rules are all it takes, else a model and what it is asked."
    report.add(
        "judge.no-model",
        ref or node.name,
        f"`{name}` {needs}, but {'the slug of its model is blank' if blank else 'it has no model'}",
        label="blank" if blank else "no model",
        help=help,
        fixes=(fix,) if computed and not blank else (),
    )


# --- what is asked ----------------------------------------------------------------------------------------


def check_asking(found: Clauses, env: Env, scope: Scope, report: Report) -> None:
    for keyword, clause in found.items():
        match keyword, clause.value:
            case "ask", ast.Text() as value:
                check_not_blank(
                    value, "the question", report, 'ask "Is the reply correct? PASS, or what is wrong."'
                )
                check_template(value, env, scope, report)
            case "rate", ast.Text() as value:
                check_not_blank(value, "what is rated", report, 'rate "clarity"')
                check_template(value, env, scope, report)
            case "rate", ast.Ident() as value:
                check_word(value, RUBRICS, "rubric", "name.unknown", report)
            case "state", ast.Object() as value:
                infer(value, env, scope, report)
            case "decide", ast.Questions() as value:
                _check_questions(clause, value, env, scope, report)


def _check_questions(
    clause: ast.Clause, questions: ast.Questions, env: Env, scope: Scope, report: Report
) -> None:
    if not questions.items:
        help = 'decide { correct: condition "The reply answers the task" }'
        report.add(
            "clause.missing", keyword_span(clause), "`decide` asks nothing", label="no question", help=help
        )
    if len(questions.items) > MOST_QUESTIONS:
        report.add(
            "value.range",
            keyword_span(clause),
            f"One call asks at most {MOST_QUESTIONS} questions, not {len(questions.items)}",
            label="too many",
            help="Split them over two judges.",
        )
    seen: dict[str, ast.Ident] = {}
    for question in questions.items:
        name = question.name
        first = seen.setdefault(name.text, name)
        if first is not name:
            report_duplicate(name, first, "question", report)
        elif name.text in env.names or name.text in env.functions:
            report.add(
                "name.duplicate",
                name,
                f"`{name.text}` has a meaning in a judge already",
                label="taken",
                help="Give the question another name.",
            )
        check_question_text(question.text, question.kind, report)
        check_template(question.text, env, scope, report)
        if isinstance(question.options, ast.Options):
            check_options(question.options, report)
        elif isinstance(question.options, ast.Texts):
            check_levels(question.options, report)


# --- rules ------------------------------------------------------------------------------------------------


def _check_has_rule(
    node: ast.Judge, found: Clauses, rules: Sequence[object], form: str, report: Report
) -> None:
    """A judge whose verdict nothing decides. `ask` and `rate` bring a rule of their own."""
    name = node.name.text
    if form in ("ask", "rate", "python") or any(_requires(rule) for rule in rules):
        return
    if form == "decide":
        decide = found["decide"].value
        first = decide.items[0] if isinstance(decide, ast.Questions) and decide.items else None
        example = _rule_for(first) if first is not None else "grounded.probability > 0.7"
        message = f"`{name}` asks questions, but no rule says which answers pass"
    elif node.code or "model" not in found:
        example = "len(reply) > 0"
        message = f"`{name}` has no rule: it would accept every reply"
        if not node.code:
            return
    else:
        report.add(
            "judge.no-rule",
            node.name,
            f"`{name}` has a model, but nothing that it is asked",
            label="asks nothing",
            help='Add what it is asked:\nask "Is the reply correct? PASS, or what is wrong."',
        )
        return
    report.add(
        "judge.no-rule",
        node.name,
        message,
        label="no rule",
        help=f'Add one:\nrequire {example} else "What is wrong."',
    )


def _requires(rule: object) -> bool:
    if isinstance(rule, ast.Case):
        return any(isinstance(inner, ast.Require) for inner in rule.rules)
    return isinstance(rule, ast.Require)


def _rule_for(question: ast.Question) -> str:
    name, options = question.name.text, choices_of(question.options)
    if question.kind == "condition":
        return f"{name}.probability > 0.7"
    field = "choice" if question.kind == "choice" else "label"
    return f'{name}.{field} == "{options[-1] if options else "…"}"'
