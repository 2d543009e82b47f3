"""One SQLite connection: how it is opened, how it waits for others, and errors that say what to do.

WAL lets readers and one writer work at once; a writer takes the lock at its first word (`BEGIN IMMEDIATE`),
so a transaction that has begun is never refused half-way. `synchronous = NORMAL`: a killed process loses
nothing, a power cut may take the last moments and never damages the file.
"""

from __future__ import annotations

import errno
import os
import sqlite3
import tempfile
import time
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from pathlib import Path
from types import TracebackType
from typing import Any, Self, TypeAlias

from .errors import NoStoreError, NotAStoreError, RecordError, StoreError, explain, is_busy

PATIENCE = 30.0
"""Seconds for which a process waits for the others before it gives up."""

_BUSY = 5.0  # SQLite's own waiting; it reports some clashes at once, so we ask again until PATIENCE is over
_PAUSE = 0.02
_BATCH = 200

Value: TypeAlias = str | int | float | bytes | None
Row: TypeAlias = tuple[Any, ...]  # a column's type is known by its query alone


class Database:
    """A connection to the file at `path`, for one thread. Made by `open_database` and `open_reader`."""

    def __init__(self, connection: sqlite3.Connection, path: Path, *, patience: float = PATIENCE) -> None:
        self.path = path
        self.connection = connection
        self._patience = patience

    def __enter__(self) -> Self:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        self.close()

    def close(self) -> None:
        try:
            self.connection.close()
        except sqlite3.Error as error:
            raise explain(error, self.path) from error

    def execute(self, sql: str, values: Sequence[Value] = ()) -> int:
        """Runs one statement; how many rows it changed."""
        try:
            return self.connection.execute(sql, values).rowcount
        except sqlite3.Error as error:
            raise self._explained(error) from error

    def rows(self, sql: str, values: Sequence[Value] = ()) -> list[Row]:
        """Runs one statement; the rows that it gives."""
        try:
            return self.connection.execute(sql, values).fetchall()
        except sqlite3.Error as error:
            raise self._explained(error) from error

    def _explained(self, error: sqlite3.Error) -> StoreError:
        if isinstance(error, sqlite3.IntegrityError):
            return RecordError(f"{self.path}: the record does not fit what is stored: {error}")
        return explain(error, self.path)

    def stream(self, sql: str, values: Sequence[Value] = ()) -> Iterator[Row]:
        """The rows of a result too large to hold."""
        try:
            cursor = self.connection.execute(sql, values)
            while batch := cursor.fetchmany(_BATCH):
                yield from batch
        except sqlite3.Error as error:
            raise explain(error, self.path) from error

    def pragma(self, name: str) -> int:
        return int(self.rows(f"PRAGMA {name}")[0][0])

    @contextmanager
    def transaction(self) -> Iterator[None]:
        """All of it or nothing; inside another one, a part of that."""
        if self.connection.in_transaction:
            yield
            return
        self._patiently("BEGIN IMMEDIATE")
        try:
            yield
            self.execute("COMMIT")
        except BaseException:
            self._undo("ROLLBACK")
            raise

    @contextmanager
    def savepoint(self) -> Iterator[None]:
        """Within a transaction: what fails in here is undone alone."""
        self.execute("SAVEPOINT part")
        try:
            yield
        except BaseException:
            self._undo("ROLLBACK TO part")
            self._undo("RELEASE part")
            raise
        self.execute("RELEASE part")

    def _undo(self, sql: str) -> None:
        # A full or failing disk makes SQLite roll back by itself, and then there is nothing left to undo.
        if self.connection.in_transaction:
            self.execute(sql)

    def _patiently(self, sql: str) -> None:
        deadline = time.monotonic() + self._patience
        while True:
            try:
                self.connection.execute(sql)
                return
            except sqlite3.Error as error:
                if not is_busy(error) or time.monotonic() >= deadline:
                    raise explain(error, self.path) from error
            time.sleep(_PAUSE)

    def shrink(self) -> None:
        """Gives pages that hold nothing back to the disk."""
        try:
            # SQLite frees one page a step, and of all ways to run a statement only this one takes every step.
            self.connection.executescript("PRAGMA incremental_vacuum")
        except sqlite3.Error as error:
            raise explain(error, self.path) from error

    def prepare(self) -> None:
        """Sets the file up for writing. Each setting that is already there costs a look."""
        # Steps are a few kilobytes: on SQLite's pages of 4 KB a third of the file would be gaps.
        self._patiently("PRAGMA page_size = 8192")
        self._patiently("PRAGMA auto_vacuum = INCREMENTAL")
        # Changing the journal's mode needs the file for a moment, and SQLite by itself does not wait for it.
        self._patiently("PRAGMA journal_mode = WAL")
        self.execute("PRAGMA synchronous = NORMAL")
        # Ids are random, so that a run touches pages everywhere in the indexes: with SQLite's own 2 MB a store of
        # 100,000 runs is written at half the speed, and merging its log more often writes the same pages again.
        self.execute(f"PRAGMA cache_size = -{16 * 1024}")
        self.execute("PRAGMA wal_autocheckpoint = 2000")
        self.execute("PRAGMA foreign_keys = ON")
        self.execute(f"PRAGMA journal_size_limit = {64 * 1024 * 1024}")


