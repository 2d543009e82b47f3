from __future__ import annotations

import sqlite3
from pathlib import Path

import pytest

from judgeflow.runtime.store.connection import open_database
from judgeflow.runtime.store.errors import NotAStoreError, StoreError, StoreTooNewError
from judgeflow.runtime.store.schema import STEPS, check, upgrade
from judgeflow.runtime.store.terns import Store

FIRST = ("CREATE TABLE birds (name TEXT)", "INSERT INTO birds VALUES ('tern')")
SECOND = ("ALTER TABLE birds ADD COLUMN sea TEXT NOT NULL DEFAULT 'arctic'",)
BROKEN = ("CREATE TABLE eggs (n INTEGER)", "INSERT INTO nests VALUES (1)")


def test_f21_a_new_file_goes_through_every_step_once(path: Path) -> None:
    with open_database(path) as database:
        upgrade(database, (FIRST, SECOND))
        upgrade(database, (FIRST, SECOND))
        assert database.rows("SELECT name, sea FROM birds") == [("tern", "arctic")]
        assert database.pragma("user_version") == 2


def test_f21_an_earlier_file_goes_through_the_steps_it_has_not_seen(path: Path) -> None:
    with open_database(path) as database:
        upgrade(database, (FIRST,))
        database.execute("UPDATE birds SET name = 'arctic tern'")
        upgrade(database, (FIRST, SECOND))
        assert database.rows("SELECT name, sea FROM birds") == [("arctic tern", "arctic")]


def test_a_step_that_fails_leaves_the_file_as_it_was(path: Path) -> None:
    with open_database(path) as database:
        upgrade(database, (FIRST,))
        with pytest.raises(StoreError, match="nests"):
            upgrade(database, (FIRST, BROKEN))
        assert database.pragma("user_version") == 1
        assert database.rows("SELECT count(*) FROM sqlite_master WHERE name = 'eggs'") == [(0,)]
        assert not database.connection.in_transaction


def test_a_file_of_a_newer_version_is_refused_and_left_alone(path: Path) -> None:
    Store.open(path).close()
    with open_database(path) as database:
        database.execute(f"PRAGMA user_version = {len(STEPS) + 1}")
    for opening in (Store.open, Store.read):
        with pytest.raises(StoreTooNewError, match=r"newer judgeflow .*pip install -U judgeflow") as caught:
            opening(path)
        assert str(path) in str(caught.value)
    with open_database(path) as database:
        assert database.pragma("user_version") == len(STEPS) + 1


@pytest.mark.parametrize(
    "statement", ["CREATE TABLE users (id)", "PRAGMA application_id = 7", "PRAGMA user_version = 1"]
)
def test_another_programs_database_is_refused_and_left_alone(tmp_path: Path, statement: str) -> None:
    path = tmp_path / "app.db"
    connection = sqlite3.connect(path)
    connection.execute(statement)
    connection.close()
    with pytest.raises(NotAStoreError, match="another program's database"):
        Store.open(path)
    connection = sqlite3.connect(path)
    assert connection.execute("SELECT count(*) FROM sqlite_master WHERE name = 'terns'").fetchone() == (0,)
    connection.close()


def test_an_empty_file_becomes_a_store(tmp_path: Path) -> None:
    path = tmp_path / "empty.sqlite"
    path.touch()
    with Store.read(path) as store:
        assert store.count_terns() == 0


def test_u16_the_store_has_its_tables_wal_and_foreign_keys(store: Store) -> None:
    names = {name for (name,) in store.database.rows("SELECT name FROM sqlite_master WHERE type = 'table'")}
    assert names >= {
        "threads", "terns", "steps", "scores", "summaries", "config_versions", "paused_runs", "day_accounts",
    }  # fmt: skip
    assert store.database.rows("PRAGMA journal_mode") == [("wal",)]
    assert store.database.pragma("foreign_keys") == 1
    assert check(store.database) == len(STEPS)


def test_u17_a_score_belongs_to_a_run_and_goes_with_it(store: Store, make_tern) -> None:
    insert = "INSERT INTO scores (tern, judge, score, cost, scored) VALUES (?, 'adequate', 0.9, '0', 0)"
    with pytest.raises(StoreError, match="FOREIGN KEY"):
        store.database.execute(insert, ["a1"])
    store.finish(make_tern())
    store.database.execute(insert, ["a1"])
    store.prune()
    assert store.database.rows("SELECT count(*) FROM scores") == [(0,)]
