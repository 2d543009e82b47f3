"""`model.no-price` and the price list: what is listed needs no price, unless another service asks for it."""

from __future__ import annotations

import pytest

from judgeflow.dsl.passes import load

LIMITED = """
provider rack {{ api openai  url "http://rack/v1" }}
model small {model}
agent writer(topic: text) {{ model small }}
flow main(topic: text) -> text {{ return writer(topic) }}
limits {{ cost $1 per run }}
"""


@pytest.mark.parametrize(
    ("model", "missing"),
    [
        ('"openai/gpt-5-mini"', False),
        ('"openai/gpt-5-mini-2025-08-07"', False),
        ('"anthropic/claude-haiku-4-5"', False),
        ('"openai/gpt-5-mini" via rack', True),
        ('"openai/nobody-knows"', True),
        ('"ollama/qwen3"', True),
        ('"local/smollm2"', False),
        ('"local/smollm2" via rack', True),
    ],
)
def test_what_is_listed_needs_no_price_unless_another_service_asks_for_it(model, missing) -> None:
    checked = load("x.judge", lambda _: LIMITED.format(model=model).encode())
    errors = [found.code for found in checked.diagnostics if found.severity == "error"]
    assert errors == (["model.no-price"] if missing else [])
