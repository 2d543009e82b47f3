"""`jrun resume`: a run that waits, answered from the command line."""

from __future__ import annotations

import json
import re
from pathlib import Path

import pytest

from judgeflow.runtime.cli import main

SOURCE = """
model small "script/t"
agent writer(topic: text) { model small }
flow main(text: text) -> text {
  draft = writer(text)
  approve "Send it?" showing draft
  approve "Really?"
  return "sent {{ draft }}"
}
test "t" for main { given { text: "x" }  writer replies ["one"]  approve replies true  expect result == "sent one" }
"""


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.setenv("TERN_DB", str(tmp_path / "terns.sqlite"))
    path = tmp_path / "demo.judge"
    path.write_text(SOURCE, encoding="utf-8")
    return path


def paused(file: Path, capsys: pytest.CaptureFixture[str]) -> str:
    """Runs it until it waits; the id that the screen names."""
    assert main([str(file), "terns"]) == 5
    told = capsys.readouterr().err
    found = re.search(r"go on with: jrun resume ([0-9a-f]{8})", told)
    assert found is not None, told
    return found[1]


def test_a_yes_answers_what_was_shown_and_nothing_after_it(
    file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = paused(file, capsys)
    # The second question has been shown to nobody: it waits again.
    assert main(["resume", run, "--yes"]) == 5
    assert "Really?" in capsys.readouterr().err
    assert main(["resume", run, "--yes", "--quiet"]) == 0
    shown = capsys.readouterr()
    assert shown.out == "sent one\n"
    assert main(["resume", run, "--yes"]) == 2
    assert "is answered: there is nothing to go on with" in capsys.readouterr().err


def test_a_no_ends_it_as_guarded(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = paused(file, capsys)
    assert main(["resume", run, "--no", "--json"]) == 4
    record = json.loads(capsys.readouterr().out)
    assert (record["status"], record["code"], record["id"][:8]) == ("guarded", "approve.refused", run)


def test_without_a_terminal_and_an_answer_it_goes_on_waiting(
    file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    run = paused(file, capsys)
    assert main(["resume", run]) == 5


def test_a_program_that_was_moved_or_changed(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    run = paused(file, capsys)
    moved = file.with_name("moved.judge")
    file.rename(moved)
    assert main(["resume", run, "--yes"]) == 2
    assert "if it was moved, give it with --file" in capsys.readouterr().err
    changed = file.with_name("changed.judge")
    changed.write_text(SOURCE.replace("sent {{", "SENT {{"), encoding="utf-8")
    assert main(["resume", run, "--yes", "--file", str(changed)]) == 2
    assert "the program has changed since" in capsys.readouterr().err


def test_a_run_that_is_not_there(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["resume", "abc"]) == 2
    paused(file, capsys)
    assert main(["resume", "zzz"]) == 2
    assert "zzz" in capsys.readouterr().err


def test_a_run_with_another_model_goes_on_with_it_as_the_screen_says(
    file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([str(file), "terns", "--model", "writer=echo/x"]) == 5
    found = re.search(r"jrun resume (\w{8}) --model 'writer=echo/x'", capsys.readouterr().err)
    assert found is not None
    assert main(["resume", found[1], "--yes"]) == 2
    assert f"`jrun rerun {found[1]}` runs it anew" in capsys.readouterr().err
    assert main(["resume", found[1], "--model", "writer=echo/x", "--yes"]) == 5
    assert main(["resume", found[1], "--model", "writer=echo/x", "--yes", "--quiet"]) == 0
    assert capsys.readouterr().out == "sent terns\n"


SEVERAL = """
flow main(text: text) -> text {
  parallel {
    legal = approve "Is it legal?"
    fine = approve "Is it fine?" showing text
  }
  return "{{ legal }} {{ fine }}"
}
"""


def test_approvals_that_wait_at_once_are_answered_by_their_names(
    file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file.write_text(SEVERAL, encoding="utf-8")
    run = paused(file, capsys)
    assert main(["resume", run, "--yes"]) == 2
    assert (
        'waits for legal ("Is it legal?"), fine ("Is it fine?"): answer each, as in `--answer legal=yes`'
        in capsys.readouterr().err
    )
    assert main(["resume", run, "--answer", "legal=no"]) == 5
    assert "‖ fine           paused  Is it fine?" in capsys.readouterr().err
    assert main(["resume", run, "--answer", "Is it fine?=yes"]) == 0
    assert capsys.readouterr().out == "false true\n"


@pytest.mark.parametrize(
    ("words", "said"),
    [
        ("--answer legal", "--answer legal: write NAME=yes or NAME=no"),
        ("--answer legal=perhaps", "--answer legal=perhaps: write NAME=yes or NAME=no"),
        ("--answer money=yes", "--answer money=yes: run "),
        ("--answer legal=yes --answer legal=no", "--answer legal=no: it is answered twice"),
    ],
)
def test_an_answer_to_nothing_that_waits_is_wrong_use(
    file: Path, words: str, said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    file.write_text(SEVERAL, encoding="utf-8")
    run = paused(file, capsys)
    assert main(["resume", run, *words.split()]) == 2
    assert said in capsys.readouterr().err


ALIKE = """
flow one(name: text) -> bool {
  ok = approve "Send it to {{ name }}?"
  return ok
}
flow main(text: text) -> json {
  sent = each name in ["Ann", "Bob"]: one(name)
  again = each turn in [1, 2]: same()
  return [sent, again]
}
flow same() -> bool {
  ok = approve "Sure?"
  return ok
}
"""


def test_approvals_of_one_name_are_told_apart_by_their_questions(
    file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file.write_text(ALIKE, encoding="utf-8")
    run = paused(file, capsys)
    assert main(["resume", run, "--answer", "ok=yes"]) == 2
    assert "which one? run" in (told := capsys.readouterr().err)
    assert 'waits for "Send it to Ann?", "Send it to Bob?"' in told
    assert main(["resume", run, "--answer", "Send it to Bob?=yes", "--answer", "Send it to Ann?=no"]) == 5
    capsys.readouterr()
    # Nothing tells the two apart that wait now, so that they get one answer or none.
    ids = [
        step["id"] for step in _steps(run, capsys) if step["status"] == "paused" and step["kind"] == "approve"
    ]
    assert main(["resume", run, "--answer", f"{ids[0]}=yes"]) == 2
    assert "with nothing to tell them apart: answer all alike" in capsys.readouterr().err
    assert main(["resume", run, *(f"--answer={name}=yes" for name in ids)]) == 0
    assert json.loads(capsys.readouterr().out) == [[False, True], [True, True]]


def test_a_yes_is_used_once_though_the_next_question_has_the_same_words(
    file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file.write_text('flow main(text: text) { approve "Sure?"  approve "Sure?" }', encoding="utf-8")
    run = paused(file, capsys)
    assert main(["resume", run, "--yes"]) == 5
    assert main(["resume", run, "--yes"]) == 0


def _steps(run: str, capsys: pytest.CaptureFixture[str]) -> list[dict[str, str]]:
    assert main(["show", run, "--json"]) == 0
    steps: list[dict[str, str]] = json.loads(capsys.readouterr().out)["steps"]
    return steps


def test_without_a_record_there_is_nothing_to_go_on_with_and_that_is_told(
    file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert main([str(file), "terns", "--no-store"]) == 5
    assert "no record of it was kept (--no-store)" in capsys.readouterr().err
