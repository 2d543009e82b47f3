"""`pytest flow.judge`: each `test` block of a file is a test of pytest's.

A file that is named on the command line is always collected; below a folder only what `judge_files` matches, as with
`python_files`. Nothing of judgeflow is imported before there is such a file.
"""

from __future__ import annotations

from collections.abc import Iterator
from pathlib import Path
from typing import TYPE_CHECKING, Any

import pytest

if TYPE_CHECKING:
    from ...dsl.plan import TestPlan
    from ..program import Program
    from .blocks import TestOutcome

PATTERNS = ("test_*.judge", "*_test.judge")


def pytest_addoption(parser: pytest.Parser) -> None:
    parser.addini(
        "judge_files",
        "names of .judge files that are collected below folders",
        type="args",
        default=list(PATTERNS),
    )


def pytest_collect_file(file_path: Path, parent: pytest.Collector) -> pytest.Collector | None:
    if file_path.suffix != ".judge":
        return None
    matches = any(file_path.match(pattern) for pattern in parent.config.getini("judge_files"))
    if not matches and not parent.session.isinitpath(file_path):
        return None
    collector: pytest.Collector = JudgeFile.from_parent(parent, path=file_path)
    return collector


class JudgeFile(pytest.File):
    """A `.judge` file. With an error in it, it fails to be collected and shows its findings."""

    def collect(self) -> Iterator[pytest.Item]:
        from ..program import CheckError, load  # noqa: PLC0415  # trio, only when there is a file to run

        try:
            program = load(self.path)
        except CheckError as error:
            raise self.CollectError(str(error)) from None
        for test in program.plan.tests:
            if (program.root / test.origin.file).resolve() == self.path.resolve():
                yield JudgeBlock.from_parent(self, name=test.name, program=program, test=test)


class BlockFailed(Exception):
    """A test block did not hold."""

    def __init__(self, outcome: TestOutcome) -> None:
        super().__init__(outcome.name)
        self.outcome = outcome


class JudgeBlock(pytest.Item):
    obj = None
    """No function, and below no fixtures, as with pytest's own doctests: pytest-trio and others ask every test."""

    def __init__(self, *, program: Program, test: TestPlan, **rest: Any) -> None:
        super().__init__(**rest)
        self.funcargs: dict[str, object] = {}
        self.program = program
        self.test = test

    def runtest(self) -> None:
        import time  # noqa: PLC0415

        import trio  # noqa: PLC0415

        from ..run import Stamp  # noqa: PLC0415
        from .blocks import run_block  # noqa: PLC0415

        outcome = trio.run(run_block, self.program, self.test, Stamp(time.time))
        if not outcome.passed:
            raise BlockFailed(outcome)

    def repr_failure(self, excinfo: pytest.ExceptionInfo[BaseException], style: Any = None) -> Any:
        """What did not hold and what was there instead, and the block with a mark at each such line."""
        if not isinstance(excinfo.value, BlockFailed):
            return super().repr_failure(excinfo)
        from ...dsl.render import clean  # noqa: PLC0415

        origin = self.test.origin
        failures = excinfo.value.outcome.failures
        told = [f"{self.path.name}:{failure.line}: {failure}" for failure in failures]
        marked = {failure.line for failure in failures}
        lines = origin.text.rstrip().splitlines()
        first = origin.line - _above(lines)
        block = [f"{'>' if at in marked else ' '}   {line}" for at, line in enumerate(lines, first)]
        return "\n".join(map(clean, [*"\n".join(told).splitlines(), "", *block]))

    def reportinfo(self) -> tuple[Path, int, str]:
        return self.path, self.test.origin.line - 1, self.name


def _above(lines: list[str]) -> int:
    """How many lines of comments stand above the block."""
    return next(
        (at for at, line in enumerate(lines) if line.strip() and not line.lstrip().startswith("#")), 0
    )
