"""From expression nodes to closures.

Each node becomes one function of a `Scope`; constants are evaluated once, built-ins are bound at compile time.
Work is bounded: every turn of a comprehension, `every` or `some` spends a step of the scope.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator, Mapping
from datetime import datetime
from typing import Any

from ...dsl import ast
from ...dsl.plan import Origin
from ...dsl.shapes import TypeInfo
from .errors import ExpressionError
from .functions import PURE, Misuse
from .operators import OPERATORS, found_in
from .scope import LETTERS_A_STEP, MAX_ITEMS, MAX_TEXT, Scope
from .values import Record, to_text, type_name
from .variants import variant_of, with_descendants

Evaluate = Callable[[Scope], Any]

BY_NAME = ("calls", "verdicts")
"""Functions whose argument is the name of a declaration."""


class Compiler:
    """Compiles expressions against a program's types and constants. `now` gives the time of `today()` and `now()`."""

    def __init__(
        self,
        types: Mapping[str, TypeInfo],
        constants: Mapping[str, Any],
        now: Callable[[], datetime],
    ) -> None:
        self._constants = constants
        self._descendants = {name: with_descendants(name, types) for name in types}
        self._functions = {
            **PURE,
            "now": lambda: now().isoformat(timespec="seconds"),
            "today": lambda: now().date().isoformat(),
        }

    def compile(self, node: ast.Expr, origin: Origin) -> Evaluate:
        """A function of a scope. It raises `ExpressionError` with the place, and nothing else."""
        return _Pass(self._constants, self._descendants, self._functions, origin).expr(node)

    def condition(self, node: ast.Expr, origin: Origin) -> Callable[[Scope], bool]:
        """A test: null counts as false, anything but true and false is an error."""
        return _Pass(self._constants, self._descendants, self._functions, origin).condition(node)

    def text(self, node: ast.Text, origin: Origin) -> Callable[[Scope], str]:
        """A template as a function that renders it."""
        plain = node.plain
        if plain is not None:
            return lambda scope: plain
        return _Pass(self._constants, self._descendants, self._functions, origin).text(node)

    def is_a(self, variant: str | None, wanted: str) -> bool:
        """Whether a variant is the wanted type or extends it."""
        return variant in self._descendants.get(wanted, frozenset((wanted,)))


