"""Several processes on one file: no run is lost, no turn overwritten and nobody is told of a lock."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from judgeflow.runtime.store.terns import Store

PROGRAM = """
import sys, time
from pathlib import Path
from judgeflow.runtime.store.accounts import book
from judgeflow.runtime.store.records import StepRecord, Tern
from judgeflow.runtime.store.terns import Store

path, name, thread = Path(sys.argv[1]), sys.argv[2], sys.argv[4]
runs, start = int(sys.argv[3]), float(sys.argv[5])
time.sleep(max(0, start - time.time()))
AT = "2026-03-01T12:00:00.000Z"
with Store.open(path) as store:
    for n in range(runs):
        run = f"{name}-{n}"
        tern = dict(id=run, thread=thread, flow="f", workflow="w", started=AT, task="x" * 500)
        store.begin(Tern(status="running", **tern))
        store.journal(run, StepRecord(id="s", kind="agent", name="a", status="succeeded", started=AT))
        book(store, "w", "2026-03-01", cost="0.1", tokens=1)
        store.finish(Tern(status="answered", **tern))
"""


def run_together(path: Path, *, processes: int, runs: int) -> list[subprocess.CompletedProcess[str]]:
    start = str(time.time() + 0.3)
    children = [
        subprocess.Popen(
            [sys.executable, "-c", PROGRAM, str(path), f"p{n}", str(runs), "shared", start],
            stderr=subprocess.PIPE,
            text=True,
        )
        for n in range(processes)
    ]
    done = []
    for child in children:
        _, err = child.communicate(timeout=120)
        done.append(subprocess.CompletedProcess(child.args, child.returncode, stderr=err))
    return done


@pytest.mark.slow
def test_case_173_many_processes_that_start_together_on_no_file_make_one_store(path: Path) -> None:
    done = run_together(path, processes=10, runs=1)
    assert [(child.returncode, child.stderr) for child in done] == [(0, "")] * 10
    with Store.open(path) as store:
        assert store.count_terns() == 10
        assert store.database.rows("PRAGMA integrity_check") == [("ok",)]


@pytest.mark.slow
def test_case_265_many_writers_on_one_thread_lose_no_turn(path: Path) -> None:
    done = run_together(path, processes=12, runs=25)
    assert [(child.returncode, child.stderr) for child in done] == [(0, "")] * 12
    with Store.open(path) as store:
        turns = [head.turn for head in store.list_terns()]
        assert sorted(turns) == list(range(1, 301))
        assert all(head.status == "answered" for head in store.list_terns())
        assert store.database.rows("SELECT cost, calls FROM day_accounts") == [("30", 300)]


@pytest.mark.slow
def test_case_165_a_process_that_is_killed_loses_nothing_that_it_was_told_is_kept(path: Path) -> None:
    stop = "        print(run, flush=True)\n        time.sleep(60)\n"
    program = PROGRAM.replace("        store.finish(", f"{stop}        store.finish(")
    child = subprocess.Popen(
        [sys.executable, "-c", program, str(path), "p", "1", "t", "0"], stdout=subprocess.PIPE, text=True
    )
    assert child.stdout is not None
    run = child.stdout.readline().strip()
    with Store.read(path) as store:
        assert store.get(run).status == "running"
    child.send_signal(signal.SIGKILL)
    child.communicate()
    with Store.open(path) as store:
        tern = store.get(run)
        assert (tern.status, [step.id for step in tern.steps]) == ("abandoned", ["s"])
