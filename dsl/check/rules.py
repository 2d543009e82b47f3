"""`let` and `require`, and the reasons that an agent reads."""

from __future__ import annotations

from collections.abc import Iterable, Sequence

from .. import ast
from ..diagnostics import Label
from ..mentions import mentions
from .base import Report, Scope
from .clauses import keyword_span
from .env import Env
from .expressions import check_condition, infer, narrowed
from .params import report_duplicate
from .texts import is_blank

Rule = ast.Let | ast.Require | ast.Case


def check_rules(rules: Sequence[Rule], env: Env, scope: Scope, report: Report) -> Env:
    """Checks `let` and `require` in order, cases left out; what is known after them."""
    lets: dict[str, ast.Ident] = {}
    for rule in rules:
        if isinstance(rule, ast.Let):
            shape = infer(rule.value, env, scope, report)
            _check_name(rule.name, lets, env, report)
            env = env.bind(rule.name.text, shape)
        elif isinstance(rule, ast.Require):
            check_condition(rule.condition, env, scope, report)
            holds, fails = narrowed(rule.condition, env, scope)
            _check_reason(rule.reason, fails, scope, report)
            env = holds
    return env


def _check_name(name: ast.Ident, lets: dict[str, ast.Ident], env: Env, report: Report) -> None:
    first = lets.setdefault(name.text, name)
    if first is not name:
        report_duplicate(name, first, "value", report)
    elif name.text in env.names:
        report.add(
            "name.duplicate",
            name,
            f"`{name.text}` has a meaning in this judge already",
            label="taken",
            help="Give the value another name.",
        )


def _check_reason(reason: ast.Expr, env: Env, scope: Scope, report: Report) -> None:
    infer(reason, env, scope, report)
    blank = isinstance(reason, ast.Null) or (isinstance(reason, ast.Text) and is_blank(reason))
    if blank:
        report.add(
            "judge.no-reason",
            reason,
            "A rule that fails gives its reason to the agent, and this one is blank",
            label="the agent would learn nothing",
            help='Say what to do better: else "Answer in one sentence."',
        )


def check_fail_open(rules: Sequence[Rule], report: Report) -> None:
    """Rules run only where the rating could be read: a rule for the other case is a wish to let it pass."""
    for rule in rules:
        if isinstance(rule, ast.Case):
            check_fail_open(rule.rules, report)
        else:
            _check_not_replaced(rule, report)


def check_looks_at_score(node: ast.Judge, rate: ast.Clause, rules: Sequence[Rule], report: Report) -> None:
    """Rules stand instead of a threshold: where none looks at the score, whatever is rated passes."""
    if not any(not isinstance(rule, ast.Let) for rule in rules) or "score" in mentions(node):
        return
    report.add(
        "judge.fail-open",
        keyword_span(rate),
        f"`{node.name.text}` rates, but no rule looks at `score`, so every rating passes, the worst included",
        label="asked for and not used",
        labels=tuple(Label(rule.start, rule.end, "stands instead of a threshold") for rule in rules[:1]),
        help='Add a bar: require score >= 0.7 else "…"',
    )


def _check_not_replaced(rule: ast.Let | ast.Require, report: Report) -> None:
    parts: tuple[ast.Expr, ...] = (
        (rule.value,) if isinstance(rule, ast.Let) else (rule.condition, rule.reason)
    )
    for part in parts:
        at = _replaced_score(part)
        if at is not None:
            report.add(
                "judge.fail-open",
                at,
                "A rating that cannot be read is a failed verdict, never a pass, and `score` is never null",
                label="never decides anything",
                labels=(Label(rule.start, rule.end, "this rule is read after a rating that was read"),),
                help="Write the bar alone: `require score >= 0.7 else …`.",
            )
            return


def _replaced_score(expr: ast.Expr) -> ast.Expr | None:
    """Where an expression asks whether there is a score, or replaces a missing one."""
    for each in _walk(expr):
        match each:
            case ast.Call(callee=ast.Ident(text="default"), args=(ast.Arg(value=ast.Name(id="score")), *_)):
                return each
            case ast.Binary(op="==" | "!=", left=ast.Name(id="score"), right=ast.Null()):
                return each
            case ast.Binary(op="==" | "!=", left=ast.Null(), right=ast.Name(id="score")):
                return each
    return None


def _walk(expr: ast.Expr) -> Iterable[ast.Expr]:
    waiting: list[object] = [expr]
    while waiting:
        node = waiting.pop()
        if isinstance(node, tuple):
            waiting.extend(reversed(node))
        elif isinstance(node, ast.Node):
            yield node  # type: ignore[misc]
            waiting.extend(getattr(node, name) for name in reversed(node.__struct_fields__))
