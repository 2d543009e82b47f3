"""`jrun eval` as a user meets it: screens, files, exit codes."""

from __future__ import annotations

import json
import xml.etree.ElementTree as ET
from pathlib import Path
from typing import Any

import pytest

from judgeflow.runtime.cli import main
from judgeflow.runtime.store.records import Tern, Versions
from judgeflow.runtime.store.terns import Store

FILE = """\
workflow desk version "1"
model m "script/replies.jsonl"
model jev "script/replies.jsonl" { kind decision }
agent writer { model m  prompt "Answer." }
flow main(question: text) -> text { return writer(question) }
code judge right(reply: text, expected: text) { require reply == expected else "it is {{ expected }}" }
judge rated { model m  rate "good" }
suite golden for main { cases "golden.jsonl"  checks [right(case.expected)] }
suite rates for main { cases "golden.jsonl"  checks [rated] }
suite broken for main { cases "lines.jsonl"  checks [right(case.expected)] }
"""
REPLIES = """\
{"name": "writer", "reply": "Paris"}
{"name": "adequate", "reply": {"adequate": 0.9}}
{"name": "rated", "reply": "0.8"}
"""
GOLDEN = """\
{"id": "fr", "input": "Capital of France?", "expected": "Paris"}
{"id": "it", "input": "Capital of Italy?", "expected": "Rome"}
"""


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TERN_DB", str(tmp_path / "terns.sqlite"))
    monkeypatch.delenv("GITHUB_ACTIONS", raising=False)
    monkeypatch.delenv("GITHUB_STEP_SUMMARY", raising=False)
    (tmp_path / "desk.judge").write_text(FILE)
    (tmp_path / "replies.jsonl").write_text(REPLIES)
    (tmp_path / "golden.jsonl").write_text(GOLDEN)
    (tmp_path / "lines.jsonl").write_text(GOLDEN.splitlines()[0] + "\nnonsense\n")
    return tmp_path


def evaluate(*words: str) -> int:
    return main(["eval", "desk.judge", *words])


def test_past_runs_are_scored_and_told_in_a_table(capsys: pytest.CaptureFixture[str]) -> None:
    main(["desk.judge", "Capital of France?"])
    capsys.readouterr()
    assert evaluate() == 0
    printed = capsys.readouterr()
    assert printed.out.splitlines()[2].split() == [
        *("version", "prompts", "terns", "scored", "mean", "95", "%", "interval", "unreadable", "cost")
    ]
    assert printed.out.splitlines()[3].split()[2:5] == ["1", "1", "0.900"]
    assert "1 of 1  " in printed.err.replace("1 of 1 ", "1 of 1  ")


@pytest.mark.parametrize("more", [[], ["--dry-run"]])
def test_a_version_that_never_ran_is_wrong_use_and_names_those_that_did(
    more: list[str], capsys: pytest.CaptureFixture[str]
) -> None:
    main(["desk.judge", "Capital of France?"])
    capsys.readouterr()
    assert evaluate("--version", "nope", *more) == 2
    err = capsys.readouterr().err
    assert "desk: no run has version nope; there are 1 (" in err
    assert evaluate("--version", "1", *more) == 0


