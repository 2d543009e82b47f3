"""What a file declares counts before what the language brings along under the same name."""

from __future__ import annotations

from judgeflow.testing import script

from ..helpers import program

SOURCE = """
model small "openai/some"
agent len(run: text) { model small  prompt "About {{ run }}." }
flow first(run: text) -> text { return "own {{ run }}" }
gate run(x) { scorers { length 1..50 } }
flow main(x: text) -> json {
  a = first(x)
  b = len(x)
  c = try run(x)
  return [a, b, c.passed, [text for text in [x]], min([2, 1])]
}
"""


async def test_declared_names_count_before_built_in_ones_and_before_the_run() -> None:
    with script({"len": "asked"}):
        result = await program(SOURCE).run("x")
    assert result.answer == ["own x", "asked", True, ["x"], 1]
