"""Standard input, output and error as a shell may leave them: closed, full, or with nobody at the other end."""

from __future__ import annotations

import io
import os
import shlex
import signal
import subprocess
import sys
from pathlib import Path

import pytest

from judgeflow.runtime.cli import main
from judgeflow.runtime.cli.interrupt import stop_signals
from judgeflow.runtime.cli.streams import PLAIN, prepare_streams
from judgeflow.runtime.store.terns import Store

SOURCE = """
model small "echo/x"
agent writer(question: text) { model small }
flow main(question: text) -> text { return writer(question) }
"""
COMMAND = "import sys; from judgeflow.runtime.cli import main; sys.exit(main())"


def shell(folder: Path, words: str) -> subprocess.CompletedProcess[str]:
    (folder / "f.judge").write_text(SOURCE, encoding="utf-8")
    (folder / "bad.judge").write_text("flow main() -> text { return x }\n" * 3000, encoding="utf-8")
    (folder / "long.judge").write_text("let   x = 1\n" * 9000, encoding="utf-8")
    jrun = f"{shlex.quote(sys.executable)} -c {shlex.quote(COMMAND)}"
    return subprocess.run(
        ["bash", "-c", words.replace("jrun", jrun)],
        cwd=folder,
        env={**os.environ, "TERN_DB": str(folder / "terns.sqlite")},
        capture_output=True,
        text=True,
        timeout=60,
        check=False,
    )


@pytest.mark.slow
@pytest.mark.parametrize(
    ("words", "code", "said"),
    [
        ("jrun f.judge hello | true; exit ${PIPESTATUS[0]}", 0, "thread: "),
        ("jrun f.judge hello --json | true; exit ${PIPESTATUS[0]}", 0, "thread: "),
        ("jrun f.judge hello > /dev/full", 1, "standard output cannot be written: No space left on device"),
        ("jrun f.judge hello > /dev/full", 1, "the record has it: jrun show "),
        ("jrun f.judge hello > /dev/full", 1, "thread: "),
        ("jrun f.judge hello --events > /dev/full", 1, "an event could not be printed; the record has it"),
        ("jrun f.judge hello --events | true; exit ${PIPESTATUS[0]}", 0, "thread: "),
        ("jrun --help > /dev/full", 1, "standard output cannot be written: No space left on device"),
        ("jrun check bad.judge > /dev/full", 1, "standard output cannot be written"),
        ("jrun f.judge hello >&-", 0, "thread: "),
        ("jrun f.judge hello <&-", 0, "thread: "),
        ("jrun f.judge <&-", 2, "standard input is empty"),
        ("jrun check f.judge >&-", 0, ""),
        ("jrun check bad.judge | head -1; exit ${PIPESTATUS[0]}", 3, ""),
        ("jrun check f.judge | true; exit ${PIPESTATUS[0]}", 0, ""),
        ("jrun bad.judge 2>&1 | head -1 > /dev/null; exit ${PIPESTATUS[0]}", 3, ""),
        ("jrun gone.judge 2>/dev/full", 2, ""),
        ("jrun fmt --diff long.judge | true; exit ${PIPESTATUS[0]}", 1, "1 of 1 file would be changed"),
    ],
)
def test_a_stream_that_is_full_closed_or_unread_ends_no_command_with_a_trace(
    tmp_path: Path, words: str, code: int, said: str
) -> None:
    ended = shell(tmp_path, words)
    assert (ended.returncode, "Traceback" in ended.stderr) == (code, False)
    assert said in ended.stderr
    assert "Exception ignored" not in ended.stderr


@pytest.mark.slow
@pytest.mark.parametrize("where", ["2>/dev/full", "2>&-"])
def test_remarks_that_cannot_be_written_are_no_failure(tmp_path: Path, where: str) -> None:
    ended = shell(tmp_path, f"jrun f.judge hello {where}")
    assert (ended.returncode, ended.stdout) == (0, "hello\n")
    with Store.read(tmp_path / "terns.sqlite") as store:
        assert [head.status for head in store.list_terns()] == ["answered"]


def test_a_terminal_that_is_closed_stops_a_run_unless_that_is_ignored() -> None:
    before = signal.signal(signal.SIGHUP, signal.SIG_DFL)
    try:
        assert signal.SIGHUP in stop_signals()
        signal.signal(signal.SIGHUP, signal.SIG_IGN)
        assert signal.SIGHUP not in stop_signals()
    finally:
        signal.signal(signal.SIGHUP, before)
    assert {signal.SIGINT, signal.SIGTERM} <= set(stop_signals())


def test_case_249_on_a_console_without_our_marks_no_two_verdicts_look_alike(
    monkeypatch: pytest.MonkeyPatch,
) -> None:
    raw = io.BytesIO()
    monkeypatch.setattr(sys, "stdout", io.TextIOWrapper(raw, encoding="ascii"))
    prepare_streams()
    print("✔ passed → ✖ failed, ? unreadable, ⊘ cut, ▶ runs; Wäs ☃", flush=True)
    assert raw.getvalue() == b"+ passed -> x failed, ? unreadable, - cut, > runs; W?s ?\n"
    marks = "✔✖▶‖⊘●"
    assert len(set(marks.translate(PLAIN)) | {"?"}) == len(marks) + 1


TOOL = """
tool look(id: text) -> text { python "look.py:look" }
flow main(id: text) -> text {
  found = look(id)
  return found
}
"""
LOOK = """
import os, subprocess, sys

def look(id):
    print("printed")
    os.write(1, b"written\\n")
    subprocess.run([sys.executable, "-c", "print('by another program')"], check=True)
    return id
"""


@pytest.mark.slow
def test_what_a_tool_and_the_programs_that_it_runs_print_spoils_no_answer(tmp_path: Path) -> None:
    (tmp_path / "look.py").write_text(LOOK, encoding="utf-8")
    (tmp_path / "tool.judge").write_text(TOOL, encoding="utf-8")
    done = shell(tmp_path, "jrun tool.judge A-7")
    assert (done.returncode, done.stdout) == (0, "A-7\n")
    for text in ("printed", "written", "by another program"):
        assert text in done.stderr


TALKS = """
model small "echo/x"
code judge ok(reply: text) "It is fine" { python "talks.py:ok" }
agent writer(question: text) { model small  judges [ok] }
flow main(question: text) -> text { return writer(question) }
suite all for main { cases "cases.jsonl"  checks [ok] }
test "one" for main { given { question: "hi" }  writer replies "hi"  expect result == "hi" }
"""
TALK = """
from judgeflow import Verdict

def ok(given):
    print("thinking aloud")
    return Verdict.passed()
"""


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("test talks.judge", "✔ one\n1 passed, 0 failed\n"),
        ("eval talks.judge --suite all", "1 passed, 0 failed"),
        ("compare talks.judge talks.judge --suite all", "0 better, 0 worse, 1 the same"),
    ],
)
def test_what_a_judge_prints_is_no_part_of_a_report(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str], words: str, said: str
) -> None:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TERN_DB", str(tmp_path / "terns.sqlite"))
    Path("talks.judge").write_text(TALKS, encoding="utf-8")
    Path("talks.py").write_text(TALK, encoding="utf-8")
    Path("cases.jsonl").write_text('{"input": "a"}\n', encoding="utf-8")
    assert main(words.split()) == 0
    told = capsys.readouterr()
    assert said in told.out
    assert ("thinking aloud" in told.out, "thinking aloud" in told.err) == (False, True)
