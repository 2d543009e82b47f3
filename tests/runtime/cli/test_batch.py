"""`jrun batch`: cases, results, exit codes, going on, and a killed process."""

from __future__ import annotations

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Callable
from pathlib import Path
from typing import Any

import pytest

from judgeflow.runtime.cli import main
from judgeflow.runtime.store.terns import Store

FLOW = """
model small "script/answers"
agent writer(topic: text) { model small  retries 0  judges [short] }
code judge short { require len(reply) < 9 else "too long" }
flow main(topic: text, times: int = 1) -> text { return writer(topic) }
flow asks(topic: text) -> text { approve "Go on?"  return topic }
profile none { agent writer { judges [] } }
test "answers" for main {
  given  { topic: "x" }
  writer replies "fine" when topic == "good"
  writer replies "much too long" when topic == "long"
  expect result == "fine"
}
"""
CASES = [{"id": "a", "topic": "good"}, {"id": "b", "topic": "long"}, {"id": "c", "topic": "unscripted"}]

Batch = Callable[..., tuple[int, str, str]]


@pytest.fixture
def batch(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Batch:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TERN_DB", str(tmp_path / "terns.sqlite"))
    Path("flow.judge").write_text(FLOW, encoding="utf-8")
    lines = [json.dumps(case) for case in CASES]
    Path("c.jsonl").write_text("\n".join(lines) + "\n", encoding="utf-8")

    def run(*words: str, cases: str = "c.jsonl") -> tuple[int, str, str]:
        code = main(["batch", "flow.judge", "--cases", cases, "--flow", "main", *words])
        said = capsys.readouterr()
        return code, said.out, said.err

    return run


def results(name: str = "c.results.jsonl") -> dict[str, Any]:
    lines = Path(name).read_text(encoding="utf-8").splitlines()
    return {each["case"]: each for each in map(json.loads, lines)}


def test_a_line_for_each_case_a_record_in_the_store_and_the_worst_exit_code(
    batch: Batch, tmp_path: Path
) -> None:
    code, out, err = batch()
    assert (code, out) == (1, "")
    found = results()
    assert {case: each["exit"] for case, each in found.items()} == {"a": 0, "b": 4, "c": 1}
    assert (found["a"]["answer"], found["a"]["line"], found["a"]["schema"]) == ("fine", 1, 1)
    with Store.read(tmp_path / "terns.sqlite") as store:
        assert {tern.id for tern in store.list_terns()} == {each["run"] for each in found.values()}
    assert "3 cases, 1 answered, 1 not good enough, 1 failed" in err
    assert "1 × step.agent.quality-gate: writer: the last of 1 answers was rejected" in err
    assert "results: c.results.jsonl" in err


def test_going_on_runs_what_failed_and_nothing_else(batch: Batch) -> None:
    batch()
    assert batch()[0] == 2
    Path("flow.judge").write_text(
        FLOW.replace(
            'writer replies "fine"', 'writer replies "now" when topic == "unscripted"  writer replies "fine"'
        ),
        encoding="utf-8",
    )
    before = results()
    code, out, err = batch("--resume", "--json")
    summary = json.loads(out)
    assert code == summary["exit"] == 4
    assert (summary["cases"], summary["resumed"], summary["answered"], summary["not_good"]) == (3, 2, 2, 1)
    assert "resumed: 2 of 3 cases have their result" in err
    after = results()
    assert (after["a"], after["b"]) == (before["a"], before["b"])
    assert after["c"]["answer"] == "now"


def test_nothing_is_mixed_with_the_results_of_another_program(batch: Batch) -> None:
    batch()
    Path("flow.judge").write_text(FLOW.replace("< 9", "< 99"), encoding="utf-8")
    code, _, err = batch("--resume")
    assert (code, "another version of the program" in err) == (2, True)
    assert batch("--fresh")[0] == 1
    assert results()["b"]["exit"] == 0


def test_only_not_good_enough_may_be_no_failure(batch: Batch) -> None:
    assert batch("--limit", "2")[0] == 4
    assert batch("--limit", "2", "--resume", "--exit-zero-on-fail")[0] == 0
    assert batch("--fresh", "--exit-zero-on-fail")[0] == 1


@pytest.mark.parametrize(
    ("words", "ids"),
    [
        (("--limit", "1"), ["a"]),
        (("--sample", "2", "--seed", "3"), ["a", "c"]),
        (("--profile", "none"), ["a", "b", "c"]),
    ],
)
def test_which_cases_are_run(batch: Batch, words: tuple[str, ...], ids: list[str]) -> None:
    batch(*words, "--out", "other.jsonl", "--concurrency", "1")
    assert list(results("other.jsonl")) == ids


@pytest.mark.parametrize(
    ("lines", "words", "said"),
    [
        ('{"id": "x", "topic": "a"}\n{"id": "x", "topic": "b"}', (), "duplicate id x (lines 1 and 2)"),
        ('{"topic": "a"}\n{"topic": ', (), "in.jsonl:2: "),
        (
            '{"topic": "a"}\n{"tpoic": "b"}',
            (),
            "in.jsonl:2: main: tpoic: main has no such parameter: did you mean `topic`?",
        ),
        ('{"topic": "a", "times": "x"}', (), "in.jsonl:1: main: times: must be a whole number"),
        ("", (), "there is no case in it"),
        ('{"topic": "a"}', ("--out", "out.csv"), "results are JSON lines"),
        ('{"topic": "a"}', ("--engine", "ray"), "--engine ray"),
        ('{"topic": "a"}', ("--flow", "mian"), "no flow `mian`"),
        ('{"topic": "a"}', ("--timeout", "soon"), "write a time such as"),
        ('{"topic": "a"}', ("--max-cost", "1"), "no provider for 'vendor/small'"),
    ],
)
def test_what_is_wrong_is_told_before_any_call(
    batch: Batch, tmp_path: Path, lines: str, words: tuple[str, ...], said: str
) -> None:
    Path("in.jsonl").write_text(lines, encoding="utf-8")
    if "--max-cost" in words:
        Path("flow.judge").write_text(FLOW.replace("script/answers", "vendor/small"), encoding="utf-8")
    code, out, err = batch(*words, cases="in.jsonl")
    assert (code, out) == (2, "")
    assert said in err
    assert "Traceback" not in err
    assert not (tmp_path / "in.results.jsonl").exists() or not results("in.results.jsonl")


def test_the_same_flow_for_a_table(batch: Batch) -> None:
    Path("t.csv").write_text("id,topic,times\na,good,2\nb,good,\n", encoding="utf-8")
    assert batch(cases="t.csv")[0] == 0
    assert {case: each["answer"] for case, each in results("t.results.jsonl").items()} == {
        "a": "fine",
        "b": "fine",
    }


def test_a_case_that_waits_for_a_person_is_paused_and_not_run_again(batch: Batch) -> None:
    assert batch("--flow", "asks", "--limit", "1")[0] == 5
    code, out, _ = batch("--flow", "asks", "--limit", "1", "--resume", "--json")
    assert (code, json.loads(out)["resumed"], json.loads(out)["paused"]) == (5, 1, 1)


# --- processes that end early

SLOW = """
tool wait(topic: text) -> text { python "slow.py:wait" }
flow main(topic: text) -> text { got = wait(topic)  return got }
"""
HOOK = """
import trio
async def wait(topic):
    with open("calls.txt", "a", encoding="utf-8") as file:
        file.write(topic + "\\n")
    if int(topic) >= 4 and not __import__("os").path.exists("go"):
        await trio.sleep(60)
    return topic
"""


def started(folder: Path) -> subprocess.Popen[str]:
    (folder / "slow.judge").write_text(SLOW, encoding="utf-8")
    (folder / "slow.py").write_text(HOOK, encoding="utf-8")
    lines = [json.dumps({"id": f"c{number}", "topic": str(number)}) for number in range(10)]
    (folder / "c.jsonl").write_text("\n".join(lines), encoding="utf-8")
    command = "import sys; from judgeflow.runtime.cli import main; sys.exit(main())"
    process = subprocess.Popen(
        [
            sys.executable,
            "-c",
            command,
            "batch",
            "slow.judge",
            "--cases",
            "c.jsonl",
            "--concurrency",
            "2",
            "--grace",
            "0s",
        ],
        cwd=folder,
        env={**os.environ, "TERN_DB": str(folder / "terns.sqlite")},
        stderr=subprocess.PIPE,
        text=True,
    )
    out = folder / "c.results.jsonl"
    for _ in range(1000):
        if out.exists() and out.read_bytes().count(b"\n") == 4:
            return process
        assert process.poll() is None
        time.sleep(0.01)
    raise AssertionError("the batch did not get there")


@pytest.mark.slow
@pytest.mark.parametrize(
    ("number", "code"), [(signal.SIGINT, 130), (signal.SIGTERM, 130), (signal.SIGKILL, -9)]
)
def test_a_batch_that_is_interrupted_or_killed_keeps_four_results_and_goes_on_with_the_other_six(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: int, code: int
) -> None:
    process = started(tmp_path)
    process.send_signal(number)
    _, told = process.communicate(timeout=20)
    assert process.returncode == code
    if number != signal.SIGKILL:
        assert "stopped: interrupted; --resume goes on" in told
        assert "10 cases, 4 answered, 6 left" in told
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TERN_DB", str(tmp_path / "terns.sqlite"))
    assert len(results()) == 4
    Path("go").touch()
    assert main(["batch", "slow.judge", "--cases", "c.jsonl", "--resume", "--quiet"]) == 0
    assert {case: each["answer"] for case, each in results().items()} == {
        f"c{at}": str(at) for at in range(10)
    }
    calls = Path("calls.txt").read_text(encoding="utf-8").split()
    # What had its result was not asked for again.
    assert [calls.count(str(at)) for at in range(4)] == [1, 1, 1, 1]


@pytest.mark.parametrize("option", ["--out", "--record"])
def test_the_cases_are_never_written_over(batch: Batch, option: str) -> None:
    before = Path("c.jsonl").read_bytes()
    Path("link.jsonl").symlink_to("c.jsonl")
    for name in ("c.jsonl", "link.jsonl"):
        code, _, err = batch(option, name, "--fresh")
        assert (code, f"{option} {name}: it is the file of the cases" in err) == (2, True)
    assert Path("c.jsonl").read_bytes() == before


def test_the_day_is_booked_where_no_record_is_kept(batch: Batch) -> None:
    Path("flow.judge").write_text(FLOW + "limits { calls 2 per day }", encoding="utf-8")
    code, _, err = batch("--no-store", "--concurrency", "1")
    assert code == 6
    assert "limit.calls: the limit of 2 calls per day of flow is spent" in err
    assert batch("--no-store", "--fresh")[0] == 6
    assert {each["code"] for each in results().values()} == {"limit.calls"}
