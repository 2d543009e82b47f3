"""`jrun run --cache` and `--record`."""

from __future__ import annotations

import errno
import json
import os
from collections.abc import Callable
from pathlib import Path

import pytest

from judgeflow.runtime.cli import main

FLOW = """
model small "echo/x"
agent writer(question: text) { model small }
flow main(question: text) -> text { return writer(question) }
"""

Jrun = Callable[..., tuple[int, str, str]]


@pytest.fixture
def jrun(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Jrun:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TERN_DB", str(tmp_path / "terns.sqlite"))
    monkeypatch.setenv("JUDGEFLOW_CACHE", str(tmp_path / "cache"))
    Path("flow.judge").write_text(FLOW, encoding="utf-8")

    def run(*words: str) -> tuple[int, str, str]:
        code = main(list(words))
        said = capsys.readouterr()
        return code, said.out, said.err

    return run


def test_a_kept_reply_is_used_again_and_the_run_says_so(jrun: Jrun) -> None:
    _, first, err = jrun("flow.judge", "Hi", "--cache")
    assert "from the cache" not in err
    code, again, err = jrun("flow.judge", "Hi", "--cache")
    assert (code, again) == (0, first)
    assert "1 of 1 replies from the cache" in err
    run = json.loads(jrun("flow.judge", "Hi", "--cache", "--json")[1])
    assert (run["usage"]["from_cache"], run["cost"]["total"]) == (1, "0")
    assert "1 of 1 replies from the cache" in jrun("show", run["id"])[1]


def test_it_is_off_by_default(jrun: Jrun, tmp_path: Path) -> None:
    for _ in range(2):
        assert "from the cache" not in jrun("flow.judge", "Hi")[2]
    assert not (tmp_path / "cache").exists()


def test_a_recorded_run_is_replayed_by_script_models(jrun: Jrun) -> None:
    code, out, err = jrun("flow.judge", "Hi", "--record", "run.jsonl")
    assert (code, out) == (0, "Hi\n")
    assert "recorded 1 reply in run.jsonl; replay with --model '*=script/" in err
    assert json.loads(Path("run.jsonl").read_text()) == {"name": "writer", "step": "1", "reply": "Hi"}
    code, out, err = jrun("flow.judge", "Something else", "--model", "*=script/run.jsonl")
    assert (code, out) == (0, "Hi\n")
    assert "scripted answers" in err


@pytest.mark.parametrize(
    ("path", "said"),
    [("run.txt", "a script ends in .jsonl"), ("nowhere/run.jsonl", "no file can be written there")],
)
def test_a_script_that_cannot_be_written_is_told_before_the_run(jrun: Jrun, path: str, said: str) -> None:
    code, out, err = jrun("flow.judge", "Hi", "--record", path)
    assert (code, out) == (2, "")
    assert said in err


def test_a_run_that_asks_no_model_writes_nothing(jrun: Jrun) -> None:
    Path("flow.judge").write_text('flow main() -> text { return "x" }', encoding="utf-8")
    code, _, err = jrun("flow.judge", "--record", "run.jsonl")
    assert code == 0
    assert "nothing is written, no model was asked" in err
    assert not Path("run.jsonl").exists()


def test_a_cache_that_cannot_be_written_costs_no_answer(jrun: Jrun, tmp_path: Path) -> None:
    (tmp_path / "cache").write_text("")
    code, out, err = jrun("flow.judge", "Hi", "--cache")
    assert (code, out) == (0, "Hi\n")
    assert "replies could not be kept" in err


def test_a_run_that_is_gone_on_with_may_use_kept_replies(jrun: Jrun) -> None:
    Path("flow.judge").write_text(
        FLOW.replace("{ return writer(question) }", '{ approve "Ask?"  return writer(question) }'),
        encoding="utf-8",
    )
    for times in range(2):
        code, _, err = jrun("flow.judge", "Hi", "--cache")
        run = err[err.index("jrun resume ") :].split()[2]
        assert (code, f"go on with: jrun resume {run} --cache" in err) == (5, True)
        code, out, err = jrun("resume", run, "--yes", "--cache")
        assert (code, out) == (0, "Hi\n")
        assert ("1 of 1 replies from the cache" in err) is bool(times)


@pytest.fixture
def full_disk(monkeypatch: pytest.MonkeyPatch) -> None:
    def write_bytes(path: Path, data: bytes) -> int:
        raise OSError(errno.ENOSPC, os.strerror(errno.ENOSPC), str(path))

    monkeypatch.setattr(Path, "write_bytes", write_bytes)


@pytest.mark.usefixtures("full_disk")
def test_a_script_that_could_not_be_written_fails_the_command_and_keeps_the_run(jrun: Jrun) -> None:
    code, out, err = jrun("flow.judge", "Hi", "--record", "run.jsonl", "--quiet")
    assert (code, out) == (1, "Hi\n")
    assert "jrun: --record run.jsonl: No space left on device" in err
    assert [run["status"] for run in json.loads(jrun("runs", "--json")[1])] == ["answered"]


@pytest.mark.usefixtures("full_disk")
def test_a_batch_whose_script_could_not_be_written_says_so_in_its_summary(jrun: Jrun) -> None:
    Path("cases.jsonl").write_text('{"id": "a", "input": "Hi"}\n', encoding="utf-8")
    code, out, err = jrun("batch", "flow.judge", "--cases", "cases.jsonl", "--record", "run.jsonl", "--json")
    summary = json.loads(out)
    assert (code, summary["exit"], summary["answered"]) == (1, 1, 1)
    assert "jrun: --record run.jsonl: No space left on device" in err
