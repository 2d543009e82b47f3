"""Files that are no store, damaged, full, locked or not to be written: each is named and has a way out."""

from __future__ import annotations

import os
import sqlite3
import tempfile
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from judgeflow.runtime.cli.doctor import trouble_with
from judgeflow.runtime.store.errors import (
    NotAStoreError,
    StoreBusyError,
    StoreDamagedError,
    StoreError,
    StoreFullError,
    StoreReadOnlyError,
    explain,
)
from judgeflow.runtime.store.records import Tern
from judgeflow.runtime.store.terns import Store

Opening = Callable[[Path], object]

NOBODY = 65534


@contextmanager
def as_ordinary_user() -> Iterator[None]:
    """The superuser may write anywhere, so a test of permissions needs to be somebody else."""
    if os.geteuid() != 0:
        yield
        return
    os.seteuid(NOBODY)
    try:
        yield
    finally:
        os.seteuid(0)


@pytest.fixture
def folder() -> Iterator[Path]:
    """A folder that everybody may look into."""
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        folder.chmod(0o755)
        yield folder
        folder.chmod(0o755)


def test_a_text_file_is_no_store(tmp_path: Path) -> None:
    path = tmp_path / "notes.txt"
    path.write_text("buy milk\n" * 100)
    for opening in (Store.open, Store.read):
        with pytest.raises(NotAStoreError, match=r"notes\.txt: this is not a store.*\$TERN_DB"):
            opening(path)
    assert path.read_text() == "buy milk\n" * 100


@pytest.mark.parametrize("opening", [Store.open, Store.read])
def test_a_pipe_or_a_folder_is_no_store_and_is_not_waited_for(tmp_path: Path, opening: Opening) -> None:
    path = tmp_path / "terns.sqlite"
    os.mkfifo(path)
    with pytest.raises(NotAStoreError, match=r"this is a pipe or a device, not a store.*\$TERN_DB"):
        opening(path)
    path.unlink()
    path.mkdir()
    with pytest.raises(NotAStoreError, match=r"this is a folder, not a store.*\$TERN_DB"):
        opening(path)


@pytest.mark.parametrize("name", [":memory:", "file:x.db?mode=memory"])
def test_a_name_that_means_something_to_sqlite_is_the_name_of_a_file(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, make_tern: Callable[[str], Tern], name: str
) -> None:
    monkeypatch.chdir(tmp_path)
    with Store.open(Path(name)) as store:
        store.finish(make_tern("r1"))
    with Store.read(Path(name)) as store:
        assert store.get("r1").id == "r1"


def test_the_doctor_tells_what_a_run_would_be_told(tmp_path: Path) -> None:
    path = tmp_path / "terns.sqlite"
    assert trouble_with(path) == ""
    path.write_text("buy milk\n" * 100)
    assert trouble_with(path).startswith("this is not a store of runs; move it away")
    path.unlink()
    Store.open(path).close()
    assert trouble_with(path) == ""