def test_the_files_own_version_is_known_before_its_first_run(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    main(["desk.judge", "Capital of France?"])
    (folder / "desk.judge").write_text(FILE.replace('version "1"', 'version "2"'))
    assert evaluate("--version", "2") == 0
    assert evaluate("--version", "3") == 2


@pytest.mark.parametrize(
    ("words", "said"),
    [
        (["--repeat", "2"], "--repeat goes with --suite NAME or --cases FILE: the file declares golden"),
        (["--strict"], "--strict goes with --suite NAME or --cases FILE"),
        (["--suite", "golden", "--version", "1"], "--version is of past runs"),
        (["--suite", "golden", "--flow", "main"], "--flow goes with --cases FILE alone"),
        (["--suite", "golden", "--cache", "--repeat", "2"], "leave one of them out"),
    ],
)
def test_an_option_that_would_be_left_aside_is_wrong_use(
    words: list[str], said: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert evaluate(*words) == 2
    assert said in capsys.readouterr().err


def test_the_cache_answers_cases_and_judges_that_were_asked_before(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("JUDGEFLOW_CACHE", str(folder / "cache"))
    (folder / "desk.judge").write_text(FILE.replace("script/replies.jsonl", "echo/x", 1))
    said = []
    for _ in range(2):
        assert evaluate("--suite", "golden", "--cache") == 4
        said.append(capsys.readouterr().err.splitlines()[-1])
    assert said == ["0 replies from the cache", "2 replies from the cache"]


def test_what_stands_in_a_case_moves_no_cursor_and_commands_no_ci(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    hostile = {
        "id": "\x1b[31mred\n::error::x\n````",
        "input": "q\u202e",
        "expected": "\x1b]0;x\x07\n::error::y",
    }
    (folder / "golden.jsonl").write_text(json.dumps(hostile) + "\n" + json.dumps({"id": "\x1b", "input": ""}))
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(folder / "summary.md"))
    assert evaluate("--suite", "golden", "--junit", "out.xml") == 1
    printed = capsys.readouterr()
    for text in (printed.out, printed.err):
        assert not any(line.lstrip().startswith("::") for line in text.splitlines())
        assert "\x1b" not in text
    assert "✖ ␛[31mred ::error::x ````  golden.jsonl:1" in printed.out
    summary = (folder / "summary.md").read_text()
    assert summary.startswith("`````text\n")
    assert summary.endswith("\n`````\n")
    ET.parse(folder / "out.xml")


@pytest.mark.parametrize("option", ["--html", "--junit"])
@pytest.mark.parametrize("path", ["nowhere/out.x", "."])
def test_a_report_that_cannot_be_written_is_told_before_anything_is_asked(
    option: str, path: str, folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    assert evaluate("--suite", "golden", option, path) == 2
    printed = capsys.readouterr()
    assert printed.err.startswith(f"jrun: {path}")
    assert (printed.out, printed.err.count("\n")) == ("", 1)
    assert not (folder / "terns.sqlite").exists()


def test_a_page_of_the_job_that_cannot_be_written_changes_nothing_else(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", "nowhere/summary.md")
    assert evaluate("--suite", "golden", "--quiet") == 4
    printed = capsys.readouterr()
    assert printed.out.startswith("desk  suite golden")
    assert printed.err == "jrun: $GITHUB_STEP_SUMMARY nowhere/summary.md: No such file or directory\n"


TWICE = (
    FILE
    + """\
code judge has(reply: text, word: text) { require reply contains word else "no {{ word }}" }
suite twice for main { cases "twice.jsonl"  checks [has(case.one), has(case.other)] }
"""
)


def test_a_judge_that_checks_twice_makes_two_checks(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "desk.judge").write_text(TWICE)
    (folder / "twice.jsonl").write_text('{"input": "q", "one": "Par", "other": "Rom"}\n')
    assert evaluate("--suite", "twice", "--json") == 4
    report = json.loads(capsys.readouterr().out)
    assert [(name, mean["value"]) for name, mean in report["checks"]] == [("has", 1.0), ("has (2)", 0.0)]
    assert report["cases"][0]["cause"] == "has (2): no Rom"


def test_a_bar_that_nothing_could_be_held_against_is_not_reached(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "desk.judge").write_text(FILE + "limits { calls 1 per day }\n")
    assert evaluate("--suite", "golden", "--limit", "1", "--quiet") == 0
    assert evaluate("--suite", "golden", "--quiet") == 0
    assert "0 passed, 0 failed\neval budget exhausted" in capsys.readouterr().out
    assert evaluate("--suite", "golden", "--quiet", "--fail-under", "0.5") == 1


def test_i05_a_version_and_a_limit_choose_the_runs_and_without_one_a_hundred_are_judged(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    def scored(*words: str) -> list[int]:
        capsys.readouterr()
        assert evaluate("--json", *words) == 0
        return [int(found["task"]) for found in json.loads(capsys.readouterr().out)["scored"]]

    with Store.open(folder / "terns.sqlite") as store:
        for n in range(104):
            versions = Versions(workflow="2" if n == 103 else "1", prompt="p" * 64)
            at = f"2026-03-01T11:{n // 60:02}:{n % 60:02}.000Z"
            named: dict[str, Any] = {
                "id": f"{n:032}",
                "thread": f"t{n}",
                "task": n,
                "started": at,
                "versions": versions,
            }
            store.finish(Tern(flow="main", workflow="desk", status="answered", answer="x", **named))
    assert scored("--version", "2") == [103]
    assert scored("--version", "1", "--limit", "2") == [101, 102]
    assert scored() == list(range(1, 101))


def test_a_failed_case_of_a_suite_is_not_good_enough(capsys: pytest.CaptureFixture[str]) -> None:
    assert evaluate("--suite", "golden") == 4
    out = capsys.readouterr().out
    assert "✖ it  golden.jsonl:2  right: it is Rome" in out
    assert "1 passed, 1 failed" in out


@pytest.mark.parametrize(("bar", "code"), [("0.5", 0), ("0.6", 4), ("0", 0), ("1", 4)])
def test_with_a_bar_the_mean_decides_and_equality_passes(bar: str, code: int) -> None:
    assert evaluate("--suite", "golden", "--fail-under", bar) == code


def test_a_mean_at_the_bar_passes() -> None:
    assert evaluate("--suite", "rates", "--fail-under", "0.8") == 0


@pytest.mark.parametrize("bar", ["1.5", "-0.5", "nan", "high"])
def test_a_bar_that_cannot_be_reached_is_wrong_use(bar: str, capsys: pytest.CaptureFixture[str]) -> None:
    assert evaluate("--suite", "golden", f"--fail-under={bar}") == 2
    assert "write a number between 0 and 1" in capsys.readouterr().err


def test_failures_may_be_expected_but_trouble_never_is(folder: Path) -> None:
    assert evaluate("--suite", "golden", "--exit-zero-on-fail") == 0
    (folder / "replies.jsonl").write_text(REPLIES.replace('"writer"', '"nobody"'))
    assert evaluate("--suite", "golden", "--exit-zero-on-fail") == 1


def test_a_report_is_written_and_the_exit_code_stays(folder: Path) -> None:
    assert evaluate("--suite", "golden", "--junit", "out.xml", "--html", "out.html") == 4
    root = ET.parse(folder / "out.xml").getroot()
    assert (root.get("tests"), root.get("failures"), root.get("errors")) == ("2", "1", "0")
    assert [case.get("name") for case in root] == ["fr", "it"]
    assert "it is Rome" in (folder / "out.html").read_text()


def test_junit_is_well_formed_whatever_a_model_wrote(folder: Path) -> None:
    answer = "bad \x00 \x1b[31m <b>&]]> text"
    (folder / "replies.jsonl").write_text(
        "\n".join(json.dumps({"name": name, "reply": answer}) for name in ("writer", "rated"))
    )
    (folder / "desk.judge").write_text(FILE.replace('else "it is {{ expected }}"', "else reply"))
    evaluate("--suite", "golden", "--junit", "out.xml")
    root = ET.parse(folder / "out.xml").getroot()
    assert [case.get("name") for case in root] == ["fr", "it"]
    assert "<b>&]]> text" in (root[0][0].get("message") or "")


def test_json_stands_alone_on_standard_output(capsys: pytest.CaptureFixture[str]) -> None:
    evaluate("--suite", "golden", "--json")
    printed = capsys.readouterr()
    report = json.loads(printed.out)
    assert (report["schema"], report["kind"], report["passed"], report["failed"]) == (1, "suite", 1, 1)
    assert "\r" not in printed.err
    assert printed.err.splitlines()[-1].startswith("2 of 2")


def test_quiet_shows_no_progress(capsys: pytest.CaptureFixture[str]) -> None:
    evaluate("--suite", "golden", "--quiet")
    assert capsys.readouterr().err == ""


def test_cases_without_a_result_make_it_incomplete(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    lines = [
        json.dumps({"id": str(at), "input": "q", "expected": "Paris" if at < 3 else None}) for at in range(10)
    ]
    (folder / "golden.jsonl").write_text("\n".join(lines))
    assert evaluate("--suite", "golden", "--json") == 1
    report = json.loads(capsys.readouterr().out)
    assert (report["mean"]["value"], report["mean"]["n"], report["missing"]) == (1.0, 3, 7)
    assert [(cause["cause"], len(cause["cases"])) for cause in report["causes"]] == [
        ("case.no-value: the case has no `expected`", 7)
    ]


def test_nothing_graded_is_a_failure_and_never_nan(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "replies.jsonl").write_text("")
    assert evaluate("--suite", "golden", "--json") == 1
    out = capsys.readouterr().out
    assert json.loads(out)["mean"] == {"n": 0, "value": None, "interval": None}
    assert evaluate("--suite", "golden") == 1
    assert "mean –: nothing could be graded" in capsys.readouterr().out


def test_a_broken_line_is_named_and_the_rest_runs_unless_strict(capsys: pytest.CaptureFixture[str]) -> None:
    assert evaluate("--suite", "broken") == 0
    printed = capsys.readouterr()
    assert "jrun: lines.jsonl:2: this is not JSON (column 1)" in printed.err
    assert "1 passed, 0 failed" in printed.out
    assert evaluate("--suite", "broken", "--strict") == 2
    assert "lines.jsonl:2" in capsys.readouterr().err


def test_a_case_that_the_flow_cannot_take_is_named_before_anything_runs(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "golden.jsonl").write_text('{"questoin": "q"}\n')
    assert evaluate("--suite", "golden") == 2
    assert capsys.readouterr().err == (
        "jrun: golden.jsonl:1: main: questoin: main has no such parameter: did you mean `question`?; "
        "question: is missing; main takes question; a column for checks is one that they read (case.…)\n"
    )


def test_github_shows_failures_at_their_lines(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    evaluate("--suite", "golden", "--json")
    printed = capsys.readouterr()
    assert "::error file=golden.jsonl,line=2,title=golden%3A it failed::right: it is Rome" in printed.err
    json.loads(printed.out)


def test_no_model_gets_to_write_a_command_of_github(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("GITHUB_ACTIONS", "true")
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(folder / "summary.md"))
    answer = "a\n::set-output name=x::y\n\x1b[31m"
    (folder / "replies.jsonl").write_text(json.dumps({"name": "writer", "reply": answer}))
    (folder / "desk.judge").write_text(FILE.replace('else "it is {{ expected }}"', "else reply"))
    evaluate("--suite", "golden")
    err = capsys.readouterr().err
    assert not any(line.startswith("::set-output") for line in err.splitlines())
    assert "\x1b" not in err
    summary = (folder / "summary.md").read_text().splitlines()
    assert [line for line in summary if line.startswith("```")] == ["```text", "```"]


def test_github_shows_the_report_on_the_page_of_the_job(
    folder: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setenv("GITHUB_STEP_SUMMARY", str(folder / "summary.md"))
    evaluate("--suite", "golden")
    assert "1 passed, 1 failed" in (folder / "summary.md").read_text()


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("--suite", "other"), "there is no suite `other`; the file declares golden, rates, broken"),
        (("--profile", "x"), "--profile goes with --suite NAME or --cases FILE"),
        (("--judge", "nobody"), "there is no judge and no model of that name"),
        (("--limit", "0"), "write a whole number from 1"),
    ],
)
def test_wrong_use_says_what_to_write(
    words: tuple[str, ...], expected: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert evaluate(*words) == 2
    assert expected in capsys.readouterr().err


def test_cases_without_a_suite_are_checked_by_a_judge_alone(capsys: pytest.CaptureFixture[str]) -> None:
    assert evaluate("--cases", "golden.jsonl", "--judge", "rated") == 0
    out = capsys.readouterr().out
    assert out.startswith("desk  suite golden.jsonl  version 1\n")
    assert "mean 0.800" in out
    assert evaluate("--cases", "golden.jsonl", "--json") == 0
    assert json.loads(capsys.readouterr().out)["checks"][0][0] == "adequate"


def test_without_runs_it_says_how_to_evaluate_a_suite(capsys: pytest.CaptureFixture[str]) -> None:
    assert evaluate() == 0
    printed = capsys.readouterr()
    assert "no answered runs to judge" in printed.out
    assert "--suite NAME; the file declares golden, rates, broken" in printed.err


def test_a_bar_with_nothing_to_hold_against_it_is_a_failure() -> None:
    assert evaluate("--fail-under", "0.5") == 1


def test_repeated_cases_are_said_to_be_repeated_and_named_once(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    (folder / "replies.jsonl").write_text(REPLIES.replace("0.8", "no number"))
    assert evaluate("--suite", "rates", "--repeat", "3") == 1
    printed = capsys.readouterr().out
    assert "0 passed, 0 failed, 6 without a result; each case was run 3 times" in printed
    assert "  6 × rated: its model's reply could not be read  (fr, it)" in printed
    assert evaluate("--suite", "rates") == 1
    assert "each case" not in capsys.readouterr().out
