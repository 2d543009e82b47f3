"""Runs the `test` blocks of a file: every model is scripted, no key and no network is needed."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from typing import Any, cast

import attrs

from ...dsl import ast
from ...dsl.plan import TestPlan
from ..agents.messages import ToolTask
from ..agents.tool_actor import ToolAnswers
from ..connect import Connections
from ..expr import Compiler, ExpressionError, Scope, to_json
from ..flow.constants import constants_of
from ..flow.frame import Approver
from ..judge.errors import JudgeflowError, TestSetupError
from ..judge.protocol import Caller
from ..program import Program, Result
from ..providers.script import Script, script_of_test
from ..run import Stamp
from ..store.records import Tern


@attrs.frozen
class TestOutcome:
    """How one `test` block ended. `failures` is empty where it passed; `record` is None where it could not run."""

    __test__ = False

    name: str
    line: int
    failures: tuple[str, ...]
    record: Tern | None

    @property
    def passed(self) -> bool:
        return not self.failures


async def run_block(program: Program, test: TestPlan, stamp: Stamp) -> TestOutcome:
    """Runs one block in a program of its own, so that no test sees another's state."""
    compiler = Compiler(program.plan.types, constants_of(program.plan, stamp), stamp.moment)
    try:
        script = script_of_test(test, compiler)
        given = compiler.compile(test.given, test.origin)(Scope({})) if test.given is not None else None
        connections = Connections(program.plan, program.root, {}, everything=script)
        async with program.opened(connect=connections, stamp=stamp, tool_answers=_tools(script)) as session:
            result = await session.run(given, flow=test.flow, approver=_approver(script))
    except JudgeflowError as error:
        return TestOutcome(test.name, test.origin.line, (f"[{error.code}] {error.message}",), None)
    failures = tuple(failed_expectations(test, result, compiler))
    return TestOutcome(test.name, test.origin.line, failures, result.record)


def failed_expectations(test: TestPlan, result: Result, compiler: Compiler) -> Iterable[str]:
    """What did not hold, each in a sentence."""
    fails_with = [expect.code.plain for expect in test.expects if expect.code is not None]
    record = result.record
    setup = _setup_error(result.error)
    if setup is not None:
        yield f"[{setup.code}] {setup.message}"
        return
    for code in fails_with:
        if record.status == "answered":
            yield f"expected it to fail with {code}, but it answered {to_json(record.answer)}"
        elif record.code != code:
            yield f"expected it to fail with {code}, but it failed with {record.code}: {record.reason}"
    if record.status != "answered" and not fails_with:
        yield f"{record.status} [{record.code}]: {record.reason}"
        return
    scope_functions = {"verdicts": lambda agent: _verdicts(record, agent)}
    for expect in test.expects:
        if expect.condition is None:
            continue
        values = {"result": result.answer, "status": record.status, "reason": record.reason}
        try:
            held = compiler.condition(expect.condition, test.origin)(Scope(values, scope_functions))
        except ExpressionError as error:
            yield error.message
            continue
        if not held:
            yield f"expected {_told(expect.condition, Scope(values, scope_functions), test, compiler)}"


def _setup_error(error: BaseException | None) -> TestSetupError | None:
    """A script that has no answer is the test's own fault, however deep in the run it came up."""
    while error is not None:
        if isinstance(error, TestSetupError):
            return error
        error = error.__cause__
    return None


def _told(condition: ast.Expr, scope: Scope, test: TestPlan, compiler: Compiler) -> str:
    """The two sides of a comparison that did not hold."""
    if isinstance(condition, ast.Binary) and condition.op not in ("and", "or"):
        sides = []
        for side in (condition.left, condition.right):
            try:
                sides.append(to_json(compiler.compile(side, test.origin)(scope)))
            except ExpressionError as error:
                sides.append(f"({error.message})")
        return f"{sides[0]} {condition.op} {sides[1]}"
    return f"line {test.origin.line}: the condition to hold"


def _verdicts(record: Tern, agent: str) -> list[Mapping[str, Any]]:
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


def _tools(script: Script) -> ToolAnswers:
    """The script's results stand in for the tools; nothing else is run."""

    def answer(task: ToolTask) -> Any:
        caller = Caller(
            f"tool:{task.function}",
            task.function,
            run=task.run.info.id,
            step=task.step.id,
            attempt=task.attempt,
            values=task.values,
        )
        return script.answer(caller)

    return answer


def _approver(script: Script) -> Approver:
    async def approve(question: str, showing: Any) -> bool | None:
        if not script.has("approve"):
            return None
        return cast(bool | None, script.answer(Caller("approve", "approve", values={"question": question})))

    return approve
