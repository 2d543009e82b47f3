"""Every example of the reference parses, and its tests pass."""

from __future__ import annotations

import re
import time
from pathlib import Path

import pytest

from judgeflow.dsl.parse import parse
from judgeflow.dsl.source import Source
from judgeflow.runtime.program import load
from judgeflow.runtime.run import Stamp
from judgeflow.runtime.testing.blocks import run_block

TEXT = (Path(__file__).parents[2] / "docs" / "language.md").read_text(encoding="utf-8")
BLOCKS = re.findall(r"^```judge[^\n]*\n(.*?)^```", TEXT, re.MULTILINE | re.DOTALL)


@pytest.mark.parametrize("block", BLOCKS, ids=lambda block: block.split("\n", 1)[0][:30])
def test_an_example_parses(block: str) -> None:
    assert parse(Source("reference.judge", block)).diagnostics == ()


async def test_the_tests_in_the_examples_pass(tmp_path: Path) -> None:
    ran = 0
    for at, block in enumerate(block for block in BLOCKS if "\ntest " in block and "flow main" in block):
        path = tmp_path / f"example{at}.judge"
        path.write_text(block, encoding="utf-8")
        program = load(path)
        for test in program.plan.tests:
            outcome = await run_block(program, test, Stamp(time.time))
            assert outcome.failures == ()
            ran += 1
    assert ran > 0
