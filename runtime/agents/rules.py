"""A judge's rules as one function: the reason of the first that does not hold, or None where all hold."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ...dsl import ast
from ...dsl.plan import Origin
from ..expr import Compiler, Evaluate, ExpressionError, Scope
from ..judge.errors import JudgeflowError

Ruling = Callable[[Scope], Any]
Rule = ast.Let | ast.Require | ast.Case


def compile_rules(rules: Sequence[Rule], compiler: Compiler, origin: Origin) -> Ruling:
    """`let` binds for what follows, `require` tests, `case` holds the rules of one variant."""
    run = _sequence(rules, compiler, origin)
    cases = [rule.type.text for rule in rules if isinstance(rule, ast.Case)]

    def ruling(scope: Scope) -> Any:
        reason = run(scope)
        variant = scope.values.get("variant")
        if reason is None and cases and not any(compiler.is_a(variant, case) for case in cases):
            # The checker refuses a missing case; a reply from outside the file could still be one.
            raise JudgeflowError(f"no case fits a reply of type {variant}", code="judge.missing-case")
        return reason

    return ruling


def _sequence(rules: Sequence[Rule], compiler: Compiler, origin: Origin) -> Ruling:
    steps = [_rule(rule, compiler, origin) for rule in rules]
    lets = [
        (at, rule.name.text, compiler.compile(rule.value, origin))
        for at, rule in enumerate(rules)
        if isinstance(rule, ast.Let)
    ]

    def sequence(scope: Scope) -> Any:
        for at, step in enumerate(steps):
            reason = step(scope)
            if reason is not None:
                for place, name, value in lets:
                    if place > at:
                        _bind_if_possible(scope, name, value)
                return reason
        return None

    return sequence


def _bind_if_possible(scope: Scope, name: str, value: Evaluate) -> None:
    """Metrics are kept on a failure too and may read a later `let`; what a failed rule was to ensure may be missing."""
    try:
        scope.values[name] = value(scope)
    except ExpressionError:
        scope.values[name] = None


def _rule(rule: Rule, compiler: Compiler, origin: Origin) -> Ruling:
    if isinstance(rule, ast.Let):
        name, value = rule.name.text, compiler.compile(rule.value, origin)

        def let(scope: Scope) -> None:
            scope.values[name] = value(scope)

        return let
    if isinstance(rule, ast.Require):
        condition, reason = compiler.condition(rule.condition, origin), compiler.compile(rule.reason, origin)

        def require(scope: Scope) -> Any:
            if condition(scope):
                return None
            given = reason(scope)
            return "" if given is None else given

        return require
    wanted, inner = rule.type.text, _sequence(rule.rules, compiler, origin)

    def case(scope: Scope) -> Any:
        return inner(scope) if compiler.is_a(scope.values.get("variant"), wanted) else None

    return case
