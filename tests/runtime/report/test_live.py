"""The live view's last line: cost, of how much, tokens and time."""

from __future__ import annotations

import io
from decimal import Decimal
from typing import Any

import pytest

from judgeflow.runtime.report.live import LiveView

from ..helpers import Model, run

SOURCE = """
model small "fake/small" { price $100 in, $100 out }
agent writer { model small  retries 0 }
flow main(text: text) -> text {
  draft = writer(text)
  approve "Send it?" showing draft
  return draft
}
"""


async def test_the_line_that_is_written_again_never_wraps(autojump_clock: Any) -> None:
    screen = io.StringIO()
    view = LiveView(screen, live=True, colour=False, workflow="demo", width=lambda: 9)

    async def yes(question: str, showing: Any) -> bool:
        return True

    await run(SOURCE, "hi", models={"small": Model("Hello", seconds=2)}, hooks=[view], approver=yes)
    again = [line for line in screen.getvalue().replace("\r", "\n").splitlines() if line.startswith("▶")]
    assert again
    assert {len(line) for line in again} == {8}


@pytest.mark.parametrize(
    ("allowed", "last"),
    [(Decimal("0.50"), "$0.0015 of $0.50   15 tokens   2.0 s"), (None, "$0.0015   15 tokens   2.0 s")],
)
async def test_the_last_line_tells_cost_limit_tokens_and_time(
    autojump_clock: Any, allowed: Decimal | None, last: str
) -> None:
    screen = io.StringIO()
    view = LiveView(screen, live=False, colour=False, workflow="demo", allowed=allowed)

    async def yes(question: str, showing: Any) -> bool:
        return True

    await run(SOURCE, "hi", models={"small": Model("Hello", seconds=2)}, hooks=[view], approver=yes)
    lines = screen.getvalue().splitlines()
    assert lines[-1] == last
    assert lines[-2].startswith("✔ approve        yes  Send it?")


async def test_a_reason_of_megabytes_is_shown_by_its_beginning() -> None:
    screen = io.StringIO()
    source = """
    model small "fake/small"
    code judge short(reply: text) { require len(reply) < 10 else reply }
    agent writer { model small  judges [short]  retries 0 }
    flow main(text: text) -> text { return writer(text) }
    """
    view = LiveView(screen, live=False, colour=False, workflow="demo")
    result = await run(source, "hi", models={"small": Model("x" * 100_000)}, hooks=[view])
    assert len(result.record.reason or "") > 100_000
    assert max(map(len, screen.getvalue().splitlines())) < 2_100
