"""The recorder of a Trio program: a thread owns the store, and no task ever blocks on a disk.

A run posts what it must and ends with a `write` (`recorder`), so what waits is never more than the runs in flight
have posted.
"""

from __future__ import annotations

import threading
from collections.abc import AsyncIterator, Callable
from contextlib import asynccontextmanager, suppress
from pathlib import Path
from queue import SimpleQueue
from typing import TypeVar, cast

import msgspec
import trio
from outcome import Error, Value
from trio.lowlevel import (
    Abort,
    RaiseCancelT,
    Task,
    current_task,
    enable_ki_protection,
    reschedule,
    wait_task_rescheduled,
)

from .accounts import Booking, DayAccount, apply_booking, balance
from .errors import LostRecordsError, StoreBusyError, StoreError
from .group import Job, serve
from .recorder import KEPT, MemoryWriter, Record, Writer, WriterStatistics
from .records import JournalEntry, RunEnd, Tern, TernHead
from .rows import EndRow, encode_end, encode_entry, encode_tern
from .terns import Store

T = TypeVar("T")

CLOSE_WITHIN = 5.0
"""Seconds that the last records have to reach the disk."""
MOST_WAITING = 256 * 1024 * 1024
"""Characters that may wait for a disk that does not answer, before `post` refuses more."""


@asynccontextmanager
async def open_writer(
    path: Path | None,
    *,
    keep: int = KEPT,
    close_within: float = CLOSE_WITHIN,
    most_waiting: int = MOST_WAITING,
    open_store: Callable[[Path], Store] = Store.open,
) -> AsyncIterator[Writer]:
    """A writer for the store at `path`, or without one: then the newest `keep` runs are held in memory.

    At the end all that waits is written, even if the program was cancelled, for at most `close_within`
    seconds. What could not be kept is raised as a `StoreError`, beside the error that ended the block.
    """
    if path is None:
        yield MemoryWriter(keep)
        return
    writer = StoreWriter(path, open_store, most_waiting)
    await writer.start()
    try:
        yield writer
    except BaseException as error:
        failure = await writer.close(close_within)
        if failure is not None:
            raise BaseExceptionGroup(
                "the program ended, and not all of it was recorded", [error, failure]
            ) from None
        raise
    failure = await writer.close(close_within)
    if failure is not None:
        raise failure


class _Receipt:
    """Who waits for a job to be done. None: it was cancelled, so a failure is for the end."""

    __slots__ = ("task",)

    def __init__(self) -> None:
        self.task: Task | None = current_task()

    def leave(self, _raise_cancel: RaiseCancelT) -> Abort:
        self.task = None
        return Abort.SUCCEEDED