class _Pass:
    """One compilation: knows where the text stands, so that a run error can say it."""

    def __init__(
        self,
        constants: Mapping[str, Any],
        descendants: Mapping[str, frozenset[str]],
        functions: Mapping[str, Callable[..., Any]],
        origin: Origin,
    ) -> None:
        self.constants = constants
        self.descendants = descendants
        self.functions = functions
        self.origin = origin

    def expr(self, node: ast.Expr) -> Evaluate:
        method: Callable[[Any], Evaluate] = getattr(self, f"_{node.__class__.__name__.lower()}")
        return method(node)

    def failure(self, node: ast.Node, message: str) -> ExpressionError:
        where = f"{self.origin.file}:{self.origin.line}: " if self.origin.file else ""
        return ExpressionError(f"{where}{message}", start=node.start, end=node.end)

    # literals and names

    def _null(self, node: ast.Null) -> Evaluate:
        return lambda scope: None

    def _bool(self, node: ast.Bool) -> Evaluate:
        value = node.value
        return lambda scope: value

    def _number(self, node: ast.Number) -> Evaluate:
        value = node.value
        return lambda scope: value

    def _money(self, node: ast.Money) -> Evaluate:
        value = float(node.text)
        return lambda scope: value

    def _duration(self, node: ast.Duration) -> Evaluate:
        value = node.seconds
        return lambda scope: value

    def _text(self, node: ast.Text) -> Evaluate:
        return self.text(node)

    def text(self, node: ast.Text) -> Callable[[Scope], str]:
        plain = node.plain
        if plain is not None:
            return lambda scope: plain
        parts = [part if isinstance(part, str) else self.expr(part) for part in node.parts]

        def template(scope: Scope) -> str:
            try:
                rendered = [part if isinstance(part, str) else to_text(part(scope)) for part in parts]
            except RecursionError:
                raise self.failure(node, "a value in the text is nested too deeply") from None
            size = sum(map(len, rendered))
            if size > MAX_TEXT:
                raise self.failure(node, f"the text grows past {MAX_TEXT:,} characters")
            scope.steps -= size // LETTERS_A_STEP
            return "".join(rendered)

        return template

    def _name(self, node: ast.Name) -> Evaluate:
        name = node.id
        if name in self.constants:
            value = self.constants[name]

            def constant(scope: Scope) -> Any:
                return scope.values.get(name, value)

            return constant

        def local(scope: Scope) -> Any:
            try:
                return scope.values[name]
            except KeyError:
                raise self.failure(node, f"`{name}` has no value here") from None

        return local

    # access

    def _field(self, node: ast.Field) -> Evaluate:
        target, name = self.expr(node.target), node.name.text

        def field(scope: Scope) -> Any:
            value = target(scope)
            if isinstance(value, dict):
                return value.get(name)
            if value is None:
                return None
            raise self.failure(node, f"{type_name(value)} has no field `{name}`")

        return field

    def _index(self, node: ast.Index) -> Evaluate:
        target, index = self.expr(node.target), self.expr(node.index)

        def item(scope: Scope) -> Any:
            value, at = target(scope), index(scope)
            if isinstance(value, dict) and isinstance(at, str):
                return value.get(at)
            if isinstance(value, list | str) and isinstance(at, int) and not isinstance(at, bool):
                return value[at] if -len(value) <= at < len(value) else None
            if value is None:
                return None
            raise self.failure(node, f"{type_name(value)} cannot be indexed with {type_name(at)}")

        return item

    def _call(self, node: ast.Call) -> Evaluate:
        name = node.callee.text
        args = [self.expr(arg.value) for arg in node.args if arg.name is None]
        named = {arg.name.text: self.expr(arg.value) for arg in node.args if arg.name is not None}
        if name in BY_NAME and args:
            return self._by_name(node)
        pure = self.functions.get(name)

        def call(scope: Scope) -> Any:
            function = pure or (scope.functions or {}).get(name)
            if function is None:
                raise self.failure(node, f"`{name}` cannot be called here")
            try:
                return function(
                    *[arg(scope) for arg in args], **{key: arg(scope) for key, arg in named.items()}
                )
            except Misuse as misuse:
                raise self.failure(node, str(misuse)) from None
            except RecursionError:
                raise self.failure(node, "the value is nested too deeply") from None
            except TypeError:
                raise self.failure(node, f"`{name}` does not take these arguments") from None

        return call

    def _by_name(self, node: ast.Call) -> Evaluate:
        """`calls(get_order)`, `verdicts(writer)`: the argument names a declaration, it is no value."""
        argument = node.args[0].value
        parts: list[str] = []
        while isinstance(argument, ast.Field):
            parts.insert(0, argument.name.text)
            argument = argument.target
        declared = ".".join([argument.id if isinstance(argument, ast.Name) else "", *parts])

        def ask(scope: Scope) -> Any:
            function = (scope.functions or {}).get(node.callee.text)
            if function is None:
                raise self.failure(node, f"`{node.callee.text}` cannot be called here")
            return function(declared)

        return ask

    # operators

    def condition(self, node: ast.Expr) -> Callable[[Scope], bool]:
        """A test: null counts as false, a condition's decision as its value, anything else but a bool is an error."""
        evaluate = self.expr(node)

        def condition(scope: Scope) -> bool:
            value = evaluate(scope)
            if value is True:
                return True
            if value is False or value is None:
                return False
            if isinstance(value, dict) and "probability" in value:
                return value["value"] is True
            raise self.failure(node, f"a condition is true or false, but this is {type_name(value)}")

        return condition

    def _unary(self, node: ast.Unary) -> Evaluate:
        if node.op == "not":
            condition = self.condition(node.operand)
            return lambda scope: not condition(scope)
        operand = self.expr(node.operand)

        def negative(scope: Scope) -> Any:
            value = operand(scope)
            if isinstance(value, bool) or not isinstance(value, int | float):
                raise self.failure(node, f"`-` takes a number, not {type_name(value)}")
            return -value

        return negative

    def _binary(self, node: ast.Binary) -> Evaluate:
        if node.op in ("and", "or"):
            one, other = self.condition(node.left), self.condition(node.right)
            if node.op == "and":
                return lambda scope: one(scope) and other(scope)
            return lambda scope: one(scope) or other(scope)
        if node.op == "matches":
            return self._matches(node)
        left, right, operator = self.expr(node.left), self.expr(node.right), OPERATORS[node.op]

        def binary(scope: Scope) -> Any:
            try:
                result = operator(left(scope), right(scope))
                if isinstance(result, str):
                    scope.steps -= len(result) // LETTERS_A_STEP
                return result
            except Misuse as misuse:
                raise self.failure(node, str(misuse)) from None
            except RecursionError:
                raise self.failure(node, "the value is nested too deeply") from None

        return binary

    def _matches(self, node: ast.Binary) -> Evaluate:
        subject, pattern = self.expr(node.left), self.expr(node.right)

        def matches(scope: Scope) -> bool:
            text, wanted = subject(scope), pattern(scope)
            try:
                return text is not None and found_in(text, wanted)
            except Misuse as misuse:
                raise self.failure(node, str(misuse)) from None

        return matches

    def _is(self, node: ast.Is) -> Evaluate:
        operand, wanted = self.expr(node.operand), node.type.text
        accepted = self.descendants.get(wanted, frozenset((wanted,)))
        negated = node.negated
        is_variant_name = isinstance(node.operand, ast.Name) and node.operand.id == "variant"

        def is_type(scope: Scope) -> bool:
            value = operand(scope)
            variant = value if is_variant_name and not isinstance(value, Record) else variant_of(value)
            return (isinstance(variant, str) and variant in accepted) is not negated

        return is_type

    # control

    def _ifexpr(self, node: ast.IfExpr) -> Evaluate:
        condition, then, otherwise = (
            self.condition(node.condition),
            self.expr(node.then),
            self.expr(node.otherwise),
        )
        return lambda scope: then(scope) if condition(scope) else otherwise(scope)

    def _quantified(self, node: ast.Quantified) -> Evaluate:
        source, body, name = self.expr(node.source), self.condition(node.body), node.name.text
        wanted = node.kind == "some"

        def quantified(scope: Scope) -> bool:
            for _ in self._turns(node, scope, source(scope), name):
                if body(scope) is wanted:
                    return wanted
            return not wanted

        return quantified

    def _comprehension(self, node: ast.Comprehension) -> Evaluate:
        source, body, name = self.expr(node.source), self.expr(node.body), node.name.text
        keep = self.condition(node.condition) if node.condition is not None else None

        def comprehension(scope: Scope) -> list[Any]:
            result = []
            for _ in self._turns(node, scope, source(scope), name):
                if keep is None or keep(scope):
                    result.append(body(scope))
            return result

        return comprehension

    def _turns(self, node: ast.Node, scope: Scope, items: Any, name: str) -> Iterator[None]:
        """Binds the name to each item in turn and puts back what it stood for, spending a step a turn."""
        if items is None:
            return
        if not isinstance(items, list):
            raise self.failure(node, f"only a list can be gone through, but this is {type_name(items)}")
        values = scope.values
        hidden, was_bound = values.get(name), name in values
        try:
            for item in items:
                scope.steps -= 1
                if scope.steps < 0:
                    raise self.failure(node, "the expression takes too many steps")
                values[name] = item
                yield
        finally:
            if was_bound:
                values[name] = hidden
            else:
                values.pop(name, None)

    # composites

    def _listexpr(self, node: ast.ListExpr) -> Evaluate:
        items = [self.expr(item) for item in node.items]
        if len(items) > MAX_ITEMS:
            raise self.failure(node, f"a list has at most {MAX_ITEMS:,} items")
        return lambda scope: [item(scope) for item in items]

    def _object(self, node: ast.Object) -> Evaluate:
        pairs = [(pair.key.text, self.expr(pair.value)) for pair in node.pairs]
        return lambda scope: {key: value(scope) for key, value in pairs}
