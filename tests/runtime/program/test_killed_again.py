"""A run whose process is killed several times: what was written down is never done again."""

from __future__ import annotations

import json
import os
import subprocess
import sys
import time
from itertools import pairwise
from pathlib import Path

import pytest

from judgeflow.runtime.store.records import Tern
from judgeflow.runtime.store.terns import Store

FLOW = """
tool work(n: int) -> int { python "work.py:work" }
flow inner(n: int) -> int { a = work(n)  b = work(n + 1000)  return a + b }
flow main(items: int[]) -> int {
  out = each n in items at most 4 at once: inner(n)
  won = race { inner(500)  inner(501) }
  return len(out)
}
"""
WORK = """
import trio
async def work(n):
    with open("calls.txt", "a", encoding="utf-8") as file:
        file.write(f"{n}\\n")
    await trio.sleep(0.03)
    return n
"""
KILLS = 3


def started(folder: Path, *words: str) -> subprocess.Popen[str]:
    command = "import sys; from judgeflow.runtime.cli import main; sys.exit(main())"
    return subprocess.Popen(
        [sys.executable, "-c", command, *words, "--quiet"],
        cwd=folder,
        env={**os.environ, "TERN_DB": str(folder / "terns.sqlite")},
        stdout=subprocess.PIPE,
        stderr=subprocess.DEVNULL,
        text=True,
    )


def calls(folder: Path) -> list[str]:
    path = folder / "calls.txt"
    return path.read_text(encoding="utf-8").split() if path.exists() else []


def results(run: Tern) -> set[str]:
    """What the tool's calls that are written down came to, which is what they were called with."""
    return {str(step.answer) for step in run.steps if step.kind == "tool" and step.ended is not None}


@pytest.mark.slow
def test_what_is_written_down_is_never_done_again_however_often_it_is_killed(tmp_path: Path) -> None:
    (tmp_path / "flow.judge").write_text(FLOW, encoding="utf-8")
    (tmp_path / "work.py").write_text(WORK, encoding="utf-8")
    process = started(tmp_path, "flow.judge", "--input", f"items={json.dumps(list(range(30)))}")
    phases: list[tuple[int, set[str]]] = [(0, set())]
    for kill in range(KILLS):
        wanted = len(calls(tmp_path)) + 9 + kill
        while len(calls(tmp_path)) < wanted:
            assert process.poll() is None
            time.sleep(0.005)
        process.kill()
        process.communicate()
        with Store.read(tmp_path / "terns.sqlite") as store:
            (head,) = store.list_terns()
            run = store.get(head.id)
        assert run.status == "abandoned"
        phases.append((len(calls(tmp_path)), results(run)))
        process = started(tmp_path, "resume", run.id)
    out, _ = process.communicate(timeout=60)
    assert (process.returncode, out) == (0, "30\n")
    made = calls(tmp_path)
    assert {str(n) for n in range(30)} | {str(n + 1000) for n in range(30)} <= set(made)
    for (begin, kept), (end, _) in pairwise([*phases, (len(made), set())]):
        done = made[begin:end]
        assert len(set(done)) == len(done)
        assert kept.isdisjoint(done)
    assert phases[-1][1], "something was kept"
