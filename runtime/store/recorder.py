"""What a program's runs are recorded with, and the recorder that holds them in memory.

`write` returns when the record is safe. `post` returns at once, for the one place where nothing may be awaited:
between an answer that was paid for and the look at whether the run was cancelled.
"""

from __future__ import annotations

from abc import ABC, abstractmethod
from collections import OrderedDict
from typing import TypeAlias

import msgspec
import trio

from .accounts import Booking, DayAccount, added
from .records import JournalEntry, RunEnd, Tern, TernHead

Record: TypeAlias = Tern | RunEnd | JournalEntry

KEPT = 1000


class WriterStatistics(msgspec.Struct, frozen=True, kw_only=True):
    waiting: int
    """Jobs that are not done yet."""
    done: int
    groups: int
    """Transactions they took."""
    lost: int
    """Records that could not be kept and that nobody waited for."""


class Writer(ABC):
    """Where a program's runs are recorded. `open_writer` makes one."""

    @abstractmethod
    async def begin(self, tern: Tern) -> Tern:
        """Keeps a run that starts or goes on; gives it back with its turn in the thread.

        Raises `StoreError`.
        """

    @abstractmethod
    async def write(self, record: Record) -> None:
        """Keeps a run as it stands, or a step of one, and returns when it is safe.

        Raises `StoreError`. Cancelling the wait does not take the record back.
        """

    @abstractmethod
    def post(self, record: Record) -> None:
        """Keeps it as soon as may be and returns at once; `flush` or the writer's end tells if that failed.

        Raises `RecordError` here and now for a record that cannot be written down.
        """

    @abstractmethod
    async def flush(self) -> None:
        """Returns when everything so far is safe. Raises `LostRecordsError` if something is not."""

    @abstractmethod
    async def thread_exists(self, tenant: str, thread: str) -> bool: ...

    @abstractmethod
    async def history(
        self, thread: str, n: int, *, tenant: str = "", before: int | None = None
    ) -> tuple[TernHead, ...]:
        """The last `n` turns of a thread that are over, oldest first; before turn `before`, if given."""

    @abstractmethod
    async def balance(self, account: str, day: str, *, tenant: str = "") -> DayAccount:
        """What an account has spent on a day, everything included that was posted before."""

    @abstractmethod
    def post_booking(self, booking: Booking) -> None:
        """Adds to an account's day as soon as may be; what could not be kept is told like a lost record."""

    @abstractmethod
    def statistics(self) -> WriterStatistics: ...


class MemoryWriter(Writer):
    """Keeps the newest runs and forgets the rest: a million need no more memory than a thousand."""

    def __init__(self, keep: int = KEPT) -> None:
        self._keep = keep
        self._terns: OrderedDict[str, Tern] = OrderedDict()
        self._accounts: dict[tuple[str, str, str], DayAccount] = {}
        self._done = 0

    @property
    def kept(self) -> tuple[Tern, ...]:
        """Oldest first."""
        return tuple(self._terns.values())

    async def begin(self, tern: Tern) -> Tern:
        begun = msgspec.structs.replace(tern, turn=tern.turn or 1)
        await self.write(begun)
        return begun

    async def write(self, record: Record) -> None:
        self.post(record)
        await trio.lowlevel.checkpoint()

    def post(self, record: Record) -> None:
        self._done += 1
        if isinstance(record, JournalEntry):
            return  # a journal is for the next process, and memory has none
        tern = record.tern if isinstance(record, RunEnd) else record
        self._terns[tern.id] = tern
        self._terns.move_to_end(tern.id)
        if len(self._terns) > self._keep:
            self._terns.popitem(last=False)

    async def flush(self) -> None:
        await trio.lowlevel.checkpoint()

    async def thread_exists(self, tenant: str, thread: str) -> bool:
        await trio.lowlevel.checkpoint()
        return any((tern.tenant, tern.thread) == (tenant, thread) for tern in self._terns.values())

    async def history(
        self, thread: str, n: int, *, tenant: str = "", before: int | None = None
    ) -> tuple[TernHead, ...]:
        await trio.lowlevel.checkpoint()
        turns = [
            tern
            for tern in self._terns.values()
            if (tern.tenant, tern.thread) == (tenant, thread)
            and tern.status != "running"
            and (before is None or tern.turn < before)
        ]
        return tuple(turns[-n:] if n > 0 else ())

    async def balance(self, account: str, day: str, *, tenant: str = "") -> DayAccount:
        await trio.lowlevel.checkpoint()
        return self._accounts.get((tenant, account, day), DayAccount())

    def post_booking(self, booking: Booking) -> None:
        place = (booking.tenant, booking.account, booking.day)
        self._accounts[place] = added(self._accounts.get(place, DayAccount()), booking)

    def statistics(self) -> WriterStatistics:
        return WriterStatistics(waiting=0, done=self._done, groups=0, lost=0)
