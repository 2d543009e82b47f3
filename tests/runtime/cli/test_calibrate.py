"""`jrun calibrate` as a user meets it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from judgeflow.runtime.cli import main

FILE = """\
workflow desk
model m "script/replies.jsonl"
agent writer { model m  prompt "Answer." }
flow main(question: text) -> text { return writer(question) }
code judge short { require len(reply) < 6 else "too long" }
code judge right(reply: text, expected: text) { require reply == expected else "wrong" }
suite golden for main { cases "labels.jsonl"  checks [right(case.expected)]  labels "labels.jsonl" }
suite bare for main { cases "labels.jsonl"  checks [short] }
"""
LABELS = """\
{"input": "Capital of France?", "answer": "Paris", "label": "pass", "expected": "Paris"}
{"input": "Capital of Italy?", "answer": "It is Rome", "label": "pass", "expected": "Rome"}
{"input": "Capital of Spain?", "answer": "Barcelona", "label": "fail", "expected": "Madrid"}
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TERN_DB", str(tmp_path / "terns.sqlite"))
    (tmp_path / "desk.judge").write_text(FILE)
    (tmp_path / "labels.jsonl").write_text(LABELS)
    (tmp_path / "replies.jsonl").write_text('{"name": "writer", "reply": "Hi"}')
    return tmp_path


def calibrate(*words: str) -> int:
    return main(["calibrate", "desk.judge", *words])


def test_labels_of_a_file(capsys: pytest.CaptureFixture[str]) -> None:
    assert calibrate("--judge", "short", "--labels", "labels.jsonl") == 0
    out = capsys.readouterr().out
    assert out.startswith("desk  short against people: 3 labels of labels.jsonl\n")
    assert "people passed             1             1    2" in out
    assert "agreement 0.667" in out
    assert "too few to tell: 3 labels" in out


def test_a_suites_labels_and_the_arguments_of_its_check(capsys: pytest.CaptureFixture[str]) -> None:
    assert calibrate("--judge", "right", "--suite", "golden", "--json") == 0
    report = json.loads(capsys.readouterr().out)
    assert report["confusion"] == {"pass_pass": 1, "pass_fail": 1, "fail_pass": 0, "fail_fail": 1}


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--version", "nope"], "desk: no run has version nope; none has one yet"),
        (["--labels", "labels.jsonl", "--version", "1"], "--version is of past runs"),
        (["--suite", "golden", "--flow", "main"], "it goes with --labels FILE"),
        (["--strict"], "--strict is for a file of labels"),
    ],
)
def test_what_would_be_left_aside_or_was_never_there_is_wrong_use(
    words: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert calibrate("--judge", "short", *words) == 2
    assert said in capsys.readouterr().err


def test_other_labels_for_a_suite_are_of_its_flow(folder: Path) -> None:
    other = FILE.replace(
        "suite golden for main", "flow aside(x: text) -> text { return x }\nsuite golden for main"
    )
    (folder / "desk.judge").write_text(
        other.replace("flow main", "flow first").replace("for main", "for first")
    )
    assert calibrate("--judge", "short", "--suite", "golden", "--labels", "labels.jsonl") == 0


def test_the_cache_answers_a_judge_that_was_asked_before(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("JUDGEFLOW_CACHE", str(folder / "cache"))
    (folder / "desk.judge").write_text(
        FILE.replace("script/replies.jsonl", "echo/x") + 'judge rated { model m  rate "good" }\n'
    )
    words = ("--judge", "rated", "--labels", "labels.jsonl", "--cache")
    said = []
    for _ in range(2):
        calibrate(*words)
        said.append(capsys.readouterr().err.splitlines()[-1])
    assert said[0] == "0 replies from the cache"
    assert said[1] == "3 replies from the cache"


def test_broken_lines_are_told_in_their_order(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "labels.jsonl").write_text(
        '{"input": "q", "label": "pass"}\nnonsense\n' + LABELS + '{"input": "q"}\n'
    )
    assert calibrate("--judge", "short", "--labels", "labels.jsonl", "--quiet") == 0
    lines = [line.split(":")[2] for line in capsys.readouterr().err.splitlines()]
    assert lines == ["1", "2", "6"]


def test_the_agreement_is_held_against_a_bar() -> None:
    words = ("--judge", "short", "--labels", "labels.jsonl", "--html", "out.html", "--junit", "out.xml")
    assert calibrate(*words, "--fail-under", "0.6") == 0
    assert calibrate(*words, "--fail-under", "0.7") == 4
    assert "judge passed" in Path("out.html").read_text()
    assert 'tests="3" failures="1" errors="0"' in Path("out.xml").read_text()


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("--judge", "short"), "nobody has labelled a run of it yet: `jrun label` does"),
        (("--judge", "short", "--suite", "bare"), "the suite `bare` names no labels"),
        (("--judge", "right", "--labels", "labels.jsonl"), "right needs expected"),
        (("--judge", "short", "--labels", "none.jsonl"), "none.jsonl: the cases cannot be read"),
    ],
)
def test_wrong_use_says_what_to_write(
    words: tuple[str, ...], expected: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert calibrate(*words) == 2
    assert expected in capsys.readouterr().err


def test_a_line_without_a_label_is_named(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "labels.jsonl").write_text(LABELS + '{"input": "q", "answer": "a"}\n')
    words = ("--judge", "short", "--labels", "labels.jsonl")
    assert calibrate(*words) == 0
    assert "labels.jsonl:4: this case has no label" in capsys.readouterr().err
    assert calibrate(*words, "--strict") == 2
