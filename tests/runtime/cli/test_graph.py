"""`jrun graph`: where the picture goes and how it ends."""

from __future__ import annotations

from pathlib import Path

import pytest

from judgeflow.runtime.cli import main

TWO = """
agent writer { model "openai/gpt-6-mini"  prompt "Write." }
flow one(x: text) -> text { return writer(x) }
flow two(x: text) -> text { return one(x) }
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "two.judge").write_text(TWO, encoding="utf-8")
    (tmp_path / "one.judge").write_text(TWO.replace("flow two", "flow main"), encoding="utf-8")
    return tmp_path


def test_it_draws_the_entry_flow_to_standard_output(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["graph", "one.judge"]) == 0
    shown = capsys.readouterr()
    assert shown.out.startswith("<svg ")
    assert 'aria-label="main"' in shown.out
    assert shown.err == ""


@pytest.mark.parametrize(
    ("words", "begins"),
    [
        (["-o", "out.svg"], "<svg "),
        (["-o", "out.mmd"], "flowchart TD\n"),
        (["-o", "out.txt", "--format", "mermaid"], "flowchart TD\n"),
        (["-o", "out.mmd", "--format", "svg"], "<svg "),
    ],
)
def test_the_name_of_the_output_says_what_is_written(
    words: list[str], begins: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main(["graph", "two.judge", "--flow", "two", *words]) == 0
    assert Path(words[1]).read_text(encoding="utf-8").startswith(begins)
    assert capsys.readouterr().out == ""


def test_what_cannot_be_drawn_says_why(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["graph", "two.judge"]) == 2
    assert main(["graph", "two.judge", "--flow", "thrid"]) == 2
    assert main(["graph", "none.judge"]) == 2
    Path("types.judge").write_text("type T { a: text }\n", encoding="utf-8")
    assert main(["graph", "types.judge"]) == 2
    assert main(["graph", "two.judge", "--flow", "one", "-o", "no/such/folder.svg"]) == 2
    assert capsys.readouterr().err.splitlines() == [
        "jrun graph: say which flow with --flow; the file's flows: one, two",
        "jrun graph: there is no flow `thrid`; the file's flows: one, two",
        "jrun graph: there is no file none.judge",
        "jrun graph: the file declares no flow",
        "jrun graph: no/such/folder.svg: No such file or directory",
    ]


def test_a_file_with_errors_is_not_drawn(capsys: pytest.CaptureFixture[str]) -> None:
    Path("bad.judge").write_text("flow main { wrtier() }\n", encoding="utf-8")
    assert main(["graph", "bad.judge"]) == 3
    shown = capsys.readouterr()
    assert shown.out == ""
    assert "name.unknown" in shown.err
