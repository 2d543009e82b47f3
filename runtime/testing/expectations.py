"""What a test expected and did not find, told so that a reader sees both without running it again."""

from __future__ import annotations

import re
from collections.abc import Iterator, Mapping
from typing import Any

import attrs

from ...dsl import ast
from ...dsl.plan import TestPlan
from ..expr import Compiler, ExpressionError, Scope, to_json
from ..result import Result
from ..store.records import Tern

_BEFORE = re.compile(r"(?:\s|#[^\n]*)*")
"""The comments above a test."""

MOST = 2_000
"""Characters of a value that is shown."""


@attrs.frozen
class Failure:
    """`message` is one sentence, `details` are lines below it. `line` is of the test's file, from 1."""

    line: int
    message: str
    details: tuple[str, ...] = ()

    def __str__(self) -> str:
        return "\n".join((self.message, *(f"  {line}" for line in self.details)))


def failed_expectations(test: TestPlan, result: Result, compiler: Compiler) -> Iterator[Failure]:
    """What did not hold of a run that came to its end."""
    record = result.record
    by_code = [expect for expect in test.expects if expect.code is not None]
    for expect in by_code:
        yield from _wrong_end(expect, result, test)
    if record.status != "answered" and not by_code:
        code = f" ({record.code})" if record.code is not None else ""
        yield Failure(
            test.origin.line,
            f"the run ended as {record.status}{code}, and no `expect` says so",
            _lines(record.reason),
        )
        return
    scope = Scope(_values(result), {"verdicts": lambda agent: verdicts_of(record, agent)})
    for expect in test.expects:
        if expect.condition is not None:
            yield from Expectation(test, compiler, scope).failures(expect.condition)


def line_of(node: ast.Node, test: TestPlan) -> int:
    """The line of a part of the test."""
    text = test.origin.text
    before = _BEFORE.match(text)
    return test.origin.line + text.count("\n", before.end() if before else 0, node.start)


def _wrong_end(expect: ast.Expect, result: Result, test: TestPlan) -> Iterator[Failure]:
    assert expect.code is not None
    wanted, record = expect.code.plain, result.record
    if record.status == "answered":
        told = f"expected it to fail with {wanted}, but it answered"
        yield Failure(line_of(expect, test), told, (_shown(result.answer),))
    elif record.code != wanted:
        told = f"expected it to fail with {wanted}, but it ended with {record.code}"
        yield Failure(line_of(expect, test), told, _lines(record.reason))


def _values(result: Result) -> dict[str, Any]:
    return {"result": result.answer, "status": result.record.status, "reason": result.record.reason}


@attrs.frozen
class Expectation:
    """One `expect` of a test, and the values that it is about."""

    test: TestPlan
    compiler: Compiler
    scope: Scope

    def failures(self, condition: ast.Expr) -> Iterator[Failure]:
        """Nothing where it holds. Of several conditions joined by `and`, the first that does not hold is told."""
        try:
            if self.compiler.condition(condition, self.test.origin)(self.scope):
                return
        except ExpressionError as error:
            yield Failure(
                line_of(condition, self.test), f"expected {self.written(condition)}", (error.message,)
            )
            return
        if isinstance(condition, ast.Binary) and condition.op == "and":
            found = [*self.failures(condition.left)] or [*self.failures(condition.right)]
            yield from found[:1]
            return
        details = tuple(f"{name} is {value}" for name, value in self.sides(condition))
        yield Failure(line_of(condition, self.test), f"expected {self.written(condition)}", details)

    def sides(self, condition: ast.Expr) -> Iterator[tuple[str, str]]:
        """What the parts of a condition are, those left out that say so themselves."""
        match condition:
            case ast.Binary(op="or" | "and", left=left, right=right):
                yield from self.sides(left)
                yield from self.sides(right)
            case ast.Unary(op="not", operand=operand):
                yield from self.sides(operand)
            case ast.Binary(left=left, right=right):
                yield from self.told(left)
                yield from self.told(right)
            case ast.Is(operand=operand) | ast.Quantified(source=operand):
                yield from self.told(operand)
            case _:
                yield from self.told(condition)

    def told(self, part: ast.Expr) -> Iterator[tuple[str, str]]:
        if not isinstance(part, ast.Text | ast.Number | ast.Bool | ast.Null):
            yield self.written(part), self.value(part)

    def value(self, part: ast.Expr) -> str:
        try:
            return _shown(self.compiler.compile(part, self.test.origin)(self.scope))
        except ExpressionError as error:
            return f"no value: {error.message}"

    def written(self, node: ast.Node) -> str:
        """A part of the test as it stands in the file."""
        if isinstance(node, ast.Name):
            return node.id
        return " ".join(self.test.origin.text[node.start : node.end].split())


def _shown(value: Any) -> str:
    text = to_json(value)
    return text if len(text) <= MOST else f"{text[:MOST]}… ({len(text):,} characters)"


def _lines(text: str | None) -> tuple[str, ...]:
    return tuple((text or "").splitlines())


def verdicts_of(record: Tern, agent: str) -> list[Mapping[str, Any]]:
    """`verdicts(agent)` of a test: every verdict on that agent's answers, in order."""
    return [
        {
            "judge": verdict.judge,
            "attempt": verdict.attempt,
            "passed": verdict.passed,
            "reason": verdict.reason,
            "metrics": verdict.metrics,
            "readable": verdict.readable,
        }
        for step in record.steps
        if step.name == agent
        for verdict in step.verdicts
    ]
