"""`jrun test`: what it prints, how it ends, its report, and blocks that are recorded."""

from __future__ import annotations

import errno
import os
from collections.abc import Awaitable
from pathlib import Path
from typing import Any
from xml.etree import ElementTree

import pytest

from judgeflow.dsl.format import format_source
from judgeflow.dsl.parse import parse_chunk
from judgeflow.runtime.cli import main, test_blocks, whole_file
from judgeflow.runtime.testing.recorded import literal

SOURCE = """\
model small "echo/any"

tool look(id: text) -> text { python "shop.py:look" }

agent writer "Writes" { model small }

flow main(question: text) -> text {
  draft = writer(question)
  order = look("1")
  fine = approve "Fine?"
  if not fine { stop "not fine" }
  return "{{ draft }} {{ order }}"
}

# what it is about
test "one" for main {
  given { question: "hello" }
  writer replies "old"
  look returns "sent"
  approve replies true
  expect result contains "sent"
}

test "two" for main {
  given { question: "say \\"\\{{ hi }}\\" \\\\ \\u{1B}[31m" }
  look returns "sent"
  approve replies true
  expect result contains "hi"
}
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    (tmp_path / "flow.judge").write_text(SOURCE, encoding="utf-8")
    (tmp_path / "shop.py").write_text("def look(id):\n    return id\n", encoding="utf-8")
    return tmp_path


def test_passing_blocks_end_with_0(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["test", "flow.judge", "-k", "one"]) == 0
    assert capsys.readouterr().out == "✔ one\n1 passed, 0 failed\n"


def test_case_278_a_failing_block_ends_with_1_and_shows_its_line(capsys: pytest.CaptureFixture[str]) -> None:
    Path("flow.judge").write_text(SOURCE.replace('contains "sent"', 'contains "late"'), encoding="utf-8")
    assert main(["test", "flow.judge", "-k", "one"]) == 1
    assert capsys.readouterr().out == (
        '✖ one\n    flow.judge:21: expected result contains "late"\n      result is "old sent"\n0 passed, 1 failed\n'
    )


@pytest.mark.parametrize(
    ("words", "code", "told"),
    [
        (["none.judge"], 2, "jrun: none.judge: there is no such file"),
        (["flow.judge", "-k", "three"], 2, "there is no test whose name contains 'three'"),
        (["bad.judge"], 3, "error[name.unknown]"),
    ],
)
def test_what_cannot_be_run_says_why(
    words: list[str], code: int, told: str, capsys: pytest.CaptureFixture[str]
) -> None:
    Path("bad.judge").write_text("flow main { wrtier() }\n", encoding="utf-8")
    assert main(["test", *words]) == code
    assert told in capsys.readouterr().err


def test_case_279_case_286_a_report_is_well_formed_whatever_a_model_said_and_the_code_stays(
    capsys: pytest.CaptureFixture[str],
) -> None:
    hostile = SOURCE.replace('writer replies "old"', 'writer replies "\\u{0} \\u{1B}[31m <b>&]]> text"')
    Path("flow.judge").write_text(hostile.replace('contains "sent"', 'contains "late"'), encoding="utf-8")
    assert main(["test", "flow.judge", "-k", "one", "--junit", "out.xml"]) == 1
    (case,) = ElementTree.parse("out.xml").getroot().findall("testcase")
    assert (case.get("classname"), case.get("name")) == ("flow.judge", "one")
    failure = case.find("failure")
    assert failure is not None
    assert 'flow.judge:21: expected result contains "late"' in (failure.text or "")
    assert "\x1b" not in capsys.readouterr().out


def test_record_writes_what_the_models_answered_and_keeps_the_rest(
    capsys: pytest.CaptureFixture[str],
) -> None:
    assert main(["test", "flow.judge", "--record"]) == 0
    written = Path("flow.judge").read_text(encoding="utf-8")
    assert written == format_source(
        SOURCE.replace('writer replies "old"', 'writer replies ["hello"]').replace(
            '[31m" }\n  look', '[31m" }\n  writer replies ["say \\"\\{{ hi }}\\" \\\\ \\u{1B}[31m"]\n  look'
        )
    )
    shown = capsys.readouterr()
    assert shown.err == "● one: recorded\n● two: recorded\n"
    assert shown.out == "✔ one\n✔ two\n2 passed, 0 failed\n"
    assert main(["test", "flow.judge"]) == 0


def test_record_takes_the_blocks_that_are_named(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["test", "flow.judge", "-k", "one", "--record"]) == 0
    assert Path("flow.judge").read_text(encoding="utf-8").count("replies [") == 1


def test_a_file_that_may_not_be_written_is_told_before_a_model_is_asked(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr(os, "access", lambda path, mode: mode != os.W_OK)
    monkeypatch.setattr(test_blocks, "record_block", None)
    assert main(["test", "flow.judge", "--record"]) == 2
    assert "jrun: flow.judge: it cannot be written, so no model is asked" in capsys.readouterr().err


def test_a_full_disk_leaves_the_blocks_as_they_were_and_is_told(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    def full(path: str, text: str, mode: int) -> None:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), path)

    monkeypatch.setattr(whole_file, "_write", full)
    before = Path("flow.judge").read_text(encoding="utf-8")
    assert main(["test", "flow.judge", "--record"]) == 1
    assert capsys.readouterr().err == "jrun: --record flow.judge: No space left on device\n"
    assert Path("flow.judge").read_text(encoding="utf-8") == before


def test_a_file_that_changes_while_it_is_recorded_keeps_its_change(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    record = test_blocks.record_block
    changed = "# a thought\n" + SOURCE

    def edited(*given: Any) -> Awaitable[str]:
        Path("flow.judge").write_text(changed, encoding="utf-8")
        return record(*given)

    monkeypatch.setattr(test_blocks, "record_block", edited)
    assert main(["test", "flow.judge", "--record"]) == 2
    assert "it was changed while its tests were recorded" in capsys.readouterr().err
    assert Path("flow.judge").read_text(encoding="utf-8") == changed


def test_what_is_recorded_has_the_line_ends_of_its_file() -> None:
    Path("flow.judge").write_bytes(SOURCE.replace("\n", "\r\n").encode())
    assert main(["test", "flow.judge", "--record"]) == 0
    written = Path("flow.judge").read_bytes()
    assert written.count(b"\n") == written.count(b"\r\n")


def test_a_report_that_cannot_be_written_hides_no_result(capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["test", "flow.judge", "-k", "one", "--junit", "none/out.xml"]) == 2
    told = capsys.readouterr()
    assert told.out.endswith("1 passed, 0 failed\n")
    assert "--junit none/out.xml: No such file or directory" in told.err
    Path("flow.judge").write_text(SOURCE.replace('contains "sent"', 'contains "late"'), encoding="utf-8")
    assert main(["test", "flow.judge", "--junit", "none/out.xml"]) == 1


def test_a_model_that_cannot_be_asked_leaves_the_file_alone(
    capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.delenv("OPENAI_API_KEY", raising=False)
    monkeypatch.delenv("OPENROUTER_API_KEY", raising=False)
    text = SOURCE.replace("echo/any", "openai/gpt-6-mini")
    Path("flow.judge").write_text(text, encoding="utf-8")
    assert main(["test", "flow.judge", "-k", "one", "--record"]) == 2
    assert "jrun: flow.judge:" in capsys.readouterr().err
    assert Path("flow.judge").read_text(encoding="utf-8") == text


@pytest.mark.parametrize(
    "value",
    [
        "",
        'a "b" \\ {{ c }} \n\t\r\x00\u2028 é 😀',
        3,
        -2.5,
        True,
        None,
        [],
        {},
        {"if": 1, "a b": [{"c": None}]},
    ],
)
def test_every_value_is_written_so_that_it_is_read_again(value: object) -> None:
    node, found = parse_chunk(f"let a = {literal(value)}")
    assert node is not None
    assert found == ()
