from __future__ import annotations

from queue import SimpleQueue

import pytest

from judgeflow.runtime.store.errors import LostRecordsError, RecordError, StoreFullError
from judgeflow.runtime.store.group import MOST, Job, commit, serve
from judgeflow.runtime.store.records import JournalEntry
from judgeflow.runtime.store.rows import encode_entry, encode_tern
from judgeflow.runtime.store.terns import Store


@pytest.fixture
def statements(store: Store) -> list[str]:
    seen: list[str] = []
    store.database.connection.set_trace_callback(seen.append)
    return seen


def writing(tern) -> Job:
    row = encode_tern(tern)
    return Job(lambda store: store.write_tern(row))


def fail(_store: Store) -> None:
    raise ZeroDivisionError("mine")


def test_whatever_waits_goes_into_one_transaction(store: Store, statements: list[str], make_tern) -> None:
    group = [writing(make_tern(f"r{n}")) for n in range(50)]
    commit(store, group)
    assert (statements.count("BEGIN IMMEDIATE"), statements.count("COMMIT")) == (1, 1)
    assert [job.error for job in group] == [None] * 50
    assert store.count_terns() == 50


def test_a_group_that_only_reads_takes_no_lock(store: Store, statements: list[str]) -> None:
    job = Job(lambda store: store.count_terns(), writes=False)
    commit(store, [job])
    assert job.result == 0
    assert "BEGIN IMMEDIATE" not in statements


def test_a_job_that_fails_is_undone_alone(store: Store, make_tern) -> None:
    def half(store: Store) -> None:
        store.finish(make_tern("half"))
        fail(store)

    group = [writing(make_tern("r1")), Job(half), writing(make_tern("r2"))]
    commit(store, group)
    assert [type(job.error) for job in group] == [type(None), ZeroDivisionError, type(None)]
    assert {head.id for head in store.list_terns()} == {"r1", "r2"}


def test_a_record_that_does_not_fit_fails_alone(store: Store, make_tern) -> None:
    store.finish(make_tern("r1"))
    taken = writing(make_tern("r1", started="2026-03-01T11:59:59.000Z"))
    group = [taken, writing(make_tern("r2"))]
    commit(store, group)
    assert isinstance(taken.error, RecordError)
    assert store.count_terns() == 2


def test_a_transaction_that_is_lost_fails_every_job_each_with_an_error_of_its_own(
    store: Store, make_tern
) -> None:
    store.database.rows(f"PRAGMA max_page_count = {store.database.pragma('page_count')}")
    group = [writing(make_tern("r1", task="x" * 200_000)), writing(make_tern("r2", task="x" * 200_000))]
    commit(store, group)
    assert [type(job.error) for job in group] == [StoreFullError, StoreFullError]
    assert group[0].error is not group[1].error
    assert not store.database.connection.in_transaction
    assert store.count_terns() == 0


def test_what_comes_after_a_lost_transaction_is_not_kept_behind_its_makers_back(
    store: Store, make_tern
) -> None:
    store.database.rows(f"PRAGMA max_page_count = {store.database.pragma('page_count')}")
    group = [writing(make_tern("r1")), writing(make_tern("r2", task="x" * 200_000)), writing(make_tern("r3"))]
    commit(store, group)
    assert [type(job.error) for job in group] == [StoreFullError] * 3
    assert store.count_terns() == 0


def test_jobs_are_done_in_order_until_the_end_comes(store: Store) -> None:
    jobs: SimpleQueue[Job | None] = SimpleQueue()
    for n in range(MOST + 1):
        jobs.put(Job(lambda _store, n=n: n, writes=False))
    jobs.put(None)
    told: list[list[Job]] = []
    serve(jobs, store, told.append)
    assert [len(group) for group in told] == [MOST, 1]
    assert [job.result for group in told for job in group] == list(range(MOST + 1))


def test_an_error_about_lost_records_counts_them() -> None:
    assert str(LostRecordsError(1, ValueError("no"))) == "1 record was not kept: no"
    assert str(LostRecordsError(3, ValueError("no"))) == "3 records were not kept: no"


def keeping(run: str, step) -> Job:
    row = encode_entry(JournalEntry(run=run, step=step, place=1))
    return Job(lambda store: store.write_entry(row), run=run, step=step.id)


def served(store: Store, *jobs: Job) -> list[Job]:
    """The jobs that were told of, once all of them are done as one group."""
    queue: SimpleQueue[Job | None] = SimpleQueue()
    for job in (*jobs, None):
        queue.put(job)
    told: list[Job] = []
    serve(queue, store, told.extend)
    return told


def test_of_a_step_that_changed_twice_in_a_group_the_last_is_written_and_all_are_told(
    store: Store, statements: list[str], make_tern, make_step
) -> None:
    store.begin(make_tern("r1", status="running"))
    store.begin(make_tern("r2", status="running"))
    statements.clear()
    jobs = [
        keeping("r1", make_step(status="running")),
        keeping("r2", make_step(status="running")),
        keeping("r1", make_step(status="succeeded")),
    ]
    assert served(store, *jobs) == jobs
    assert sum("INTO steps" in statement for statement in statements) == 2
    assert [step.status for step in store.get("r1").steps] == ["succeeded"]
    assert [step.status for step in store.get("r2").steps] == ["running"]


def test_a_step_that_somebody_waits_for_is_written_whatever_follows(
    store: Store, statements: list[str], make_tern, make_step
) -> None:
    store.begin(make_tern("r1", status="running"))
    waited = keeping("r1", make_step(status="running"))
    waited.receipt = object()
    statements.clear()
    served(store, waited, keeping("r1", make_step(status="succeeded")))
    assert sum("INTO steps" in statement for statement in statements) == 2
