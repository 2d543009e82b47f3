"""`Store`: everything that a program or a command asks of the file of runs. Synchronous, for one thread.

Any number of processes may have a store open. Each write is one short transaction that takes its turn;
readers never wait. Tenants are kept apart: every question names one and sees no other's threads or runs.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from datetime import datetime
from pathlib import Path
from types import TracebackType
from typing import Self

import msgspec

from .clock import Clock, milliseconds, utc_now
from .connection import PATIENCE, Database, Row, Value, is_there, open_database, open_reader
from .errors import AmbiguousRunError, NoStoreError, RecordError, UnknownRunError
from .owner import Owner, is_alive, this_process
from .query import LIVE_STATUS, TernFilter, mentions, storable, suggest, typed_id, where
from .records import JournalEntry, StepRecord, Tern, TernHead, new_id
from .rows import (
    EndRow,
    Head,
    StepRow,
    TernRow,
    as_abandoned,
    decode_head,
    decode_steps,
    decode_tern,
    encode_entry,
    encode_tern,
    sum_up,
)
from .schema import STEPS, check, upgrade

_SAVE_TERN = """
INSERT INTO terns (id, tenant, thread, status, started,
                   flow, workflow, version, prompt, model, config, replay_of,
                   pid, host, born, body, turn)
VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?,
        coalesce(?, (SELECT max(turn) + 1 FROM terns WHERE tenant = ? AND thread = ?), 1))
ON CONFLICT (id) DO UPDATE SET
  status = excluded.status, body = excluded.body,
  version = excluded.version, prompt = excluded.prompt, model = excluded.model, config = excluded.config,
  pid = excluded.pid, host = excluded.host, born = excluded.born