class StoreWriter(Writer):
    """Hands records to a thread that owns the store and writes them in groups."""

    def __init__(self, path: Path, open_store: Callable[[Path], Store], most_waiting: int) -> None:
        self.path = path
        self._open_store = open_store
        self._most_waiting = most_waiting
        self._jobs: SimpleQueue[Job | None] = SimpleQueue()
        self._closed = False
        # Each counter has one writing thread, so that no lock is needed to read it from the other.
        self._sent = self._sent_size = 0
        self._done = self._done_size = self._groups = 0
        self._lost = self._lost_in_all = 0
        self._torn: set[str] = set()
        """Runs of which a step could not be kept; the thread's own."""
        self._first_loss: Exception | None = None
        self._opened, self._ended = trio.Event(), trio.Event()
        self._open_error: Exception | None = None
        self._close_error: StoreError | None = None
        self._token = trio.lowlevel.current_trio_token()
        # A daemon: a disk that never answers must not keep the process from ending once its time is over.
        self._thread = threading.Thread(target=self._work, name=f"judgeflow store {path.name}", daemon=True)

    # -- for tasks

    async def begin(self, tern: Tern) -> Tern:
        row = encode_tern(tern)
        turn = await self._do(Job(lambda store: store.write_begin(row), size=row.size))
        return msgspec.structs.replace(tern, turn=cast(int, turn))

    async def write(self, record: Record) -> None:
        await self._do(self._job_of(record))

    def post(self, record: Record) -> None:
        job = self._job_of(record)
        if self._sent_size - self._done_size > self._most_waiting:
            raise StoreBusyError(
                f"{self.path}: the disk does not keep up (records behind: {self._sent - self._done}); "
                "check it, or point $TERN_DB at a faster one"
            )
        self._send(job)

    async def flush(self) -> None:
        await self._do(Job(_nothing, writes=False))
        failure = self._take_failure()
        if failure is not None:
            raise failure

    async def transact(self, work: Callable[[Store], T]) -> T:
        """Does `work` on the store's thread, in a transaction: all that it wrote is kept, or nothing.

        An error that `work` raises undoes it alone and is raised here. Other records wait for the same
        transaction, so it must be short.
        """
        return cast(T, await self._do(Job(work)))

    async def read(self, work: Callable[[Store], T]) -> T:
        """Does `work`, which only reads, on the store's thread, after everything that was sent before."""
        return cast(T, await self._do(Job(work, writes=False)))

    async def thread_exists(self, tenant: str, thread: str) -> bool:
        return await self.read(lambda store: store.thread_exists(tenant, thread))

    async def history(
        self, thread: str, n: int, *, tenant: str = "", before: int | None = None
    ) -> tuple[TernHead, ...]:
        return await self.read(lambda store: store.history(thread, n, tenant=tenant, before=before))

    async def balance(self, account: str, day: str, *, tenant: str = "") -> DayAccount:
        return await self.read(lambda store: balance(store, account, day, tenant=tenant))

    def post_booking(self, booking: Booking) -> None:
        self._send(Job(lambda store: apply_booking(store, booking)))

    def statistics(self) -> WriterStatistics:
        return WriterStatistics(
            waiting=self._sent - self._done, done=self._done, groups=self._groups, lost=self._lost_in_all
        )

    @enable_ki_protection
    async def _do(self, job: Job) -> object:
        receipt = job.receipt = _Receipt()
        self._send(job)
        return cast(object, await wait_task_rescheduled(receipt.leave))

    def _send(self, job: Job) -> None:
        if self._closed:
            raise StoreError(f"{self.path}: the writer is closed, and nothing more can be recorded")
        self._sent += 1
        self._sent_size += job.size
        self._jobs.put(job)

    def _job_of(self, record: Record) -> Job:
        # Encoded here and not on the thread: a record that cannot be is the caller's error, raised to the caller.
        if isinstance(record, JournalEntry):
            step = encode_entry(record)
            return Job(lambda store: store.write_entry(step), size=len(step.body), run=step.run, step=step.id)
        if isinstance(record, RunEnd):
            end = encode_end(record)
            return Job(lambda store: self._write_end(store, end, record.tern), size=len(end.body))
        row = encode_tern(record)
        return Job(lambda store: store.write_tern(row), size=row.size)

    # -- life

    async def start(self) -> None:
        """Opens the store. Raises `StoreError`."""
        self._thread.start()
        try:
            await self._opened.wait()
        except trio.Cancelled:
            await self.close(CLOSE_WITHIN)  # shielded: the thread does not outlive its program
            raise
        if self._open_error is not None:
            raise self._open_error

    async def close(self, within: float) -> StoreError | None:
        """Writes what waits and closes the store; what could not be kept, if anything."""
        self._closed = True
        self._jobs.put(None)
        with trio.move_on_after(within, shield=True):
            await self._ended.wait()
            return self._take_failure() or self._close_error
        waiting = self._sent - self._done
        return LostRecordsError(
            self._lost + waiting, StoreBusyError(f"{self.path}: the disk did not answer within {within:g} s")
        )

    def _take_failure(self) -> LostRecordsError | None:
        """What was lost since somebody was last told."""
        if self._first_loss is None:
            return None
        failure = LostRecordsError(self._lost, self._first_loss)
        failure.__cause__ = self._first_loss
        self._lost, self._first_loss = 0, None
        return failure

    def _deliver(self, group: list[Job]) -> None:
        for job in group:
            task = job.receipt.task if job.receipt is not None else None
            if task is not None:
                reschedule(task, Error(job.error) if job.error is not None else Value(job.result))
            elif job.error is not None:
                self._lose(job.error)

    def _lose(self, error: Exception) -> None:
        """A record that could not be kept, and nobody waits to hear it: it is told at the next flush or the end."""
        self._lost += 1
        self._lost_in_all += 1
        self._first_loss = self._first_loss or error

    # -- the thread

    def _work(self) -> None:
        try:
            store = self._open_store(self.path)
        except Exception as error:  # raised where somebody waits for the store to open
            self._open_error = error
            self._in_trio(self._opened.set)
            self._in_trio(self._ended.set)
            return
        self._in_trio(self._opened.set)
        try:
            serve(self._jobs, store, self._tell)
        finally:
            try:
                store.close()
            except StoreError as error:  # raised where somebody waits for the store to close
                self._close_error = error
            finally:
                self._in_trio(self._ended.set)

    def _write_end(self, store: Store, end: EndRow, tern: Tern) -> None:
        if tern.id in self._torn or not store.write_end(end):
            store.write_tern(encode_tern(tern))

    def _tell(self, group: list[Job]) -> None:
        self._torn.update(job.run for job in group if job.error is not None and job.run)
        self._done += len(group)
        self._done_size += sum(job.size for job in group)
        self._groups += 1
        if any(job.receipt is not None or job.error is not None for job in group):
            self._in_trio(lambda: self._deliver(group))

    def _in_trio(self, call: Callable[[], None]) -> None:
        # A program that did not wait for us to the end has nobody left to tell.
        with suppress(trio.RunFinishedError):
            self._token.run_sync_soon(call)


def _nothing(_store: Store) -> None:
    pass
