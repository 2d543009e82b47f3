"""A judge's rules as one function: the reason of the first that does not hold, or None where all hold."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from ...dsl import ast
from ...dsl.plan import Origin
from ..expr import Compiler, Scope
from ..judge.errors import StepError

Ruling = Callable[[Scope], Any]
Rule = ast.Let | ast.Require | ast.Case


def compile_rules(rules: Sequence[Rule], compiler: Compiler, origin: Origin) -> Ruling:
    """`let` binds for what follows, `require` tests, `case` holds the rules of one variant."""
    steps = [_rule(rule, compiler, origin) for rule in rules]
    cases = [rule.type.text for rule in rules if isinstance(rule, ast.Case)]

    def ruling(scope: Scope) -> Any:
        for step in steps:
            reason = step(scope)
            if reason is not None:
                return reason
        variant = scope.values.get("variant")
        if cases and not any(compiler.is_a(variant, case) for case in cases):
            # The checker refuses a missing case; a reply from outside the file could still be one.
            raise StepError(
                f"no case fits a reply of type {variant}", code="judge.missing-case", step="judge"
            )
        return None

    return ruling


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
    wanted, inner = rule.type.text, [_rule(part, compiler, origin) for part in rule.rules]

    def case(scope: Scope) -> Any:
        if not compiler.is_a(scope.values.get("variant"), wanted):
            return None
        for step in inner:
            reason = step(scope)
            if reason is not None:
                return reason
        return None

    return case
