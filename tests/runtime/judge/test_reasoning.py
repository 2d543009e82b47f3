"""A model's thinking comes off before anything is read."""

from __future__ import annotations

import pytest

from judgeflow.runtime.judge.reading import read_verdict, strip_reasoning


@pytest.mark.parametrize(
    ("text", "kept"),
    [
        ("plain", "plain"),
        ("<think>draft</think>\n\nThe answer.", "The answer."),
        ("  <Thinking>draft</Thinking>The answer.", "The answer."),
        ("draft, opened by the prompt</think>\nThe answer.", "The answer."),
        ("Before.<think>aside</think>After.", "Before.After."),
        ("<think>one</think>A<think>two</think>B", "AB"),
        ("<think>never closed: the answer", ""),
        ("A<think>cut", "A<think>cut"),
        ("Write `<think>draft</think>` as an example.", "Write `<think>draft</think>` as an example."),
        ("Like so:\n```\n<think>draft</think>\n```", "Like so:\n```\n<think>draft</think>\n```"),
        ("a <thinker>b</thinker>", "a <thinker>b</thinker>"),
    ],
)
def test_reasoning_goes_and_everything_else_stays(text: str, kept: str) -> None:
    assert strip_reasoning(text) == kept


def test_a_draft_is_never_an_answer() -> None:
    assert read_verdict('<think>maybe {"verdict": "pass"}</think>{"verdict": "block"}').verdict == "block"
    assert not read_verdict('<think>I will say {"verdict": "pass"}').readable
    assert read_verdict("VERDICT: PASS, or not?</think>\nVERDICT: BLOCK").verdict == "block"
    assert not read_verdict("<think>VERDICT: PASS</think>\nWell.").readable
