from __future__ import annotations

import json
from pathlib import Path
from typing import Any

import pytest

from judgeflow.runtime.cli import main
from judgeflow.runtime.evaluate.cases import read_cases
from judgeflow.runtime.store.records import Tern
from judgeflow.runtime.store.scores import Label, put_label
from judgeflow.runtime.store.terns import Store


@pytest.fixture
def file(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    path = tmp_path / "terns.sqlite"
    monkeypatch.setenv("TERN_DB", str(path))
    monkeypatch.chdir(tmp_path)
    with Store.open(path) as store:
        runs: list[dict[str, Any]] = [
            {"task": "one"},
            {"task": {"ticket": {"id": 1}}},
            {"task": "one"},
            {"task": "replayed", "replay_of": "0" * 32},
            {"task": "failed", "status": "failed"},
            {"task": "evaluated", "evaluation": "golden"},
            {"task": "half \ud83d"},
        ]
        for n, fields in enumerate(runs):
            at = f"2026-03-01T11:0{n}:00.000Z"
            defaults = {"status": "answered", "answer": f"answer {n}"}
            store.finish(
                Tern(
                    id=f"{n}" * 32,
                    thread=f"t{n}",
                    flow="main",
                    workflow="w",
                    started=at,
                    **(defaults | fields),
                )
            )
        put_label(store, Label(run="1" * 32, label="fail", labelled="2026-03-01T12:00:00.000Z"))
    return tmp_path / "golden.jsonl"


def cases(file: Path) -> list[dict[str, Any]]:
    return [json.loads(line) for line in file.read_text(encoding="utf-8").splitlines()]


def test_u21_the_newest_answered_runs_become_cases_oldest_first(
    file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    # The cases are JSON lines, one a line, which a suite reads and a person can change without a reader for YAML.
    assert main(["golden", "add", "--from-last", "20"]) == 0
    assert cases(file) == [
        {"id": "00000000", "input": "one", "answer": "answer 0"},
        {"id": "11111111", "input": {"ticket": {"id": 1}}, "answer": "answer 1", "label": "fail"},
        {"id": "66666666", "input": "half \ufffd", "answer": "answer 6"},
    ]
    assert capsys.readouterr().err == "3 cases added to golden.jsonl; 1 is there already\n"


def test_a_suite_reads_what_was_added(file: Path) -> None:
    main(["golden", "add", "--from-last", "20", "--expect-answer"])
    found = read_cases(file)
    assert found.faults == ()
    assert [(case.id, case.expected, case.label) for case in found.cases] == [
        ("00000000", "answer 0", None),
        ("11111111", "answer 1", False),
        ("66666666", "answer 6", None),
    ]


def test_what_is_there_already_is_not_added_twice(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    main(["golden", "add", "--from-last", "1"])
    before = file.read_bytes()
    main(["golden", "add", "--from-last", "1"])
    assert file.read_bytes() == before
    assert capsys.readouterr().err.endswith("0 cases added to golden.jsonl; 1 is there already\n")


def test_case_160_a_torn_last_line_is_named_and_swallows_no_new_case(
    file: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    file.write_text('{"id":1,"input":"a"}\n{"id":2')
    assert main(["golden", "add", "--from-last", "1"]) == 0
    lines = file.read_text().splitlines()
    assert lines[:2] == ['{"id":1,"input":"a"}', '{"id":2']
    assert json.loads(lines[2])["id"] == "66666666"
    assert "line 2 is not JSON; it is left as it is" in capsys.readouterr().err
    found = read_cases(file)
    assert [case.id for case in found.cases] == ["1", "66666666"]
    assert [fault.line for fault in found.faults] == [2]


def test_runs_are_chosen_by_name_and_by_label(file: Path) -> None:
    main(["golden", "add", "--from-last", "9", "--labelled"])
    main(["golden", "add", "--run", "4444"])
    assert [case["id"] for case in cases(file)] == ["11111111", "44444444"]


@pytest.mark.usefixtures("file")
@pytest.mark.parametrize(
    ("words", "message"),
    [
        (["add"], "say which runs"),
        (["add", "x.csv", "--from-last", "3"], "name it x.jsonl"),
        (["add", "--run", "zz"], "there is no run 'zz'"),
        (["add", "nowhere/x.jsonl", "--from-last", "3"], "choose another file"),
    ],
)
def test_wrong_use_is_named(words: list[str], message: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["golden", *words]) == 2
    assert message in capsys.readouterr().err


def test_a_version_that_never_ran_is_wrong_use(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    assert main(["golden", "add", "--from-last", "1", "--version", "nope"]) == 2
    assert "no run has version nope; none has one yet" in capsys.readouterr().err


def test_a_run_that_was_asked_nothing_and_one_whose_short_id_is_taken_are_cases_too(file: Path) -> None:
    with Store.open(file.parent / "terns.sqlite") as store:
        for n, (name, task) in enumerate((("a" * 32, None), ("a" * 31 + "b", "other"))):
            at = f"2026-03-02T11:0{n}:00.000Z"
            fields: dict[str, Any] = {"id": name, "thread": f"u{n}", "task": task, "started": at}
            store.finish(Tern(flow="main", workflow="w", status="answered", answer="x", **fields))
    file.write_text('{"id": "aaaaaaaa", "input": "mine"}\n')
    assert main(["golden", "add", "--from-last", "2"]) == 0
    assert [(case["id"], case["input"]) for case in cases(file)[1:]] == [
        ("a" * 32, {}),
        ("a" * 31 + "b", "other"),
    ]
    assert read_cases(file).faults == ()


def test_a_byte_order_mark_hides_no_case(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    file.write_bytes(b'\xef\xbb\xbf{"input": "one"}\r\n')
    assert main(["golden", "add", "--run", "2222", "--run", "0" * 32]) == 0
    assert capsys.readouterr().err == "0 cases added to golden.jsonl; 2 are there already\n"


def test_runs_of_several_flows_in_one_file_are_told(file: Path, capsys: pytest.CaptureFixture[str]) -> None:
    with Store.open(file.parent / "terns.sqlite") as store:
        fields: dict[str, Any] = {"id": "b" * 32, "thread": "u", "started": "2026-03-02T11:00:00.000Z"}
        store.finish(Tern(flow="other", workflow="w", status="answered", task="q", answer="x", **fields))
    assert main(["golden", "add", "--from-last", "2"]) == 0
    assert "they are of the flows main, other, and a suite is of one: --flow NAME" in capsys.readouterr().err
    assert main(["golden", "add", "--from-last", "2", "--flow", "main"]) == 0
    assert "--flow" not in capsys.readouterr().err