def test_a_torn_file_is_named_damaged_with_a_way_out(path: Path, make_tern) -> None:
    with Store.open(path) as store:
        for n in range(200):
            store.finish(make_tern(f"r{n}", task="x" * 2000))
    whole = path.read_bytes()
    path.write_bytes(whole[: len(whole) // 3])
    with (
        pytest.raises(StoreDamagedError, match=r"jrun runs recover saved\.sqlite.*move this file away"),
        Store.open(path) as store,
    ):
        list(store.export())


def test_a_torn_write_ahead_log_loses_no_run_that_was_whole(path: Path, tmp_path: Path, make_tern) -> None:
    with Store.open(path) as store:
        store.finish(make_tern("r1"))
        store.finish(make_tern("r2"))
        copy = tmp_path / "copy.sqlite"
        copy.write_bytes(path.read_bytes())
        log = path.with_name(path.name + "-wal").read_bytes()
        copy.with_name("copy.sqlite-wal").write_bytes(log[:-100])
    with Store.open(copy) as store:
        assert [head.id for head in store.list_terns()] == ["r1"]
        assert store.database.rows("PRAGMA integrity_check") == [("ok",)]


def test_a_record_that_cannot_be_read_is_named(store: Store, make_tern, make_step) -> None:
    store.finish(make_tern(steps=(make_step(),)))
    store.database.execute("UPDATE steps SET body = '{'")
    with pytest.raises(StoreDamagedError, match="a step of run a1 cannot be read"):
        store.get("a1")
    store.database.execute("UPDATE terns SET body = '[]'")
    with pytest.raises(StoreDamagedError, match="the record of run a1 cannot be read"):
        store.list_terns()


def test_a_folder_that_may_not_be_written_is_named(folder: Path) -> None:
    folder.chmod(0o555)
    with (
        as_ordinary_user(),
        pytest.raises(StoreReadOnlyError, match=r"check the permissions.*--no-store") as caught,
    ):
        Store.open(folder / "terns.sqlite")
    assert str(folder) in str(caught.value)


def test_a_store_in_a_folder_that_may_not_be_written_can_still_be_read(folder: Path, make_tern) -> None:
    path = folder / "terns.sqlite"
    with Store.open(path) as store:
        store.finish(make_tern())
    path.chmod(0o444)
    folder.chmod(0o555)
    with as_ordinary_user(), Store.read(path) as store:
        assert [head.id for head in store.list_terns()] == ["a1"]


def test_a_full_disk_is_named_and_the_runs_before_stay(store: Store, make_tern) -> None:
    store.finish(make_tern("r1"))
    store.database.rows(f"PRAGMA max_page_count = {store.database.pragma('page_count')}")
    with pytest.raises(StoreFullError, match="prune --older"):
        store.finish(make_tern("r2", task="x" * 100_000))
    assert not store.database.connection.in_transaction
    store.database.rows("PRAGMA max_page_count = 100000")
    store.finish(make_tern("r3"))
    assert {head.id for head in store.list_terns()} == {"r1", "r3"}


def test_a_file_that_others_keep_locked_is_named_after_the_patience_is_over(path: Path, make_tern) -> None:
    with Store.open(path) as other, Store.open(path, patience=0) as store:
        store.database.connection.execute("PRAGMA busy_timeout = 0")
        with other.database.transaction(), pytest.raises(StoreBusyError, match="kept it locked"):
            store.finish(make_tern())
        store.finish(make_tern())
        assert store.count_terns() == 1


@pytest.mark.parametrize(
    ("code", "kind"),
    [
        (sqlite3.SQLITE_FULL, StoreFullError),
        (sqlite3.SQLITE_READONLY, StoreReadOnlyError),
        (sqlite3.SQLITE_READONLY_DIRECTORY, StoreReadOnlyError),
        (sqlite3.SQLITE_CANTOPEN, StoreReadOnlyError),
        (sqlite3.SQLITE_NOTADB, NotAStoreError),
        (sqlite3.SQLITE_CORRUPT, StoreDamagedError),
        (sqlite3.SQLITE_BUSY, StoreBusyError),
        (sqlite3.SQLITE_LOCKED, StoreBusyError),
        (sqlite3.SQLITE_IOERR, StoreError),
        (sqlite3.SQLITE_IOERR_FSYNC, StoreError),
        (sqlite3.SQLITE_ERROR, StoreError),
    ],
)
def test_every_trouble_of_sqlite_names_the_file(code: int, kind: type[StoreError]) -> None:
    error = sqlite3.OperationalError("it hurts")
    error.sqlite_errorcode = code
    explained = explain(error, Path("/data/terns.sqlite"))
    assert type(explained) is kind
    assert explained.message.startswith("/data/terns.sqlite: ")


def test_a_place_that_may_not_even_be_looked_at_is_told(tmp_path: Path) -> None:
    path = tmp_path / ("x" * 300)
    for use in (Store.read, Store.open):
        with pytest.raises(StoreError, match="it cannot be opened or written"):
            use(path)
