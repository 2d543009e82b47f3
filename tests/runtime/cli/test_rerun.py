"""`jrun rerun`: the same input again, under today's file."""

from __future__ import annotations

import json
from collections.abc import Callable
from pathlib import Path

import pytest

from judgeflow.runtime.cli import main
from judgeflow.runtime.store.terns import Store

FLOW = """
flow main(n: int) -> json { return ["main", n] }
flow other(n: int, by: int = 2) -> json { return ["other", n * by] }
profile same { }
"""

Jrun = Callable[..., tuple[int, str, str]]


@pytest.fixture
def jrun(tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> Jrun:
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("TERN_DB", str(tmp_path / "terns.sqlite"))
    Path("flow.judge").write_text(FLOW, encoding="utf-8")

    def run(*words: str) -> tuple[int, str, str]:
        code = main(list(words))
        said = capsys.readouterr()
        return code, said.out, said.err

    return run


def first(jrun: Jrun, *words: str) -> str:
    _, out, _ = jrun("flow.judge", "--json", "--quiet", *words)
    return str(json.loads(out)["id"])


def test_the_same_flow_gets_the_same_input_as_a_run_of_its_own(jrun: Jrun, tmp_path: Path) -> None:
    before = first(jrun, "--flow", "other", "--input", "n=4", "--input", "by=3")
    code, out, err = jrun("rerun", before[:8])
    assert (code, out) == (0, '["other",12]\n')
    assert f"rerun of {before[:8]}: answered $0.00 → answered $0.00, the same answer, the same program" in err
    with Store.read(tmp_path / "terns.sqlite") as store:
        again, old = store.list_terns()
    assert (again.replay_of, again.task, again.flow) == (before, old.task, "other")
    assert again.thread != old.thread


def test_todays_file_is_run_wherever_it_stands_now(jrun: Jrun) -> None:
    before = first(jrun, "5")
    Path("moved.judge").write_text(FLOW.replace('["main", n]', '["new", n]'), encoding="utf-8")
    Path("flow.judge").unlink()
    code, _, err = jrun("rerun", before)
    assert (code, "there is no file" in err) == (2, True)
    code, out, err = jrun("rerun", before, "--file", "moved.judge")
    assert (code, out) == (0, '["new",5]\n')
    assert "another answer, the program has changed" in err


def test_that_earlier_turns_are_not_seen_is_told(jrun: Jrun) -> None:
    _, _, err = jrun("flow.judge", "5", "--quiet")
    thread = err.removeprefix("thread: ").strip()
    second = first(jrun, "6", "--thread", thread)
    _, _, err = jrun("rerun", second)
    assert f"run {second[:8]} was turn 2 of its thread; this one sees no earlier turn" in err


def test_a_run_that_is_not_there_is_told(jrun: Jrun) -> None:
    code, _, err = jrun("rerun", "nothing")
    assert (code, "there is no run 'nothing'" in err) == (2, True)
