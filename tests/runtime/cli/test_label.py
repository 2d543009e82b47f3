from __future__ import annotations

import io
import os
import pty
import select
import subprocess
import sys
import termios
import time
from pathlib import Path

import pytest

from judgeflow.runtime.cli import main
from judgeflow.runtime.store.records import Tern, Versions
from judgeflow.runtime.store.scores import labels
from judgeflow.runtime.store.terns import Store


@pytest.fixture
def path(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "terns.sqlite"
    monkeypatch.setenv("TERN_DB", str(path))
    return path


@pytest.fixture
def filled(path: Path) -> Path:
    with Store.open(path) as store:
        for n, status in enumerate(("answered", "failed", "answered", "answered")):
            at = f"2026-03-01T11:0{n}:00.000Z"
            store.finish(
                Tern(
                    id=f"run{n}", thread=f"t{n}", flow="main", workflow="w", status=status,  # type: ignore[arg-type]
                    task=f"task {n}", answer=f"answer {n}", started=at, ended=at,
                )
            )  # fmt: skip
    return path


def label(monkeypatch: pytest.MonkeyPatch, keys: str, *words: str) -> int:
    monkeypatch.setattr("sys.stdin", io.StringIO(keys))
    return main(["label", "--by", "ann", *words])


def said(path: Path) -> list[tuple[str, str, str | None]]:
    with Store.read(path) as store:
        return [(one.run, one.label, one.note) for one in labels(store)]


def test_why_there_is_nothing_to_label_is_said(
    filled: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert label(monkeypatch, "p", "--flow", "other") == 0
    assert capsys.readouterr().out == "nothing to label: no answered run fits\n"
    label(monkeypatch, "ppp")
    capsys.readouterr()
    assert label(monkeypatch, "p", "--limit", "1") == 0
    assert capsys.readouterr().out == "nothing to label: every answered run that fits has a label by ann\n"


def test_a_version_that_never_ran_is_wrong_use(
    filled: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    with Store.open(filled) as store:
        versions = Versions(workflow="3", prompt="p" * 64)
        at = "2026-03-01T11:09:00.000Z"
        tern = Tern(
            id="run9",
            thread="t9",
            flow="main",
            workflow="w",
            status="answered",
            started=at,
            versions=versions,
        )
        store.finish(tern)
    assert label(monkeypatch, "p", "--version", "nope") == 2
    assert capsys.readouterr().err == "jrun label: no run has version nope; there are 3 (pppppppp)\n"
    assert label(monkeypatch, "p", "--version", "3") == 0


def test_f36_each_answer_gets_a_label_by_one_key_oldest_first(
    filled: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert label(monkeypatch, "pfp") == 0
    assert said(filled) == [("run0", "pass", None), ("run2", "fail", None), ("run3", "pass", None)]
    out = capsys.readouterr().out
    assert "1 of 3   run0  main  2026-03-01 11:00\n  task    task 0\n  answer  answer 0\n" in out
    assert "3 labelled now; in all 3 by ann: 2 pass, 1 fail\n17 more and `jrun calibrate FILE`" in out


def test_what_has_a_label_is_not_shown_again_and_what_was_skipped_is(
    filled: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    label(monkeypatch, "spq")
    assert said(filled) == [("run2", "pass", None)]
    capsys.readouterr()
    label(monkeypatch, "pp")
    assert "task 2" not in capsys.readouterr().out
    assert len(said(filled)) == 3
    label(monkeypatch, "")
    assert "nothing to label" in capsys.readouterr().out


def test_a_label_is_taken_back_and_given_anew(filled: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    label(monkeypatch, "pufq")
    assert said(filled) == [("run0", "fail", None)]


def test_a_note_goes_with_the_label_that_follows(filled: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    label(monkeypatch, "nno source\nfpq")
    assert said(filled) == [("run0", "fail", "no source"), ("run2", "pass", None)]


def test_another_key_is_named_and_changes_nothing(
    filled: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    label(monkeypatch, "xPq")
    assert "'x' is none of these" in capsys.readouterr().out
    assert said(filled) == [("run0", "pass", None)]


def test_filters_and_a_limit_choose_what_is_shown(filled: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    label(monkeypatch, "pp", "--text", "task 3")
    label(monkeypatch, "ff", "--limit", "1")
    assert said(filled) == [("run2", "fail", None), ("run3", "pass", None)]


@pytest.mark.usefixtures("path")
def test_before_the_first_run_there_is_nothing(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    assert label(monkeypatch, "p") == 2
    assert "there is nothing to label yet" in capsys.readouterr().err


@pytest.mark.slow
def test_on_a_terminal_one_key_is_enough_and_the_terminal_is_left_as_it_was(filled: Path) -> None:
    ours, theirs = pty.openpty()
    before = termios.tcgetattr(theirs)
    program = "import sys; from judgeflow.runtime.cli import main; sys.exit(main(['label', '--by', 'ann']))"
    child = subprocess.Popen(
        [sys.executable, "-c", program], stdin=theirs, stdout=theirs, stderr=theirs, start_new_session=True
    )
    try:
        assert shows(ours, b"[q]uit")
        while termios.tcgetattr(theirs)[3] & termios.ICANON:
            time.sleep(0.01)
        os.write(ours, b"f")
        assert shows(ours, b"run2")
        os.write(ours, b"q")
        assert child.wait(timeout=10) == 0
    finally:
        child.kill()
    assert termios.tcgetattr(theirs) == before
    assert said(filled) == [("run0", "fail", None)]


def shows(terminal: int, text: bytes) -> bool:
    """Whether a text appears within ten seconds."""
    screen = b""
    while text not in screen and select.select([terminal], [], [], 10)[0]:
        screen += os.read(terminal, 10_000)
    return text in screen
