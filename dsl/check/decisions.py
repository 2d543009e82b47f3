"""Conditions, choices and scales: one question to a decision model."""

from __future__ import annotations

from .. import ast
from ..shapes import Shape
from .base import Report, Scope
from .builtins import RUN
from .clauses import UNIT, Clauses, check_clauses, check_number, example, keyword_span, report_misplaced
from .context import check_keys
from .env import Absent, Env
from .expressions import check_template, infer
from .model_refs import check_kind, check_model_ref, is_blank
from .params import check_params
from .questions import check_levels, check_options, check_question_text
from .texts import check_plain

_CHOICES = {"options": "choice", "levels": "scale"}


def check_decision(node: ast.Decision, scope: Scope, report: Report) -> None:
    check_plain(node.description, "a description", report)
    params = check_params(node.params, scope, report, hidden=True)
    found = check_clauses(node.kind, node.name, node.clauses, report)
    _check_misplaced(node, found, report)
    hidden = {param.name.text for param in node.params if param.hidden}
    for keyword, clause in found.items():
        match keyword, clause.value:
            case "model", ast.ModelRef() as value:
                _check_model(node, value, scope, report)
            case "ask", ast.Text() as value:
                check_question_text(value, node.kind, report)
                check_template(value, question_env(params, hidden), scope, report)
            case "context", ast.Object() as value:
                infer(value, context_env(params), scope, report)
                check_keys(value, report)
            case "options", ast.Options() as value if node.kind == "choice":
                check_options(value, report)
            case "levels", ast.Texts() as value if node.kind == "scale":
                check_levels(value, report)
            case "confidence", ast.Number() as value:
                message = f"A confidence lies between 0 and 1, and {value.text} does not"
                help = "confidence at least 0.8"
                check_number(value, UNIT, report, code="decision.confidence", message=message, help=help)
            case "cache", ast.Cache() as value:
                infer(value.key, Env({"run": RUN, **params}, where="in the key of a cache"), scope, report)
                _check_cache(node, found, value, report)


def context_env(params: dict[str, Shape]) -> Env:
    """What a decision's `context` may mention; tools and agents may be called in it."""
    return Env({"run": RUN, **params}, calls_allowed=True)


def question_env(params: dict[str, Shape], hidden: set[str]) -> Env:
    """What a question may mention: what is hidden would be sent with it."""
    absent = {
        name: Absent(
            "name.unknown",
            f"`{name}` is hidden: it is for `context` alone, and a question is sent",
            "Remove `hidden`, or leave it out of the question.",
        )
        for name in hidden
    }
    names = {name: shape for name, shape in params.items() if name not in hidden}
    return Env({"run": RUN, **names}, where="in a question", absent=absent)


def _check_misplaced(node: ast.Decision, found: Clauses, report: Report) -> None:
    for keyword, kind in _CHOICES.items():
        clause = found.get(keyword)
        if clause is None or node.kind == kind:
            continue
        other = {"condition": "answers yes or no", "choice": "has options", "scale": "has levels"}[node.kind]
        report_misplaced(
            clause,
            f"`{node.name.text}` is a {node.kind}, which {other}: `{keyword}` belongs to a {kind}",
            f"Declare it as a {kind}: `{kind} {node.name.text}(…) {{ … }}`.",
            report,
        )


def _check_model(node: ast.Decision, ref: ast.ModelRef, scope: Scope, report: Report) -> None:
    if is_blank(ref):
        message = f"`{node.name.text}` has no model: its slug is blank"
        report.add("clause.missing", ref, message, label="blank", help=example(node.kind, "model"))
        return
    model = check_model_ref(ref, scope, report)
    if model is not None:
        check_kind(ref, model, "decision", f"`{node.name.text}` asks a typed question", report)


def _check_cache(node: ast.Decision, found: Clauses, cache: ast.Cache, report: Report) -> None:
    if "context" not in found:
        report.add(
            "decision.cache",
            keyword_span(found["cache"]),
            f"`{node.name.text}` has no `context`, and that is all a cache keeps: answers are asked anew",
            label="nothing to keep",
            help="Remove it, or add what is to be kept: context { customer: crm(ticket.customer) }",
        )
    elif cache.ttl.seconds <= 0:
        report.add(
            "decision.cache",
            cache.ttl,
            "A cache keeps its context for some time, and this is none",
            label="no time at all",
            help="cache 5m by …",
        )
    elif isinstance(cache.key, ast.Null) or (isinstance(cache.key, ast.Text) and cache.key.plain is not None):
        report.add(
            "decision.cache",
            cache.key,
            "The key of this cache is always the same, so every call would get the first one's context",
            label="tells nothing apart",
            help="Name what the context depends on: cache 5m by ticket.id",
        )
