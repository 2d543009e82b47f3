from __future__ import annotations

import threading
from collections.abc import Callable
from pathlib import Path

import msgspec
import pytest
import trio

from judgeflow.runtime.store.errors import (
    LostRecordsError,
    NotAStoreError,
    RecordError,
    StoreBusyError,
    StoreError,
    StoreFullError,
    UnknownRunError,
)
from judgeflow.runtime.store.recorder import MemoryWriter
from judgeflow.runtime.store.records import JournalEntry, RunEnd
from judgeflow.runtime.store.terns import Store
from judgeflow.runtime.store.writer import StoreWriter, open_writer


@pytest.fixture
def gate() -> threading.Event:
    """Open unless a test closes it: the store's thread waits here before it begins."""
    gate = threading.Event()
    gate.set()
    return gate


@pytest.fixture
def gated(gate: threading.Event) -> Callable[[Path], Store]:
    """A store whose first transaction waits for the gate, as on a disk that does not answer."""

    class Gated(Store):
        def write_begin(self, row) -> int:
            gate.wait(10)
            return super().write_begin(row)

        def write_tern(self, row) -> None:
            gate.wait(10)
            super().write_tern(row)

    return Gated.open


async def full(writer: StoreWriter) -> None:
    def limit(store: Store) -> None:
        store.database.rows(f"PRAGMA max_page_count = {store.database.pragma('page_count')}")

    await writer.read(limit)


def kept(path: Path) -> set[str]:
    with Store.read(path) as store:
        return {head.id for head in store.list_terns()}


async def test_what_was_written_is_safe_when_write_returns(path: Path, make_tern, make_step) -> None:
    async with open_writer(path) as writer:
        begun = await writer.begin(make_tern(status="running", answer=None))
        await writer.write(JournalEntry(run="a1", step=make_step(), place=1))
        with Store.read(path) as store:
            assert [step.id for step in store.get("a1").steps] == ["s1"]
        await writer.write(make_tern())
        with Store.read(path) as store:
            assert (store.get("a1").status, begun.turn) == ("answered", 1)


async def test_begin_gives_each_run_its_turn(path: Path, make_tern) -> None:
    turns = []
    async with open_writer(path) as writer, trio.open_nursery() as nursery:

        async def one(n: int) -> None:
            turns.append((await writer.begin(make_tern(f"r{n}"))).turn)

        for n in range(20):
            nursery.start_soon(one, n)
    assert sorted(turns) == list(range(1, 21))


async def test_what_was_posted_is_safe_after_flush(path: Path, make_tern) -> None:
    async with open_writer(path) as writer:
        writer.post(make_tern("r1"))
        writer.post(make_tern("r2"))
        await writer.flush()
        assert kept(path) == {"r1", "r2"}


async def test_what_was_posted_before_a_write_is_safe_with_it(path: Path, make_tern, make_step) -> None:
    async with open_writer(path) as writer:
        await writer.begin(make_tern(status="running"))
        writer.post(JournalEntry(run="a1", step=make_step(), place=1))
        await writer.write(make_tern())
        with Store.read(path) as store:
            assert [step.id for step in store.get("a1").steps] == ["s1"]


async def test_what_waits_is_written_at_the_end(path: Path, make_tern) -> None:
    async with open_writer(path) as writer:
        for n in range(100):
            writer.post(make_tern(f"r{n}"))
    assert len(kept(path)) == 100


async def test_a_paid_answer_that_was_posted_outlives_the_cancellation_of_the_program(
    path: Path, make_tern
) -> None:
    with trio.CancelScope() as scope:
        async with open_writer(path) as writer:
            scope.cancel()
            writer.post(make_tern())
            await trio.lowlevel.checkpoint()
    assert scope.cancelled_caught
    assert kept(path) == {"a1"}


async def test_a_cancelled_program_waits_for_its_records(
    path: Path, make_tern, gate: threading.Event, gated: Callable[[Path], Store]
) -> None:
    gate.clear()
    with trio.CancelScope() as scope:
        async with open_writer(path, open_store=gated) as writer:
            writer.post(make_tern())
            threading.Timer(0.05, gate.set).start()
            scope.cancel()
            await trio.lowlevel.checkpoint()
    assert scope.cancelled_caught
    assert writer.statistics().waiting == 0


async def test_cancelling_the_wait_for_a_write_does_not_take_it_back(path: Path, make_tern) -> None:
    async with open_writer(path) as writer:
        with trio.CancelScope() as scope:
            scope.cancel()
            await writer.write(make_tern())
        assert scope.cancelled_caught
    assert kept(path) == {"a1"}


async def test_writers_that_wait_together_share_a_transaction(
    path: Path, make_tern, gate: threading.Event, gated: Callable[[Path], Store]
) -> None:
    gate.clear()
    async with open_writer(path, open_store=gated) as writer, trio.open_nursery() as nursery:
        for n in range(50):
            nursery.start_soon(writer.write, make_tern(f"r{n}"))
        await trio.testing.wait_all_tasks_blocked()
        assert writer.statistics().waiting == 50
        gate.set()
    statistics = writer.statistics()
    assert (statistics.done, statistics.waiting) == (50, 0)
    assert statistics.groups <= 3