WHERE tenant = excluded.tenant AND thread = excluded.thread AND started = excluded.started
"""
_END_TERN = """
UPDATE terns SET status = ?, body = ? WHERE id = ? AND tenant = ? AND thread = ? AND started = ?
"""
_SAVE_STEP = """
INSERT INTO steps (run, id, place, body) VALUES ((SELECT seq FROM terns WHERE id = ?), ?, ?, ?)
ON CONFLICT (run, id) DO UPDATE SET place = excluded.place, body = excluded.body
WHERE place IS NOT excluded.place OR body IS NOT excluded.body
"""
_COLUMNS = f"id, turn, {LIVE_STATUS}, pid, host, body"
_MOST_MATCHES = 10
_RECENT = 1000
_CHUNK = 200


class Pruned(msgspec.Struct, frozen=True):
    """What a prune removed, or would remove."""

    runs: int
    threads: int
    """Threads that had no other runs."""


class Store:
    """The runs in one file. `Store.open` to write and read, `Store.read` to look without touching."""

    def __init__(self, database: Database, *, clock: Clock = utc_now, owner: Owner | None = None) -> None:
        self.database = database
        self._clock = clock
        self._owner = owner or this_process()
        # Part of the connection, so that a filter by status sees a killed process's run for what it is.
        database.connection.create_function("lives", 4, self._lives)
        database.connection.create_function("mentions", 2, mentions, deterministic=True)

    @classmethod
    def open(
        cls, path: Path, *, clock: Clock = utc_now, owner: Owner | None = None, patience: float = PATIENCE
    ) -> Self:
        """Opens `path`, making or upgrading it where needed, and marks what killed processes left running.

        `patience` is how many seconds to wait for other processes. Raises `StoreError`.
        """
        database = open_database(path, patience=patience)
        try:
            upgrade(database)
            store = cls(database, clock=clock, owner=owner)
            store._mark_abandoned()
        except BaseException:
            database.close()
            raise
        return store

    @classmethod
    def read(cls, path: Path, *, clock: Clock = utc_now) -> Self:
        """Opens `path` to look at it while others write: no lock and no change.

        A file of an earlier version is upgraded first, which happens once. Raises `NoStoreError` if there is
        no file, and `StoreError`.
        """
        if not is_there(path):
            raise NoStoreError(f"{path}: there are no runs yet; the first `jrun FILE.judge` makes this file")
        database = open_reader(path)
        try:
            if check(database) == len(STEPS):
                return cls(database, clock=clock)
        except BaseException:
            database.close()
            raise
        database.close()
        return cls.open(path, clock=clock)

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        self.database.close()

    def now(self) -> datetime:
        """The present, on the store's own clock."""
        return self._clock()

    # -- writing

    def begin(self, tern: Tern) -> Tern:
        """Keeps a run that starts or goes on (status `running`); gives it back with its turn in the thread.

        The thread is made if it is new: whoever continues one asks `thread_exists` first. Raises
        `RecordError` if the id belongs to another run.
        """
        return msgspec.structs.replace(tern, turn=self.write_begin(encode_tern(tern)))

    def finish(self, tern: Tern) -> None:
        """Keeps how a run stands, with all of its steps. A journaled step that is not among them stays."""
        self.write_tern(encode_tern(tern))

    def journal(self, run: str, step: StepRecord, place: int) -> None:
        """Keeps one step's result as soon as it is there. The run must have begun."""
        self.write_entry(encode_entry(JournalEntry(run=run, step=step, place=place)))

    def write_begin(self, row: TernRow) -> int:
        """`begin` of a record that is encoded already: its turn."""
        with self.database.transaction():
            return self._save(row)

    def write_tern(self, row: TernRow) -> None:
        """`finish` of a record that is encoded already."""
        with self.database.transaction():
            self._save(row)
            for step in row.steps:
                self._save_step(step)

    def write_end(self, row: EndRow) -> bool:
        """`finish` of a run that began in this process and whose steps are all in the journal; whether it is there."""
        values = (row.status, row.body, row.id, row.tenant, row.thread, row.started)
        return self.database.execute(_END_TERN, values) == 1

    def write_entry(self, row: StepRow) -> None:
        """`journal` of a step that is encoded already."""
        try:
            self._save_step(row)
        except RecordError as error:
            raise RecordError(
                f"run {row.run}: its step {row.id} cannot be kept, as the run never began"
            ) from error

    def _save_step(self, row: StepRow) -> None:
        self.database.execute(_SAVE_STEP, (row.run, row.id, row.place, row.body))

    def _save(self, row: TernRow) -> int:
        """Keeps a run without its steps: its turn in the thread."""
        owner, place = self._owner, (row.tenant, row.thread)
        first = 1 if self._make_thread(*place, row.started) else None  # a look that most runs need not take
        values: tuple[Value, ...] = (
            row.id, *place, row.status, row.started, *row.columns,
            owner.pid, owner.host, owner.born, row.body, first, *place,
        )  # fmt: skip
        if self.database.execute(_SAVE_TERN, values) == 0:
            raise RecordError(f"run {row.id}: there is another run with this id; give each run its own")
        return first or int(self.database.rows("SELECT turn FROM terns WHERE id = ?", [row.id])[0][0])

    # -- threads

    def new_thread(self, tenant: str = "", *, make_id: Callable[[], str] = new_id) -> str:
        """Makes a thread and gives its id."""
        thread = make_id()
        self._make_thread(storable(tenant), storable(thread), milliseconds(self._clock()))
        return thread

    def thread_exists(self, tenant: str, thread: str) -> bool:
        return bool(
            self.database.rows(
                "SELECT 1 FROM threads WHERE tenant = ? AND id = ?", [storable(tenant), storable(thread)]
            )
        )

    def history(
        self, thread: str, n: int | None, *, tenant: str = "", after: int = 0, before: int | None = None
    ) -> tuple[TernHead, ...]:
        """The last `n` turns of a thread that are over (None: all), oldest first; only those after turn `after` and
        before turn `before`, if given."""
        rows = self.database.rows(
            f"""
            SELECT {_COLUMNS} FROM terns
            WHERE tenant = ? AND thread = ? AND turn > ? AND turn < ? AND {LIVE_STATUS} != 'running'
            ORDER BY turn DESC LIMIT ?
            """,
            [
                storable(tenant), storable(thread), after,
                2**62 if before is None else before, -1 if n is None else max(n, 0),
            ],
        )  # fmt: skip
        return tuple(self._head(row) for row in reversed(rows))

    def turns(self, thread: str, *, after: int, limit: int, tenant: str = "") -> tuple[TernHead, ...]:
        """The first `limit` turns of a thread after turn `after`, oldest first, as they stand: one may still run."""
        rows = self.database.rows(
            f"SELECT {_COLUMNS} FROM terns WHERE tenant = ? AND thread = ? AND turn > ? ORDER BY turn LIMIT ?",
            [storable(tenant), storable(thread), after, limit],
        )
        return tuple(self._head(row) for row in rows)

    def turn(self, thread: str, turn: int, *, tenant: str = "") -> TernHead:
        """One turn of a thread as it stands. Raises `UnknownRunError`."""
        rows = self.database.rows(
            f"SELECT {_COLUMNS} FROM terns WHERE tenant = ? AND thread = ? AND turn = ?",
            [storable(tenant), storable(thread), turn],
        )
        if not rows:
            raise UnknownRunError(f"{thread}, turn {turn}")
        return self._head(rows[0])

    def _make_thread(self, tenant: str, thread: str, created: int) -> bool:
        """Whether it is new."""
        made = self.database.execute(
            "INSERT INTO threads (tenant, id, created) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
            [tenant, thread, created],
        )
        return made == 1

    # -- reading

    def get(self, typed: str, *, tenant: str = "") -> Tern:
        """The run with this id, or the only one that starts like it.

        Raises `UnknownRunError` with the ids that come near, or `AmbiguousRunError` with those that fit.
        """
        wanted = typed_id(typed)
        owned = storable(tenant)
        mine = f"SELECT {_COLUMNS} FROM terns WHERE tenant = ?"
        exact = self.database.rows(f"{mine} AND id = ?", [owned, wanted])
        matches = exact or self.database.rows(
            f"{mine} AND id >= ? AND id < ? ORDER BY started DESC, seq DESC LIMIT ?",
            [owned, wanted, f"{wanted}\U0010ffff", _MOST_MATCHES],
        )
        if not wanted or not matches:
            raise UnknownRunError(typed, suggest(wanted, self._recent(owned)))
        if len(matches) > 1:
            raise AmbiguousRunError(typed, [row[0] for row in matches])
        return self._tern(matches[0])

    def list_terns(self, query: TernFilter | None = None, *, skip: int = 0) -> tuple[TernHead, ...]:
        """The runs that fit, newest first, without their steps; the first `skip` of them are left out."""
        query = query or TernFilter()
        condition, values = where(query)
        rows = self.database.rows(
            f"SELECT {_COLUMNS} FROM terns WHERE {condition} ORDER BY started DESC, seq DESC LIMIT ? OFFSET ?",
            [*values, -1 if query.limit is None else query.limit, skip],
        )
        return tuple(self._head(row) for row in rows)

    def count_terns(self, query: TernFilter | None = None) -> int:
        """How many runs fit, whatever the limit."""
        condition, values = where(query or TernFilter())
        return int(self.database.rows(f"SELECT count(*) FROM terns WHERE {condition}", values)[0][0])

    def export(self, query: TernFilter | None = None) -> Iterator[Tern]:
        """The runs that fit with their steps, oldest first, one at a time: memory stays flat."""
        query = query or TernFilter()
        condition, values = where(query)
        ids = self.database.rows(
            f"SELECT id FROM terns WHERE {condition} ORDER BY started DESC, seq DESC LIMIT ?",
            [*values, -1 if query.limit is None else query.limit],
        )
        for (run,) in reversed(ids):
            # One that was pruned in the meantime is gone for the reader as well.
            for row in self.database.rows(f"SELECT {_COLUMNS} FROM terns WHERE id = ?", [run]):
                yield self._tern(row)

    # -- cleaning up

    def prune(
        self, *, older_than: datetime | None = None, keep: int = 0, tenant: str = "", dry_run: bool = False
    ) -> Pruned:
        """Removes runs that started before `older_than` (None: any), but never one of the newest `keep`.

        Runs that still run or wait for a person stay. A thread goes with its last run, summaries included.
        """
        owned = storable(tenant)
        condition = "tenant = ?"
        values: list[Value] = [owned]
        if older_than is not None:
            condition += " AND started < ?"
            values.append(milliseconds(older_than))
        doomed = self.database.rows(
            f"""
            SELECT id, thread FROM terns WHERE {condition} AND {LIVE_STATUS} NOT IN ('running', 'paused')
            AND seq NOT IN (SELECT seq FROM terns WHERE tenant = ? ORDER BY started DESC, seq DESC LIMIT ?)
            """,
            [*values, owned, keep],
        )
        if dry_run:
            return Pruned(len(doomed), self._count_emptied(owned, doomed))
        # In portions, so that a run that ends meanwhile never waits long for its record.
        threads = sum(
            self._remove(owned, doomed[start : start + _CHUNK]) for start in range(0, len(doomed), _CHUNK)
        )
        self.database.shrink()
        return Pruned(len(doomed), threads)

    def _remove(self, tenant: str, doomed: list[Row]) -> int:
        with self.database.transaction():
            for run, _ in doomed:
                self.database.execute("DELETE FROM terns WHERE id = ?", [run])
            return sum(
                self.database.execute(
                    "DELETE FROM threads WHERE tenant = ? AND id = ? AND NOT EXISTS "
                    "(SELECT 1 FROM terns WHERE terns.tenant = threads.tenant AND thread = threads.id)",
                    [tenant, thread],
                )
                for thread in {thread for _, thread in doomed}
            )

    def _count_emptied(self, tenant: str, doomed: list[Row]) -> int:
        going: dict[str, int] = {}
        for _, thread in doomed:
            going[thread] = going.get(thread, 0) + 1
        counting = "SELECT count(*) FROM terns WHERE tenant = ? AND thread = ?"
        return sum(self.database.rows(counting, [tenant, thread])[0][0] == n for thread, n in going.items())

    # -- records that nobody finished

    def _lives(self, pid: int, host: str, born: str, started: int) -> bool:
        age = milliseconds(self._clock()) - started
        return is_alive(Owner(pid, host, born), here=self._owner.host, age_ms=age)

    def _mark_abandoned(self) -> None:
        left = "status = 'running' AND NOT lives(pid, host, born, started)"
        # Looked for first: opening a store takes the lock only if there is something to mark.
        if self.database.rows(f"SELECT 1 FROM terns WHERE {left} LIMIT 1"):
            with self.database.transaction():
                self.database.execute(f"UPDATE terns SET status = 'abandoned' WHERE {left}")

    # -- rows to records

    def _recent(self, tenant: str) -> list[str]:
        rows = self.database.rows(
            "SELECT id FROM terns WHERE tenant = ? ORDER BY started DESC LIMIT ?", [tenant, _RECENT]
        )
        return [run for (run,) in rows]

    def _steps(self, run: str) -> tuple[StepRecord, ...]:
        rows = self.database.rows(
            "SELECT body FROM steps WHERE run = (SELECT seq FROM terns WHERE id = ?) ORDER BY place", [run]
        )
        return decode_steps([body for (body,) in rows], run, self.database.path)

    def _head(self, row: Row) -> TernHead:
        run, body = row[0], row[5]
        head = decode_head(body, run, self.database.path)
        return self._as_of_now(head, row, self._steps(run) if head.status == "running" else ())

    def _tern(self, row: Row) -> Tern:
        run, body = row[0], row[5]
        tern = decode_tern(body, run, self.database.path)
        steps = self._steps(run)
        return self._as_of_now(msgspec.structs.replace(tern, steps=steps), row, steps)

    def _as_of_now(self, head: Head, row: Row, steps: tuple[StepRecord, ...]) -> Head:
        """A record as it was written, brought up to what the table knows since."""
        _, turn, status, pid, host, _ = row
        head = msgspec.structs.replace(head, turn=turn)
        if head.status == "running" and steps:
            head = sum_up(head, steps)
        return as_abandoned(head, pid, host) if status == "abandoned" else head
