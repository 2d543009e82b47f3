from __future__ import annotations

from datetime import datetime, timedelta

import pytest

from judgeflow.runtime.store.clock import timestamp
from judgeflow.runtime.store.errors import UnknownRunError
from judgeflow.runtime.store.terns import Pruned, Store


@pytest.fixture
def filled(store: Store, make_tern, make_step, now: datetime) -> Store:
    """One run a day for ten days, two to a thread, `r0` today's."""
    for n in reversed(range(10)):
        started = timestamp(now - timedelta(days=n))
        store.finish(make_tern(f"r{n}", started=started, thread=f"t{n // 2}", steps=(make_step(),)))
    return store


def left(store: Store) -> list[str]:
    return [head.id for head in store.list_terns()]


def test_older_runs_go_with_their_steps_and_their_empty_threads(filled: Store, now: datetime) -> None:
    assert filled.prune(older_than=now - timedelta(days=6)) == Pruned(runs=3, threads=1)
    assert left(filled) == [f"r{n}" for n in range(7)]
    assert filled.database.rows("SELECT count(*) FROM steps") == [(7,)]
    assert (filled.thread_exists("", "t4"), filled.thread_exists("", "t3")) == (False, True)
    with pytest.raises(UnknownRunError):
        filled.get("r9")


def test_the_newest_are_kept_however_old(filled: Store, now: datetime) -> None:
    assert filled.prune(older_than=now + timedelta(days=1), keep=3).runs == 7
    assert left(filled) == ["r0", "r1", "r2"]


def test_keep_alone_keeps_the_newest(filled: Store) -> None:
    assert filled.prune(keep=4).runs == 6
    assert left(filled) == ["r0", "r1", "r2", "r3"]


def test_a_run_that_goes_on_or_waits_for_a_person_stays(filled: Store, make_tern) -> None:
    filled.begin(make_tern("running", status="running", thread="t8"))
    filled.finish(make_tern("paused", status="paused", thread="t9"))
    filled.prune()
    assert set(left(filled)) == {"running", "paused"}


def test_a_thread_that_never_had_a_run_stays(filled: Store) -> None:
    thread = filled.new_thread()
    filled.prune()
    assert filled.thread_exists("", thread)


def test_a_dry_run_counts_the_same_and_removes_nothing(filled: Store, now: datetime) -> None:
    older = now - timedelta(days=6)
    assert filled.prune(older_than=older, dry_run=True) == Pruned(runs=3, threads=1)
    assert len(left(filled)) == 10
    assert filled.prune(older_than=older) == Pruned(runs=3, threads=1)


def test_many_runs_go_in_portions(store: Store, make_tern) -> None:
    with store.database.transaction():
        for n in range(450):
            store.finish(make_tern(f"r{n}"))
    assert store.prune(keep=1) == Pruned(runs=449, threads=0)
    assert store.count_terns() == 1


def test_the_file_shrinks(store: Store, make_tern) -> None:
    with store.database.transaction():
        for n in range(100):
            store.finish(make_tern(f"r{n}", task="x" * 10_000))
    pages = store.database.pragma("page_count")
    store.prune()
    assert store.database.pragma("page_count") < pages / 2
