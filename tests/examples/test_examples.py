"""Every example is without a finding, and every test block in it passes."""

from __future__ import annotations

import time
from pathlib import Path

import pytest

from judgeflow.dsl.passes import load as load_checked
from judgeflow.runtime.program import load
from judgeflow.runtime.run import Stamp
from judgeflow.runtime.testing.blocks import run_block

EXAMPLES = sorted((Path(__file__).parents[2] / "examples").glob("*.judge"))
NAMES = [path.stem for path in EXAMPLES]


def test_there_are_at_least_nine() -> None:
    assert len(EXAMPLES) >= 9


@pytest.mark.parametrize("path", EXAMPLES, ids=NAMES)
def test_an_example_has_no_finding(path: Path) -> None:
    assert load_checked(str(path), strict=True).diagnostics == ()


@pytest.mark.parametrize("path", EXAMPLES, ids=NAMES)
async def test_the_tests_of_an_example_pass(path: Path) -> None:
    program = load(path)
    outcomes = [await run_block(program, test, Stamp(time.time)) for test in program.plan.tests]
    assert [outcome.failures for outcome in outcomes if not outcome.passed] == []
    assert outcomes or path.stem == "quickstart", "only the example with a real model may be without a test"


def test_hello_is_quickstart_with_scripted_models() -> None:
    hello, quickstart = (load(EXAMPLES[NAMES.index(name)]).plan for name in ("hello", "quickstart"))
    assert {model.slug.split("/")[0] for model in hello.models.values()} == {"script"}
    assert {model.slug for model in quickstart.models.values()} == {"local/smollm2"}
    assert hello.agents.keys() == quickstart.agents.keys()
    assert hello.judges.keys() == quickstart.judges.keys()
    assert hello.gates.keys() == quickstart.gates.keys()
