"""Saves what can still be read of a damaged store into a new one.

Each table is read from its beginning until a page that cannot be read, and from its end back to one: what lies
between is lost, and nothing else. SQLite's own order of pages is followed, so a torn file gives all of its runs but
those on the torn pages.
"""

from __future__ import annotations

import sqlite3
from collections.abc import Iterator
from pathlib import Path

import msgspec

from .connection import Database, Row, open_raw
from .errors import StoreDamagedError, StoreError
from .schema import APPLICATION_ID
from .terns import Store

_KEYS = {
    "threads": "tenant, id",
    "terns": "seq",
    "steps": "rowid",
    "paused_runs": "tern",
    "scores": "tern, judge",
    "labels": "tern, labeller",
    "summaries": "tenant, thread, last_turn",
    "config_versions": "tenant, workflow, version, config",
    "day_accounts": "tenant, account, day",
}
"""Each table with the order in which its rows lie."""
_OF_RUNS = ("paused_runs", "scores", "labels")


class Recovered(msgspec.Struct, frozen=True, kw_only=True):
    """What was saved. `unreadable` names the tables of which rows were lost; how many nobody knows."""

    runs: int
    steps: int
    unreadable: tuple[str, ...]
    homeless: int
    """Steps, scores and labels that were read and whose run was not."""


def recover(damaged_path: Path, saved: Path) -> Recovered:
    """Reads the store at `damaged_path`, changing nothing, and makes a new one at `saved`.

    Raises `StoreError` where there is a file at `saved` already, or where not even the list of tables can be read.
    """
    if saved.exists():
        raise StoreError(f"{saved}: there is a file already; name a new one")
    with open_raw(damaged_path) as source:
        tables = _tables(source)
        with Store.open(saved) as store:
            database = store.database
            database.execute("PRAGMA foreign_keys = OFF")
            unreadable = [name for name in _KEYS if name in tables and not _copy(source, database, name)]
            homeless = _tidy(database)
            database.execute("PRAGMA foreign_keys = ON")
            steps = int(database.rows("SELECT count(*) FROM steps")[0][0])
            runs = int(database.rows("SELECT count(*) FROM terns")[0][0])
    return Recovered(runs=runs, steps=steps, unreadable=tuple(unreadable), homeless=homeless)


def _tables(source: Database) -> set[str]:
    try:
        names = {name for (name,) in source.rows("SELECT name FROM sqlite_master WHERE type = 'table'")}
        is_ours = source.pragma("application_id") == APPLICATION_ID and "terns" in names
    except StoreDamagedError as error:
        raise StoreError(
            f"{source.path}: not even the list of its tables can be read, so nothing can be saved; move it away"
        ) from error
    if not is_ours:
        raise StoreError(f"{source.path}: this is no store of runs")
    return names


def _copy(source: Database, target: Database, table: str) -> bool:
    """Copies what can be read of a table; whether that was all of it."""
    chosen, insert = _copying(source, target, table)
    whole = True
    with target.transaction():
        for direction in ("", " DESC"):
            order = ", ".join(f"{key.strip()}{direction}" for key in _KEYS[table].split(","))
            rows = _Rows(source, f"SELECT {chosen} FROM {table} ORDER BY {order}")
            for row in rows:
                target.execute(insert, row)
            if rows.ended:
                return whole
            whole = False
    return whole


def _copying(source: Database, target: Database, table: str) -> tuple[str, str]:
    """What is read of a row, and the statement that takes it."""
    there = {name for _, name, *_ in target.rows(f"PRAGMA table_info({table})")}
    here = [name for _, name, *_ in source.rows(f"PRAGMA table_info({table})")]
    if table == "steps" and "tern" in here:
        # An earlier schema: a step named its run. Runs are copied first, so that the number is known if the run is.
        run = "coalesce((SELECT seq FROM terns WHERE terns.id = ?), -?)"
        into = f"INSERT OR IGNORE INTO steps (run, id, place, body) VALUES ({run}, ?, ?, ?)"
        return "tern, rowid, id, seq, body", into
    columns = [name for name in here if name in there]
    chosen, places = ", ".join(columns), ", ".join("?" for _ in columns)
    return chosen, f"INSERT OR IGNORE INTO {table} ({chosen}) VALUES ({places})"


class _Rows:
    """The rows of a query until one cannot be read. `ended`: there was none such."""

    def __init__(self, source: Database, sql: str) -> None:
        self._source = source
        self._sql = sql
        self.ended = False

    def __iter__(self) -> Iterator[Row]:
        try:
            yield from self._source.connection.execute(self._sql)
        except (sqlite3.Error, UnicodeDecodeError):
            return
        self.ended = True


def _tidy(database: Database) -> int:
    """Every run gets its thread; what belongs to a run that was not saved goes. How many such rows there were."""
    with database.transaction():
        database.execute(
            "INSERT OR IGNORE INTO threads (tenant, id, created) "
            "SELECT tenant, thread, min(started) FROM terns GROUP BY tenant, thread"
        )
        database.execute(
            "INSERT OR IGNORE INTO threads (tenant, id, created) "
            "SELECT tenant, thread, min(created) FROM summaries GROUP BY tenant, thread"
        )
        homeless = database.execute("DELETE FROM steps WHERE run NOT IN (SELECT seq FROM terns)")
        return homeless + sum(
            database.execute(f"DELETE FROM {table} WHERE tern NOT IN (SELECT id FROM terns)")
            for table in _OF_RUNS
        )
