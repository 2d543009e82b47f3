"""Several processes on one file: no run is lost, no turn overwritten and nobody is told of a lock."""

from __future__ import annotations

import signal
import subprocess
import sys
import time
from pathlib import Path

import pytest

from judgeflow.runtime.store.connection import open_database
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
        store.journal(run, StepRecord(id="s", kind="agent", name="a", status="succeeded", started=AT), 1)
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


MANY = """
import sys, threading, time
from pathlib import Path
from judgeflow.runtime.store.records import StepRecord, Tern
from judgeflow.runtime.store.terns import Store

path, name, start, writers = Path(sys.argv[1]), sys.argv[2], float(sys.argv[3]), int(sys.argv[4])
AT = "2026-03-01T12:00:00.000Z"
troubles = []

def write(writer):
    try:
        with Store.open(path) as store:
            time.sleep(max(0, start - time.time()))
            for n in range(3):
                run = f"{name}-{writer}-{n}"
                tern = dict(id=run, thread=f"{writer % 5}", flow="f", workflow="w", started=AT, task="x" * 2000)
                store.begin(Tern(status="running", **tern))
                store.journal(run, StepRecord(id="s", kind="agent", name="a", status="succeeded", started=AT), 1)
                store.finish(Tern(status="answered", **tern))
    except BaseException as error:
        troubles.append(error)

threads = [threading.Thread(target=write, args=(n,)) for n in range(writers)]
for thread in threads: thread.start()
for thread in threads: thread.join()
for trouble in troubles: print(repr(trouble), file=sys.stderr)
sys.exit(len(troubles))
"""


@pytest.mark.slow
def test_a_hundred_writers_in_ten_processes_lose_no_row_and_hear_of_no_lock(path: Path) -> None:
    start = str(time.time() + 1.5)
    children = [
        subprocess.Popen(
            [sys.executable, "-c", MANY, str(path), f"p{n}", start, "10"], stderr=subprocess.PIPE, text=True
        )
        for n in range(10)
    ]
    told = [child.communicate(timeout=120)[1] for child in children]
    assert [(child.returncode, err) for child, err in zip(children, told, strict=True)] == [(0, "")] * 10
    with Store.read(path) as store:
        heads = store.list_terns()
        assert len({head.id for head in heads}) == 300
        for thread in range(5):
            turns = sorted(head.turn for head in heads if head.thread == str(thread))
            assert turns == list(range(1, 61))
        assert store.database.rows("SELECT count(*) FROM steps") == [(300,)]
        assert store.database.rows("PRAGMA integrity_check") == [("ok",)]


GRAB = """
import fcntl, sys
with open(sys.argv[1], "r+b") as file:
    try:
        fcntl.lockf(file, fcntl.LOCK_EX | fcntl.LOCK_NB, 510, 0x40000002)  # the bytes that SQLite's readers share
    except BlockingIOError:
        print("in use")
"""


def test_opening_the_store_once_more_gives_up_no_lock_that_this_process_has(path: Path) -> None:
    with Store.open(path) as store:
        store.count_terns()
        open_database(path).close()
        told = subprocess.run(
            [sys.executable, "-c", GRAB, str(path)], capture_output=True, text=True, check=True
        )
    assert told.stdout == "in use\n"


def test_a_new_store_can_be_read_by_its_owner_alone_and_leaves_nothing_beside_it(path: Path) -> None:
    with Store.open(path):
        assert path.stat().st_mode & 0o777 == 0o600
    assert [file.name for file in path.parent.iterdir()] == [path.name]
