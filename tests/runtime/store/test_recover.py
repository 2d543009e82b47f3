"""A damaged store gives back everything but what stood on the pages that are gone."""

from __future__ import annotations

import gzip
import sqlite3
from contextlib import closing
from pathlib import Path

import pytest

from judgeflow.runtime.cli import main
from judgeflow.runtime.store.accounts import balance, book
from judgeflow.runtime.store.errors import NotAStoreError, StoreDamagedError, StoreError
from judgeflow.runtime.store.recover import recover
from judgeflow.runtime.store.scores import Label, labels, put_label
from judgeflow.runtime.store.summaries import Summary, put_summary, read_memory
from judgeflow.runtime.store.terns import Store

RUNS = 200


@pytest.fixture
def full(path: Path, make_tern, make_step) -> Path:
    with Store.open(path) as store:
        book(store, "support", "2026-03-01", cost="0.5", tokens=7)
        for n in range(RUNS):
            store.finish(
                make_tern(f"r{n:03}", thread=f"t{n}", task="x" * 2000, steps=(make_step(answer="y" * 500),))
            )
        put_summary(store, "t0", Summary(first=1, last=1, text="terns"))
        put_label(store, Label(run="r000", label="pass", labelled="2026-03-01T12:00:00.000Z"))
    return path


def test_a_whole_store_is_saved_whole(full: Path, tmp_path: Path) -> None:
    before = full.read_bytes()
    found = recover(full, tmp_path / "saved.sqlite")
    assert (found.runs, found.steps, found.unreadable, found.homeless) == (RUNS, RUNS, (), 0)
    assert full.read_bytes() == before
    with Store.read(full) as old, Store.open(tmp_path / "saved.sqlite") as new:
        assert list(new.export()) == list(old.export())
        assert balance(new, "support", "2026-03-01").known == "0.5"
        assert read_memory(new, "t0", keep=1).count == 1
        assert len(labels(new)) == 1
        assert new.database.rows("PRAGMA foreign_key_check") == []


def test_a_torn_file_gives_the_runs_before_the_tear(full: Path, tmp_path: Path) -> None:
    whole = full.read_bytes()
    full.write_bytes(whole[: len(whole) * 2 // 3])
    with pytest.raises(StoreDamagedError, match="jrun runs recover"), Store.open(full) as store:
        list(store.export())
    found = recover(full, tmp_path / "saved.sqlite")
    assert RUNS // 3 < found.runs < RUNS
    assert "terns" in found.unreadable
    with Store.open(tmp_path / "saved.sqlite") as store:
        heads = store.list_terns()
        assert {head.id for head in heads} >= {f"r{n:03}" for n in range(RUNS // 3)}
        assert all(head.task == "x" * 2000 for head in heads)
        assert store.database.rows("PRAGMA integrity_check") == [("ok",)]
        assert store.database.rows("PRAGMA foreign_key_check") == []


def test_a_page_in_the_middle_costs_the_runs_on_it_alone(full: Path, tmp_path: Path) -> None:
    data = bytearray(full.read_bytes())
    at = data.index(b'"id":"r100"') // 8192 * 8192
    data[at : at + 8192] = b"\xff" * 8192
    full.write_bytes(bytes(data))
    found = recover(full, tmp_path / "saved.sqlite")
    with Store.open(tmp_path / "saved.sqlite") as store:
        saved = {head.id for head in store.list_terns()}
    assert RUNS - 10 <= found.runs < RUNS
    assert {"r000", "r090", "r110", f"r{RUNS - 1}"} <= saved
    assert "r100" not in saved


def test_what_is_no_store_or_would_be_overwritten_is_refused(full: Path, tmp_path: Path) -> None:
    notes = tmp_path / "notes.txt"
    notes.write_text("buy milk\n" * 100)
    with pytest.raises(NotAStoreError):
        recover(notes, tmp_path / "saved.sqlite")
    with pytest.raises(StoreError, match="there is a file already"):
        recover(full, notes)
    with pytest.raises(StoreError, match="there is no such file"):
        recover(tmp_path / "gone.sqlite", tmp_path / "saved.sqlite")
    assert notes.read_text() == "buy milk\n" * 100
    assert not (tmp_path / "saved.sqlite").exists()


def test_the_command_says_what_was_saved_and_how_to_go_on(
    full: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("TERN_DB", str(full))
    saved = tmp_path / "saved.sqlite"
    assert main(["runs", "recover", str(saved)]) == 0
    told = capsys.readouterr()
    assert told.out == f"{RUNS} runs with {RUNS} steps saved in {saved}\n"
    assert told.err == f"nothing was lost\nto use it: TERN_DB={saved}, or move it to {full}\n"
    assert main(["runs", "recover", str(saved)]) == 1
    assert "there is a file already" in capsys.readouterr().err


def test_a_store_of_an_earlier_schema_is_saved_with_its_steps(tmp_path: Path) -> None:
    earlier = tmp_path / "earlier.sqlite"
    file = Path(__file__).parent / "files" / "schema_2.sqlite.gz"
    earlier.write_bytes(gzip.decompress(file.read_bytes()))
    found = recover(earlier, tmp_path / "saved.sqlite")
    with Store.open(earlier) as old, Store.read(tmp_path / "saved.sqlite") as new:
        assert list(new.export()) == list(old.export())
        assert found.steps == sum(len(tern.steps) for tern in old.export()) > 0
    assert found.homeless == 0


def test_a_step_of_an_earlier_schema_without_its_run_is_counted_and_left(tmp_path: Path) -> None:
    earlier = tmp_path / "earlier.sqlite"
    file = Path(__file__).parent / "files" / "schema_2.sqlite.gz"
    earlier.write_bytes(gzip.decompress(file.read_bytes()))
    with closing(sqlite3.connect(earlier)) as raw, raw:
        steps = raw.execute("SELECT count(*) FROM steps").fetchone()[0]
        raw.execute("UPDATE steps SET tern = 'gone' || rowid")
    found = recover(earlier, tmp_path / "saved.sqlite")
    assert (found.steps, found.homeless) == (0, steps)
