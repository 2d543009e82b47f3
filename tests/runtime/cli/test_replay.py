"""`jrun replay` as a user meets it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from judgeflow.runtime.cli import main

FILE = """\
workflow desk version "1"
model m "script/replies.jsonl"
agent writer { model m  prompt "Answer." }
flow main(question: text) -> text { return writer(question) }
code judge right { require reply == "Paris" else "wrong" }
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TERN_DB", str(tmp_path / "terns.sqlite"))
    (tmp_path / "desk.judge").write_text(FILE)
    replies(tmp_path, "London")
    return tmp_path


def replies(folder: Path, answer: str) -> None:
    (folder / "replies.jsonl").write_text(json.dumps({"name": "writer", "reply": answer}) + "\n")


def replay(*words: str) -> int:
    return main(["replay", "desk.judge", "--judge", "right", *words])


def test_f31_without_a_version_it_is_wrong_use(capsys: pytest.CaptureFixture[str]) -> None:
    assert replay() == 2
    assert "the following arguments are required: --version" in capsys.readouterr().err


def test_i06_before_and_after_are_shown(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["desk.judge", "Capital of France?"])
    (folder / "desk.judge").write_text(FILE.replace('"1"', '"2"').replace("Answer.", "Think."))
    replies(folder, "Paris")
    capsys.readouterr()
    assert replay("--version", "1", "--html", "out.html") == 0
    out = capsys.readouterr().out
    assert out.startswith("desk  replay of version 1  judged by right\n")
    assert "0.000 → 1.000  difference +1.000" in out
    assert "1 better, 0 worse, 0 the same; sign test p = 1.000" in out
    assert '<td class="n">+1.000</td>' in (folder / "out.html").read_text()


def test_i06_a_limit_takes_the_newest_tasks(capsys: pytest.CaptureFixture[str]) -> None:
    for task in ("first", "second", "third"):
        main(["desk.judge", task])
    capsys.readouterr()
    assert replay("--version", "1", "--limit", "2", "--json") == 0
    report = json.loads(capsys.readouterr().out)
    assert [each["task"] for each in report["tasks"]] == ["second", "third"]


def test_a_version_that_never_ran_is_wrong_use(capsys: pytest.CaptureFixture[str]) -> None:
    assert replay("--version", "7") == 2
    assert "no run of version 7 can be replayed; there are no runs" in capsys.readouterr().err


def test_json_and_a_bar(capsys: pytest.CaptureFixture[str]) -> None:
    main(["desk.judge", "Capital of France?"])
    capsys.readouterr()
    assert replay("--version", "1", "--json", "--fail-under", "0.5") == 4
    report = json.loads(capsys.readouterr().out)
    assert (report["schema"], report["kind"], report["paired"]["after"]) == (1, "replay", 0.0)


STOPS = FILE.replace("{ return writer(question) }", '{ stop "not today" }')


def test_only_what_changed_makes_the_exit_code(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "desk.judge").write_text(STOPS)
    main(["desk.judge", "Capital of France?"])
    capsys.readouterr()
    assert replay("--version", "1") == 0
    printed = capsys.readouterr().out
    assert "1 task ended as before, without an answer" in printed
    assert "now guarded" not in printed
    assert replay("--version", "1", "--fail-under", "0.5") == 1, "a bar needs a mean"


def test_the_cache_answers_what_was_asked_before(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("JUDGEFLOW_CACHE", str(folder / "cache"))
    (folder / "desk.judge").write_text(FILE.replace("script/replies.jsonl", "echo/x"))
    main(["desk.judge", "Capital of France?"])
    capsys.readouterr()
    assert replay("--version", "1") == 0
    assert "cache" not in capsys.readouterr().err
    said = []
    for _ in range(2):
        assert replay("--version", "1", "--cache") == 0
        said.append(capsys.readouterr().err.splitlines()[-1])
    assert said == ["0 replies from the cache", "1 reply from the cache"]


def test_a_task_that_fails_now_is_listed_and_the_exit_code_says_so(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["desk.judge", "Capital of France?"])
    capsys.readouterr()
    (folder / "replies.jsonl").write_text('{"name": "nobody", "reply": ""}')
    assert replay("--version", "1") == 1
    assert "1 × now failed test.unscripted-model" in capsys.readouterr().out