async def test_a_write_to_a_full_disk_raises_where_it_was_waited_for(path: Path, make_tern) -> None:
    async with open_writer(path) as writer:
        assert isinstance(writer, StoreWriter)
        await full(writer)
        with pytest.raises(StoreFullError, match="no room left"):
            await writer.write(make_tern(task="x" * 200_000))
        await writer.flush()  # it has been told, so it is not told again


async def test_a_post_to_a_full_disk_raises_at_flush_once(path: Path, make_tern) -> None:
    async with open_writer(path) as writer:
        assert isinstance(writer, StoreWriter)
        await full(writer)
        writer.post(make_tern("r1", task="x" * 200_000))
        writer.post(make_tern("r2", task="x" * 200_000))
        with pytest.raises(LostRecordsError, match=r"2 records were not kept: .* no room left") as caught:
            await writer.flush()
        assert isinstance(caught.value.__cause__, StoreFullError)
        await writer.flush()
        assert writer.statistics().lost == 2


async def test_a_post_to_a_full_disk_raises_at_the_end_if_nobody_asked(path: Path, make_tern) -> None:
    async def program() -> None:
        async with open_writer(path) as writer:
            assert isinstance(writer, StoreWriter)
            await full(writer)
            writer.post(make_tern(task="x" * 200_000))

    with pytest.raises(LostRecordsError, match="1 record was not kept"):
        await program()


async def test_a_failed_write_whose_task_was_cancelled_is_told_at_the_end(path: Path, make_tern) -> None:
    async def program() -> None:
        async with open_writer(path) as writer:
            assert isinstance(writer, StoreWriter)
            await full(writer)
            with trio.CancelScope() as scope:
                scope.cancel()
                await writer.write(make_tern(task="x" * 200_000))

    with pytest.raises(LostRecordsError):
        await program()


async def test_the_programs_own_error_and_the_loss_of_records_are_both_raised(path: Path, make_tern) -> None:
    async def program() -> None:
        async with open_writer(path) as writer:
            assert isinstance(writer, StoreWriter)
            await full(writer)
            writer.post(make_tern(task="x" * 200_000))
            raise ValueError("mine")

    with pytest.raises(BaseExceptionGroup) as caught:
        await program()
    assert [type(error) for error in caught.value.exceptions] == [ValueError, LostRecordsError]


async def test_the_programs_own_error_alone_passes_as_it_is(path: Path) -> None:
    with pytest.raises(ValueError, match="mine"):
        async with open_writer(path):
            raise ValueError("mine")


async def test_a_disk_that_does_not_answer_ends_the_wait_and_is_named(
    path: Path, make_tern, gate: threading.Event, gated: Callable[[Path], Store]
) -> None:
    async def program() -> None:
        async with open_writer(path, open_store=gated, close_within=0.01) as writer:
            writer.post(make_tern("r1"))
            writer.post(make_tern("r2"))

    gate.clear()
    with pytest.raises(LostRecordsError, match=r"2 records were not kept: .*did not answer within 0\.01 s"):
        await program()
    gate.set()


async def test_a_record_that_cannot_be_written_down_is_the_posters_error(path: Path, make_tern) -> None:
    async with open_writer(path) as writer:
        with pytest.raises(RecordError, match="is no JSON"):
            writer.post(make_tern(answer=object()))
        with pytest.raises(RecordError, match="is no JSON"):
            await writer.write(make_tern(answer=object()))


async def test_what_is_posted_is_the_record_as_it_was_then(path: Path, make_tern) -> None:
    answer = {"n": 1}
    async with open_writer(path) as writer:
        writer.post(make_tern(answer=answer))
        answer["n"] = 2
    with Store.read(path) as store:
        assert store.get("a1").answer == {"n": 1}


async def test_a_disk_too_far_behind_refuses_more_by_name(
    path: Path, make_tern, gate: threading.Event, gated: Callable[[Path], Store]
) -> None:
    gate.clear()
    async with open_writer(path, open_store=gated, most_waiting=5000) as writer:
        writer.post(make_tern("r1", task="x" * 6000))
        with pytest.raises(StoreBusyError, match="records behind: 1"):
            writer.post(make_tern("r2"))
        gate.set()
        await writer.flush()
        writer.post(make_tern("r3"))
    assert kept(path) == {"r1", "r3"}