def is_there(path: Path) -> bool:
    """Whether there is such a file. Raises `StoreError` where its folder may not be looked into."""
    try:
        return path.exists()
    except OSError as error:
        raise explain(_in_sqlite_terms(error), path) from error


def open_database(path: Path, *, patience: float = PATIENCE) -> Database:
    """Opens the file for reading and writing; makes it, readable by its owner alone, if it is not there."""
    try:
        path.parent.mkdir(parents=True, exist_ok=True, mode=0o700)
        if not path.exists():
            _make(path)
    except OSError as error:
        raise explain(_in_sqlite_terms(error), path) from error
    # Whole: SQLite takes `:memory:` and `file:…` for something else, in which the runs would be gone at the end.
    database = Database(_connect(str(path.absolute()), path), path, patience=patience)
    try:
        database.prepare()
    except BaseException:
        database.close()
        raise
    return database


def _make(path: Path) -> None:
    """Makes an empty file that its owner alone may read, unless somebody else was faster.

    It appears in one step, already closed: in POSIX, closing a file gives up every lock that this process has on it,
    and another thread may have opened the store by then.
    """
    handle, name = tempfile.mkstemp(prefix=f".{path.name}.", dir=path.parent)
    os.close(handle)
    try:
        os.link(name, path)
    except FileExistsError:
        pass
    except OSError:
        # A file system without links: here the moment of closing is left, once in the life of a store.
        path.touch(mode=0o600, exist_ok=True)
    finally:
        os.unlink(name)


def open_reader(path: Path) -> Database:
    """Opens a file that is there for reading alone: no lock that a writer would feel, and no change."""
    address = f"{path.absolute().as_uri()}?mode=ro"
    database = Database(_connect(address, path, uri=True), path)
    try:
        database.pragma("user_version")
    except Exception:
        database.close()
        if _has_unmerged_writes(path):
            raise
        # WAL needs a helper file beside the store. In a folder where none can be made nobody writes either.
        database = Database(_connect(f"{address}&immutable=1", path, uri=True), path)
        try:
            database.pragma("user_version")
        except BaseException:
            database.close()
            raise
    return database


def open_raw(path: Path) -> Database:
    """Opens a file that may be damaged, to read what can be read."""
    if not is_there(path):
        raise NoStoreError(f"{path}: there is no such file")
    database = Database(_connect(f"{path.absolute().as_uri()}?mode=ro", path, uri=True), path)
    # Nothing is written: with this SQLite also reads a file that is shorter than its header says.
    database.execute("PRAGMA writable_schema = ON")
    return database


def _connect(address: str, path: Path, *, uri: bool = False) -> sqlite3.Connection:
    if path.exists() and not path.is_file():
        # A read of a named pipe may wait without end.
        what = "a folder" if path.is_dir() else "a pipe or a device"
        raise NotAStoreError(f"{path}: this is {what}, not a store of runs; point $TERN_DB at a file")
    try:
        return sqlite3.connect(address, timeout=_BUSY, isolation_level=None, uri=uri)
    except sqlite3.Error as error:
        raise explain(error, path) from error


def _has_unmerged_writes(path: Path) -> bool:
    log = path.with_name(f"{path.name}-wal")
    return log.exists() and log.stat().st_size > 0


def _in_sqlite_terms(error: OSError) -> sqlite3.Error:
    wrapped = sqlite3.OperationalError(error.strerror or str(error))
    full = error.errno in (errno.ENOSPC, errno.EDQUOT)
    wrapped.sqlite_errorcode = sqlite3.SQLITE_FULL if full else sqlite3.SQLITE_CANTOPEN
    return wrapped
