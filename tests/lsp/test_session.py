"""The session against a fresh reading: after any edits the same text and the same diagnostics."""

from __future__ import annotations

import random
from pathlib import Path

import pytest

from judgeflow.dsl.check.document import Held
from judgeflow.dsl.diagnostics import Diagnostic, Edit
from judgeflow.dsl.workspace.analysis import Workspace
from judgeflow.lsp.session import Session
from judgeflow.lsp.wire import Change, Position, Range

URI, PATH = "file:///w/main.judge", "/w/main.judge"
PIECES = [
    "\n", "\r\n", "  ", "}", "{", '"', '"""', "#", "agent a {\n", "model small", "small", "writer", "{{",
    "}}", "😋", "\nlet x = 1\n", "type Offer { salary: int }\n", "\nflow f(t: text) -> text {\n", "  return t\n",
    "x", "1", ":", "[", "]",
]  # fmt: skip


EXAMPLES = ("support", "hello", "decisions", "offer_or_refusal", "job_search")


def example(name: str) -> str:
    return (Path(__file__).parents[2] / "examples" / f"{name}.judge").read_text(encoding="utf-8")


def nothing(path: str) -> None:
    """There are no files on disk."""


def fresh(text: str) -> tuple[Diagnostic, ...]:
    workspace = Workspace(nothing)
    workspace.update(PATH, text)
    return workspace.analyse(PATH).diagnostics


def check_random_edits(text: str, seed: int, edits: int, *, every: int = 1) -> None:
    """Edits, of which some are followed by others before anybody looks; every so many looks are held against
    a fresh reading."""
    looks = 0
    rng = random.Random(seed)
    session = Session(Workspace(nothing), "utf-16")
    session.open(URI, 0, text)
    session.due()
    for version in range(1, edits + 1):
        [document] = session.documents
        if rng.random() < 0.03:
            change = Change(text)
        else:
            line = rng.randrange(document.line_count)
            start = Position(line, rng.randrange(50))
            end = Position(line + rng.choice((0, 0, 0, 1, 3)), rng.randrange(50))
            change = Change(rng.choice([*PIECES, ""]), Range(start, end if rng.random() < 0.4 else start))
        session.change(URI, version, [change])
        if rng.random() < 0.6:
            [due] = session.due()
            found = session.news(due)
            looks += 1
            if looks % every == 0:
                assert found == fresh(document.text), (seed, version)


def test_random_edits_give_the_diagnostics_of_a_fresh_reading() -> None:
    for seed in range(3):
        check_random_edits(example("support"), seed, 25)


@pytest.mark.slow
@pytest.mark.parametrize("name", EXAMPLES)
def test_ten_thousand_random_edits_give_the_diagnostics_of_a_fresh_reading(name: str) -> None:
    text = example(name)
    check_random_edits(text, 100, 100)
    for seed in range(19):
        check_random_edits(text, 200 + seed, 100, every=10)


def test_the_second_of_two_declarations_counts_once_the_first_is_gone() -> None:
    text = 'model m "a/b" { kind decision }\nmodel m "a/b"\nagent a { model m  prompt "x" }\n'
    session = Session(Workspace(nothing))
    session.open(URI, 1, text)
    [document] = session.due()
    assert "model.wrong-kind" in {found.code for found in session.news(document) or ()}
    session.change(URI, 2, [Change("", Range(Position(0, 0), Position(1, 0)))])
    assert session.news(session.due()[0]) == fresh(document.text)


def test_a_burst_is_analysed_once() -> None:
    counted: list[str] = []

    class Counting(Workspace):
        def edit(self, path: str, edit: Edit, held: Held) -> None:
            counted.append(held.text)
            super().edit(path, edit, held)

    session = Session(Counting(nothing))
    session.open(URI, 1, "")
    session.due()
    for version in range(2, 50):
        session.change(URI, version, [Change("#", Range(Position(0, 0), Position(0, 0)))])
    assert session.due() == list(session.documents)
    assert counted == ["#" * 48]


def test_what_was_said_is_not_said_again() -> None:
    session = Session(Workspace(nothing))
    session.open(URI, 1, "let x = 1\n")
    [document] = session.due()
    assert session.news(document) == ()
    assert session.news(document) is None
    assert session.due() == []
    session.open(URI, 1, "let x = 1\n")
    assert session.news(session.due()[0]) == ()


def test_what_points_to_another_line_of_another_text_is_said_again() -> None:
    """Where an edit moves nothing by a character but a line begins."""
    session = Session(Workspace(nothing))
    session.open("file:///w/library.judge", 1, "# \nlet x = 1\n")
    session.open(URI, 1, 'import "library.judge"\nlet x = 2\n')
    found = {document.path: session.news(document) for document in session.due()}
    assert [one.code for one in found[PATH] or ()] == ["name.duplicate"]
    before = session.edition(session.document(PATH), found[PATH] or ())
    session.change("file:///w/library.judge", 2, [Change("\n", Range(Position(0, 1), Position(0, 2)))])
    again = {document.path: session.news(document) for document in session.due()}
    assert again[PATH] == found[PATH]
    assert session.edition(session.document(PATH), again[PATH] or ()) != before


def test_a_file_that_is_not_there_has_an_empty_text_to_point_into() -> None:
    session = Session(Workspace(nothing))
    assert session.document("/w/nowhere.judge").text == ""
    assert session.analysis_of("/w/nowhere.judge") is None
    assert session.opened("file:///w/nowhere.judge") is None
    assert session.close("file:///w/nowhere.judge") is None
