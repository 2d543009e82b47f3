"""A file of every earlier schema, as the judgeflow of that time wrote it, still opens with all that is in it."""

from __future__ import annotations

import gzip
from pathlib import Path

import pytest

from judgeflow.runtime.store.accounts import balance
from judgeflow.runtime.store.schema import STEPS, check
from judgeflow.runtime.store.scores import labels, scores
from judgeflow.runtime.store.summaries import Summary, read_memory
from judgeflow.runtime.store.terns import Store
from judgeflow.runtime.store.threads import list_threads
from judgeflow.runtime.store.versions import find_drift

FILES = Path(__file__).parent / "files"
EARLIER = range(1, len(STEPS))
SUPPORT, THREAD = "0" * 31 + "1", "f" * 32


@pytest.fixture
def earlier(path: Path, request: pytest.FixtureRequest) -> Path:
    path.parent.mkdir()
    path.write_bytes(gzip.decompress((FILES / f"schema_{request.param}.sqlite.gz").read_bytes()))
    return path


def test_f21_a_file_of_every_earlier_schema_is_kept() -> None:
    assert {file.name for file in FILES.iterdir()} == {f"schema_{n}.sqlite.gz" for n in EARLIER}


@pytest.mark.parametrize("earlier", EARLIER, indirect=True)
@pytest.mark.parametrize("opening", [Store.open, Store.read])
def test_f21_an_earlier_file_is_brought_up_to_date_and_loses_nothing(earlier: Path, opening) -> None:
    with opening(earlier) as store:
        assert check(store.database) == len(STEPS)
        tern = store.get(SUPPORT)
        assert (tern.answer, tern.steps[0].answer, tern.cost.total) == (
            "Terns are seabirds.", "Terns are seabirds.", "0.0042",
        )  # fmt: skip
        assert [head.status for head in store.history(THREAD, 10)] == ["answered", "failed"]
        [thread] = list_threads(store)
        assert (thread.id, thread.turns, thread.summaries) == (THREAD, 2, 1)
        memory = read_memory(store, THREAD, keep=10)
        assert memory.summaries == (Summary(first=1, last=2, text="The user asked what terns are."),)
        assert [(score.run, score.judge, score.score) for score in scores(store)] == [
            (SUPPORT, "adequate", 0.9)
        ]
        assert labels(store) == ()
        assert balance(store, "support", "2026-03-01").known == "0.0042"
        assert store.database.rows("PRAGMA integrity_check") == [("ok",)]
        assert store.database.rows("PRAGMA foreign_key_check") == []


@pytest.mark.parametrize("earlier", EARLIER, indirect=True)
def test_f51_f52_versions_that_an_earlier_schema_saw_still_count(earlier: Path) -> None:
    with Store.open(earlier) as store:
        drift = find_drift(store, "support", "3", "e" * 64)
        assert drift is not None
        assert (drift.was, drift.now) == ("c" * 64, "e" * 64)
        assert find_drift(store, "support", "3", "c" * 64) is None
        assert find_drift(store, "support", "2", "e" * 64, tenant="acme") is None
