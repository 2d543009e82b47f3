from __future__ import annotations

import os
import subprocess
import sys
from datetime import timedelta
from pathlib import Path

import pytest

from judgeflow.runtime.store.money import Cost
from judgeflow.runtime.store.owner import UNSEEN_MS, Owner, is_alive, this_process
from judgeflow.runtime.store.query import TernFilter
from judgeflow.runtime.store.terns import Store


@pytest.fixture
def dead() -> Owner:
    """A process that has ended."""
    child = subprocess.Popen([sys.executable, "-c", ""])
    child.wait()
    me = this_process()
    return Owner(child.pid, me.host, "")


def leave_running(path: Path, owner: Owner, make_tern, make_step) -> None:
    with Store.open(path, owner=owner) as store:
        store.begin(make_tern("a1", status="running", answer=None, ended=None))
        store.journal("a1", make_step(cost=Cost().plus("agent:writer", "0.01")), 1)


def test_case_165_a_killed_process_leaves_an_abandoned_run_with_all_its_steps(
    path: Path, dead: Owner, make_tern, make_step
) -> None:
    leave_running(path, dead, make_tern, make_step)
    with Store.open(path) as store:
        tern = store.get("a1")
        assert (tern.status, tern.code, tern.ended) == ("abandoned", "run.abandoned", None)
        assert str(dead.pid) in (tern.reason or "")
        assert (tern.cost.total, tern.route, len(tern.steps)) == ("0.01", ("writer",), 1)
        assert store.database.rows("SELECT status FROM terns") == [("abandoned",)]


def test_a_reader_shows_it_as_abandoned_without_touching_it(
    path: Path, dead: Owner, make_tern, make_step
) -> None:
    leave_running(path, dead, make_tern, make_step)
    with Store.read(path) as store:
        assert [head.status for head in store.list_terns()] == ["abandoned"]
        assert [head.id for head in store.list_terns(TernFilter(status="abandoned"))] == ["a1"]
        assert store.list_terns(TernFilter(status="running")) == ()
        assert [head.status for head in store.history("t1", 5)] == ["abandoned"]
        assert store.database.rows("SELECT status FROM terns") == [("running",)]


def test_a_run_of_a_living_process_is_left_running(path: Path, make_tern, make_step) -> None:
    leave_running(path, this_process(), make_tern, make_step)
    with Store.open(path) as store:
        assert store.get("a1").status == "running"


def test_an_abandoned_run_that_is_finished_after_all_is_what_it_ended_as(
    path: Path, dead: Owner, make_tern, make_step
) -> None:
    leave_running(path, dead, make_tern, make_step)
    with Store.open(path) as store:
        store.finish(make_tern("a1"))
        assert (store.get("a1").status, store.get("a1").reason) == ("answered", None)


def test_a_process_with_the_same_id_is_another_one() -> None:
    me = this_process()
    assert is_alive(me, here=me.host, age_ms=0)
    assert not is_alive(Owner(me.pid, me.host, "1@00000000"), here=me.host, age_ms=0)


def test_a_dead_process_that_its_parent_has_not_noticed_is_dead() -> None:
    child = subprocess.Popen([sys.executable, "-c", ""], stdout=subprocess.PIPE)
    assert child.stdout is not None
    child.stdout.read()  # until it has ended, though nobody has asked for its exit code
    os.waitid(os.P_PID, child.pid, os.WEXITED | os.WNOWAIT)
    me = this_process()
    assert not is_alive(Owner(child.pid, me.host, "1@00000000"), here=me.host, age_ms=0)
    child.wait()
    child.stdout.close()


def test_a_process_on_another_machine_is_given_a_day() -> None:
    away = Owner(1, "elsewhere", "")
    assert is_alive(away, here="here", age_ms=UNSEEN_MS - 1)
    assert not is_alive(away, here="here", age_ms=UNSEEN_MS)


def test_the_day_is_counted_from_the_runs_start(path: Path, now, make_tern, make_step) -> None:
    leave_running(path, Owner(1, "elsewhere", ""), make_tern, make_step)
    with Store.read(path, clock=lambda: now) as store:
        assert store.get("a1").status == "running"
    with Store.read(path, clock=lambda: now + timedelta(days=1)) as store:
        assert store.get("a1").status == "abandoned"
