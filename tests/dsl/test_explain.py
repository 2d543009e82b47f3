"""The pages of the codes: each is there, reads like the others, and its examples are what they say."""

from __future__ import annotations

import ast
import re
from pathlib import Path

import pytest

import judgeflow.dsl
from judgeflow.dsl.explain import codes, page, title
from judgeflow.dsl.workspace.analysis import Workspace

SOURCES = Path(judgeflow.dsl.__file__).parent
AREAS = "syntax|text|name|import|clause|value|judge|shape|model|scorer|gate|decision|switch|flow|python|suite|test"
CODE = re.compile(rf"({AREAS})\.[a-z]+(-[a-z]+)*")

NEEDS_MORE_THAN_A_FILE = {
    "import.cycle",
    "import.missing",
    "judge.model-outside-judge",
    "python.missing",
    "python.signature",
    "suite.no-cases",
    "syntax.encoding",
    "syntax.too-deep",
}
"""Codes whose example cannot be shown in one short file; `diagnostics/` has those that the checker finds."""

AROUND = """\
model small "openai/gpt-6-mini" { price $1 in, $2 out }
model jev "typesafe/jev-1.13" { kind decision  price $1 in, $2 out }
type Ticket { id: text  title: text  vip: bool  customer: text }
tool pager(message: text) -> text { python "ops.py:page" }
tool logger(message: text) { python "ops.py:log" }
tool crm(customer: text) -> json { python "ops.py:crm" }
agent writer(task: text) { model small  prompt "Write." }
agent translator(source: text, language: text) { model small  prompt "Translate." }
agent reviewer { model small  prompt "Review." }
agent biller(ticket: Ticket) { model small  prompt "Answer." }
agent engineer(ticket: Ticket) { model small  prompt "Answer." }
agent clerk(ticket: Ticket) { model small  prompt "Answer." }
type Offer { salary: int }
type Refusal { why: text }
type Report { jobs: text[] }
judge in_language { model small  ask "Is it German? {{ reply }}" }
code judge short { require len(reply) < 400 else "Shorter." }
code judge correct { require len(reply) > 0 else "Say something." }
"""


def emitted_codes() -> set[str]:
    """Every code that stands as a text of its own in the sources."""
    found: set[str] = set()
    for path in SOURCES.rglob("*.py"):
        for node in ast.walk(ast.parse(path.read_text(encoding="utf-8"))):
            if isinstance(node, ast.Constant) and isinstance(node.value, str) and CODE.fullmatch(node.value):
                found.add(node.value)
    return found


def blocks(text: str, language: str) -> list[str]:
    return re.findall(rf"^```{language}\n(.*?)^```$", text, re.M | re.S)


def codes_in(text: str) -> set[str]:
    """The codes found in a file that also declares what the example takes for granted."""
    declared = set(re.findall(r"^(?:code )?\w+ (\w+)", text, re.M))
    around = [line for line in AROUND.splitlines() if not declared & set(line.split("(")[0].split()[1:3])]
    ops = b"def page(message): ...\ndef log(message): ...\ndef crm(customer): ..."
    workspace = Workspace(lambda path: ops if path == "ops.py" else None)
    workspace.update("main.judge", text + "\n" + "\n".join(around) + "\n")
    return {found.code for found in workspace.analyse("main.judge").diagnostics if found.start < len(text)}


def test_every_code_that_the_checker_emits_has_a_page() -> None:
    assert emitted_codes() <= set(codes())


def test_every_code_that_the_checker_emits_has_an_example_word_for_word() -> None:
    shown = {path.stem for path in (Path(__file__).parent / "diagnostics").glob("*.md")}
    assert emitted_codes() <= shown


@pytest.mark.parametrize("code", codes())
def test_a_page_has_a_title_and_an_example_of_both(code: str) -> None:
    text = page(code) or ""
    assert text.startswith(f"# `{code}`: ")
    assert title(text)
    assert "\n## Before\n" in text
    assert "\n## After\n" in text
    assert max(map(len, text.splitlines())) <= 120


@pytest.mark.parametrize("code", sorted(set(codes()) - NEEDS_MORE_THAN_A_FILE))
def test_the_example_before_has_the_mistake_and_the_one_after_does_not(code: str) -> None:
    before, after = blocks(page(code) or "", "judge")
    assert code in codes_in(before)
    assert code not in codes_in(after)


def test_there_is_no_page_outside_the_folder() -> None:
    assert page("../diagnostics") is None
    assert page("") is None
