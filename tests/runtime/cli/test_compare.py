"""`jrun compare` as a user meets it."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from judgeflow.runtime.cli import main

FILE = """\
workflow desk
model one "script/one.jsonl"
model two "script/two.jsonl"
model jev "script/one.jsonl" { kind decision }
agent writer { model one  prompt "Answer." }
flow main(question: text) -> text { return writer(question) }
code judge right(reply: text, expected: text) { require reply == expected else "wrong" }
code judge short { require len(reply) < 6 else "too long" }
suite golden for main { cases "golden.jsonl"  checks [right(case.expected)] }
profile other { agent writer { model two } }
"""
GOLDEN = '{"input": "Capital of France?", "expected": "Paris"}\n{"input": "Capital of Italy?", "expected": "Rome"}\n'


@pytest.fixture(autouse=True)
def folder(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TERN_DB", str(tmp_path / "terns.sqlite"))
    (tmp_path / "desk.judge").write_text(FILE)
    (tmp_path / "golden.jsonl").write_text(GOLDEN)
    pick = json.dumps({"name": "prefers", "reply": {"better": "first"}})
    (tmp_path / "one.jsonl").write_text('{"name": "writer", "reply": "London"}\n' + pick)
    (tmp_path / "two.jsonl").write_text('{"name": "writer", "reply": "Paris"}\n')
    return tmp_path


def compare(*words: str) -> int:
    return main(["compare", "desk.judge", *words])


def test_profiles_over_a_suite(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    words = ("--profiles", "base,other", "--suite", "golden", "--html", "out.html", "--junit", "out.xml")
    assert compare(*words) == 0
    out = capsys.readouterr().out
    assert out.startswith("desk  base, other over 2 cases of golden.jsonl  checked by right\n")
    assert "0.000 → 0.500  difference +0.500" in out
    assert "1 better, 0 worse, 1 the same" in out
    assert "differs: agent writer: model one → two" in out
    assert "too few to tell: 2 cases" in out
    assert '<th class="n">per task</th>' in (folder / "out.html").read_text()
    assert 'tests="4" failures="3"' in (folder / "out.xml").read_text()


def test_the_cache_is_one_for_all_sides_and_no_help_with_repeats(
    folder: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("JUDGEFLOW_CACHE", str(folder / "cache"))
    (folder / "desk.judge").write_text(FILE.replace("script/one.jsonl", "echo/x", 1))
    words = ("--profiles", "base,other", "--suite", "golden")
    said = []
    for _ in range(2):
        assert compare(*words, "--cache") == 0
        said.append(capsys.readouterr().err.splitlines()[-1])
    assert said == ["0 replies from the cache", "2 replies from the cache"]
    assert compare(*words, "--cache", "--repeat", "2") == 2
    assert "leave one of them out" in capsys.readouterr().err
    assert compare(*words, "--flow", "main") == 2
    assert "a suite says its flow" in capsys.readouterr().err


def test_one_file_on_both_sides_runs_twice_under_two_names(capsys: pytest.CaptureFixture[str]) -> None:
    assert compare("desk.judge", "--suite", "golden", "--json") == 0
    report = json.loads(capsys.readouterr().out)
    assert [side["name"] for side in report["sides"]] == ["desk.judge", "desk.judge (2)"]
    runs = [case["run"] for side in report["sides"] for case in side["cases"]]
    assert len(set(runs)) == len(runs) == 4


def test_a_judge_that_gives_no_choice_makes_the_exit_code(
    folder: Path, capsys: pytest.CaptureFixture[str]
) -> None:
    words = ("--profiles", "base,other", "--suite", "golden", "--pairwise", "jev")
    assert compare(*words) == 0
    (folder / "one.jsonl").write_text('{"name": "writer", "reply": "London"}\n')
    capsys.readouterr()
    assert compare(*words) == 1
    assert "2 of the ties are none that the judge chose" in capsys.readouterr().out


def test_files_over_cases_with_a_judge(folder: Path, capsys: pytest.CaptureFixture[str]) -> None:
    (folder / "new.judge").write_text(FILE.replace("model one  prompt", "model two  prompt"))
    assert compare("new.judge", "--cases", "golden.jsonl", "--judge", "short", "--json") == 0
    report = json.loads(capsys.readouterr().out)
    assert (report["schema"], report["kind"], report["checks"]) == (1, "compare", ["short"])
    assert [side["name"] for side in report["sides"]] == ["desk", "new"]


def test_pairwise_shows_the_judges_bias(capsys: pytest.CaptureFixture[str]) -> None:
    assert compare("--profiles", "base,other", "--suite", "golden", "--pairwise", "jev") == 0
    out = capsys.readouterr().out
    assert "pairwise by script/one.jsonl: other wins 0, loses 0, ties 2" in out
    assert "shown first wins 1.000" in out


@pytest.mark.parametrize(("bar", "code"), [("0.5", 0), ("0.6", 4)])
def test_the_sides_after_the_first_are_held_against_a_bar(bar: str, code: int) -> None:
    assert compare("--profiles", "base,other", "--suite", "golden", "--fail-under", bar) == code


def test_the_last_tasks_of_past_runs(capsys: pytest.CaptureFixture[str]) -> None:
    for question in ("a", "b", "b"):
        main(["desk.judge", question])
    words = ("--profiles", "base,other", "--last", "5", "--judge", "short", "--json")
    for _ in range(2):
        capsys.readouterr()
        assert compare(*words) == 0
        report = json.loads(capsys.readouterr().out)
        assert [case["task"] for case in report["sides"][0]["cases"]] == ["a", "b"]


@pytest.mark.parametrize(
    ("words", "expected"),
    [
        (("--suite", "golden"), "name two files, or --profiles base,…; the file has profiles: other"),
        (("--profiles", "base,none", "--suite", "golden"), "different ones of base, other"),
        (("--profiles", "base,base", "--suite", "golden"), "two or more different ones"),
        (("--profiles", "base,other"), "one of the arguments --suite --cases --last is required"),
        (("--profiles", "base,other", "--last", "2", "--judge", "short"), "no answered run of main"),
    ],
)
def test_wrong_use_says_what_to_write(
    words: tuple[str, ...], expected: str, capsys: pytest.CaptureFixture[str]
) -> None:
    assert compare(*words) == 2
    assert expected in capsys.readouterr().err
