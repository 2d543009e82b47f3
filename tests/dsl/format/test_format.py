"""`jrun fmt`: the same program, the same comments, and nothing left to do the second time."""

from __future__ import annotations

from pathlib import Path

import pytest

from judgeflow.dsl.format import format_source, without_places
from judgeflow.dsl.parse import parse
from judgeflow.dsl.source import Source
from judgeflow.runtime.cli import main

from .programs import Programs

EXAMPLES = sorted((Path(__file__).parents[3] / "examples").glob("*.judge"))


def tree(text: str) -> list[object]:
    module = parse(Source("", text))
    assert module.diagnostics == (), text
    return [without_places(item.node) for item in module.items if item.node is not None]


def check(text: str) -> str:
    formatted = format_source(text)
    assert tree(formatted) == tree(text)
    assert format_source(formatted) == formatted
    assert formatted.count("#") == text.count("#")
    return formatted


@pytest.mark.parametrize("path", EXAMPLES, ids=lambda path: path.stem)
def test_every_example_stands_in_the_canonical_layout(path: Path) -> None:
    text = path.read_text(encoding="utf-8")
    assert check(text) == text


@pytest.mark.parametrize("seed", range(60))
def test_a_generated_program_stays_the_same_program(seed: int) -> None:
    check(Programs(seed).program())


@pytest.mark.slow
def test_two_thousand_generated_programs_stay_the_same() -> None:
    for seed in range(2000):
        check(Programs(10_000 + seed).program())


LAYOUTS = {
    "values stand in a column": (
        'agent a {\n  model m\n  prompt "p"\n  retries 2\n}',
        'agent a {\n  model   m\n  prompt  "p"\n  retries 2\n}\n',
    ),
    "a blank line breaks the column and stays": (
        'agent a {\n  model m\n\n\n  prompt "p"\n}',
        'agent a {\n  model m\n\n  prompt "p"\n}\n',
    ),
    "what was on one line stays on one": (
        'model   m "v/x"   { kind   decision }',
        'model m "v/x" { kind decision }\n',
    ),
    "redundant brackets go": ("let x = ((1 + 2)) * (3)", "let x = (1 + 2) * 3\n"),
    "open expressions keep the brackets they need": (
        "let x = (if a then 1 else 2) == 1",
        "let x = (if a then 1 else 2) == 1\n",
    ),
    "an open expression may end an and": (
        "let x = a and (every i in xs: i > 0)",
        "let x = a and every i in xs: i > 0\n",
    ),
    "comments stay where they were": (
        "# before\nflow f(x: text) -> text { # behind\n# at the margin\n  return x # last\n  # end\n}",
        "# before\nflow f(x: text) -> text {  # behind\n  # at the margin\n  return x  # last\n  # end\n}\n",
    ),
    "a text block moves with its clause": (
        'agent a {\n      prompt """\n            one\n              two\n            """\n}',
        'agent a {\n  prompt """\n    one\n      two\n    """\n}\n',
    ),
    "carriage returns become line feeds": (
        'import "a.judge"\r\nimport "b.judge"\r\n',
        'import "a.judge"\nimport "b.judge"\n',
    ),
    "declarations of several lines stand apart": (
        "type A {\n  x: text\n}\ntype B { y: text }",
        "type A {\n  x: text\n}\n\ntype B { y: text }\n",
    ),
    "numbers keep their spelling": (
        "let x = [1_000, 1e-3, $0.50, 200ms]",
        "let x = [1_000, 1e-3, $0.50, 200ms]\n",
    ),
}


@pytest.mark.parametrize(("before", "after"), LAYOUTS.values(), ids=LAYOUTS)
def test_layout(before: str, after: str) -> None:
    assert check(before) == after


def test_a_declaration_with_a_mistake_is_left_as_it_is_and_its_neighbours_are_not() -> None:
    broken = "agent a {\n   modle   x\n}"
    assert format_source(f"{broken}\nlet   x = 1") == f"{broken}\n\nlet x = 1\n"


def test_an_empty_file_stays_empty() -> None:
    assert format_source("") == format_source("\n\n") == ""


@pytest.fixture
def untidy(tmp_path: Path) -> Path:
    path = tmp_path / "untidy.judge"
    path.write_text("let   x = 1\n", encoding="utf-8")
    return path


def test_fmt_rewrites_files(untidy: Path) -> None:
    assert main(["fmt", str(untidy.parent)]) == 0
    assert untidy.read_text(encoding="utf-8") == "let x = 1\n"


def test_fmt_check_changes_nothing_and_exits_with_1(untidy: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["fmt", "--check", str(untidy)]) == 1
    assert untidy.read_text(encoding="utf-8") == "let   x = 1\n"
    assert capsys.readouterr().out == f"{untidy}\n"


def test_fmt_diff_shows_what_would_change(untidy: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["fmt", "--diff", str(untidy)]) == 1
    assert "-let   x = 1\n+let x = 1\n" in capsys.readouterr().out


def test_fmt_of_nothing_is_wrong_use(tmp_path: Path) -> None:
    assert main(["fmt", str(tmp_path / "gone.judge")]) == 2
    assert main(["fmt", str(tmp_path)]) == 2


def test_fmt_says_what_it_left_alone(tmp_path: Path, capsys: pytest.CaptureFixture[str]) -> None:
    path = tmp_path / "main.judge"
    path.write_text("let   a = 1\nagnet w { }\nlet b =\n", encoding="utf-8")
    assert main(["fmt", str(path)]) == 3
    assert capsys.readouterr().err == (
        f"jrun: {path}: 2 declarations have mistakes and were left as they are: see `jrun check {path}`\n"
        "1 of 1 file changed\n"
    )
    assert path.read_text(encoding="utf-8").startswith("let a = 1\n")
    assert main(["fmt", "--check", str(path)]) == 3


def test_fmt_leaves_hidden_folders_alone_and_names_the_byte_that_is_no_text(
    tmp_path: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    hidden = tmp_path / ".venv" / "lib"
    hidden.mkdir(parents=True)
    (hidden / "x.judge").write_text("let   a = 1\n", encoding="utf-8")
    assert main(["fmt", str(tmp_path)]) == 2
    (tmp_path / "y.judge").write_bytes(b'let a = "\xff"')
    assert main(["fmt", str(tmp_path)]) == 3
    assert "y.judge: byte 9 is not valid UTF-8" in capsys.readouterr().err
