"""Runs the `test` blocks of a file: every model is scripted, no key and no network is needed."""

from __future__ import annotations

import attrs

from ...dsl.plan import TestPlan
from ..connect import Connections
from ..expr import Compiler, Scope
from ..flow.constants import constants_of
from ..judge.errors import JudgeflowError, TestSetupError
from ..program import Program
from ..providers.script import script_of_test
from ..run import Stamp
from ..scripted import approver_of, tool_answers
from ..store.records import Tern
from .expectations import Failure, failed_expectations


@attrs.frozen
class TestOutcome:
    """How one `test` block ended. `failures` is empty where it passed; `record` is None where it could not run."""

    __test__ = False

    name: str
    line: int
    failures: tuple[Failure, ...]
    record: Tern | None

    @property
    def passed(self) -> bool:
        """Whether all that it expects held."""
        return not self.failures


async def run_block(program: Program, test: TestPlan, stamp: Stamp) -> TestOutcome:
    """Runs one block in a program of its own, so that no test sees another's state."""
    compiler = Compiler(program.plan.types, constants_of(program.plan, stamp), stamp.moment)
    try:
        script = script_of_test(test, compiler)
        given = compiler.compile(test.given, test.origin)(Scope({})) if test.given is not None else None
        connections = Connections(program.plan, program.root, {}, everything=script)
        async with program.opened(
            connect=connections, stamp=stamp, tool_answers=tool_answers(script)
        ) as session:
            result = await session.run(given, flow=test.flow, approver=approver_of(script))
    except JudgeflowError as error:
        return TestOutcome(test.name, test.origin.line, (_broken(error, test),), None)
    setup = _setup_error(result.error)
    failures = (_broken(setup, test),) if setup else tuple(failed_expectations(test, result, compiler))
    return TestOutcome(test.name, test.origin.line, failures, result.record)


def _broken(error: JudgeflowError, test: TestPlan) -> Failure:
    """The test itself cannot be run as it is written."""
    return Failure(test.origin.line, f"[{error.code}] {error.message}")


def _setup_error(error: BaseException | None) -> TestSetupError | None:
    """A script that has no answer is the test's own fault, however deep in the run it came up."""
    while error is not None:
        if isinstance(error, TestSetupError):
            return error
        error = error.__cause__
    return None