async def test_a_file_that_is_no_store_is_refused_before_the_program_starts(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("buy milk\n" * 100)
    started = False
    with pytest.raises(NotAStoreError):
        async with open_writer(path):
            started = True
    assert not started


async def test_nothing_can_be_recorded_after_the_end(path: Path, make_tern) -> None:
    async with open_writer(path) as writer:
        pass
    with pytest.raises(StoreError, match="closed"):
        writer.post(make_tern())


async def test_the_thread_has_ended_when_the_writer_has(path: Path, make_tern) -> None:
    before = set(threading.enumerate())
    async with open_writer(path) as writer:
        await writer.write(make_tern())
    for thread in set(threading.enumerate()) - before:
        thread.join(5)
        assert not thread.is_alive()
    assert not path.with_name(path.name + "-wal").exists()  # merged into the store by the last one to leave


async def test_work_on_the_store_is_kept_as_a_whole_or_not_at_all(path: Path, make_tern) -> None:
    def half(store: Store) -> None:
        store.finish(make_tern("half"))
        raise ZeroDivisionError("mine")

    async with open_writer(path) as writer:
        assert isinstance(writer, StoreWriter)
        assert await writer.transact(lambda store: store.new_thread(make_id=lambda: "t9")) == "t9"
        with pytest.raises(ZeroDivisionError):
            await writer.transact(half)
        with pytest.raises(UnknownRunError):
            await writer.read(lambda store: store.get("half"))
        assert await writer.thread_exists("", "t9")
    assert kept(path) == set()


async def test_f05_history_is_read_after_everything_that_was_sent_before(path: Path, make_tern) -> None:
    async with open_writer(path) as writer:
        writer.post(make_tern("r1"))
        writer.post(make_tern("r2", status="failed"))
        assert [head.id for head in await writer.history("t1", 10)] == ["r1", "r2"]
        assert not await writer.thread_exists("acme", "t1")


async def test_two_writers_on_one_file_lose_nothing(path: Path, make_tern) -> None:
    async with open_writer(path) as one, open_writer(path) as other, trio.open_nursery() as nursery:
        for n in range(40):
            nursery.start_soon((one, other)[n % 2].write, make_tern(f"r{n}"))
    assert len(kept(path)) == 40


async def test_without_a_file_the_newest_runs_are_held_in_memory(make_tern, make_step) -> None:
    async with open_writer(None, keep=3) as writer:
        assert isinstance(writer, MemoryWriter)
        assert (await writer.begin(make_tern("r0", status="running"))).turn == 1
        writer.post(JournalEntry(run="r0", step=make_step(), place=1))
        for n in range(5):
            await writer.write(make_tern(f"r{n}"))
        await writer.flush()
        assert [tern.id for tern in writer.kept] == ["r2", "r3", "r4"]
        assert [head.id for head in await writer.history("t1", 2)] == ["r3", "r4"]
        assert await writer.thread_exists("", "t1")
        assert not await writer.thread_exists("", "t2")
        assert writer.statistics().waiting == 0


async def test_writing_in_memory_is_a_checkpoint_as_writing_to_a_file_is(make_tern) -> None:
    async with open_writer(None) as writer:
        assert isinstance(writer, MemoryWriter)
        with trio.testing.assert_checkpoints():
            await writer.write(make_tern())
        with trio.CancelScope() as scope:
            scope.cancel()
            await writer.write(make_tern("r2"))
        assert [tern.id for tern in writer.kept] == ["a1", "r2"]


async def test_an_end_after_its_journal_keeps_the_whole_run(path: Path, make_tern, make_step) -> None:
    steps = (make_step("s1"), make_step("s2", parent="s1"))
    tern = make_tern(steps=steps)
    async with open_writer(path) as writer:
        begun = await writer.begin(make_tern(status="running", answer=None, ended=None))
        for place in (2, 1):  # they end in another order than they start
            writer.post(JournalEntry(run="a1", step=steps[place - 1], place=place))
        await writer.write(RunEnd(tern=tern))
    with Store.read(path) as store:
        assert store.get("a1") == msgspec.structs.replace(tern, turn=begun.turn)


async def test_an_end_writes_the_steps_that_could_not_be_kept_before(
    path: Path, make_tern, make_step
) -> None:
    tern = make_tern(steps=(make_step(answer="x" * 200_000),))
    async with open_writer(path) as writer:
        assert isinstance(writer, StoreWriter)
        await writer.begin(make_tern(status="running"))
        await full(writer)
        writer.post(JournalEntry(run="a1", step=tern.steps[0], place=1))
        await writer.read(lambda store: store.database.rows("PRAGMA max_page_count = 1000000"))
        with pytest.raises(LostRecordsError, match="1 record"):
            await writer.flush()
        await writer.write(RunEnd(tern=tern))
    with Store.read(path) as store:
        assert store.get("a1").steps == tern.steps


async def test_the_end_of_a_run_that_is_gone_brings_it_back(path: Path, make_tern, make_step) -> None:
    tern = make_tern(steps=(make_step(),))
    async with open_writer(path) as writer:
        assert isinstance(writer, StoreWriter)
        await writer.begin(make_tern(status="running"))
        await writer.transact(lambda store: store.database.execute("DELETE FROM terns"))
        await writer.write(RunEnd(tern=tern))
    with Store.read(path) as store:
        assert (store.get("a1").status, len(store.get("a1").steps)) == ("answered", 1)
