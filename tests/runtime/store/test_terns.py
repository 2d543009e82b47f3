from __future__ import annotations

import tracemalloc
from datetime import datetime, timedelta
from pathlib import Path

import msgspec
import pytest

from judgeflow.runtime.store.clock import timestamp
from judgeflow.runtime.store.errors import AmbiguousRunError, NoStoreError, RecordError, UnknownRunError
from judgeflow.runtime.store.money import Cost
from judgeflow.runtime.store.query import TernFilter
from judgeflow.runtime.store.records import Tern, Usage, Versions
from judgeflow.runtime.store.terns import Store


def ids(store: Store, **filters: object) -> list[str]:
    return [head.id for head in store.list_terns(TernFilter(**filters))]


@pytest.mark.parametrize("status", ["answered", "guarded", "failed", "paused", "cancelled"])
def test_f16_f17_a_run_is_kept_however_it_ended(store: Store, make_tern, make_step, status: str) -> None:
    tern = make_tern(
        status=status, code="x", reason="y", steps=(make_step("s1"), make_step("s2", parent="s1"))
    )
    store.finish(tern)
    assert store.get("a1") == msgspec.structs.replace(tern, turn=1)


def test_f15_begin_and_finish_are_one_record(store: Store, make_tern, make_step) -> None:
    begun = store.begin(make_tern(status="running", answer=None, ended=None))
    assert store.get("a1").status == "running"
    store.finish(msgspec.structs.replace(begun, status="answered", answer="done", steps=(make_step(),)))
    assert (store.count_terns(), store.get("a1").answer, store.get("a1").turn) == (1, "done", 1)


def test_u28_a_paused_run_is_completed_under_the_same_id(store: Store, make_tern, make_step) -> None:
    store.finish(make_tern(status="paused", answer=None, ended=None, steps=(make_step("s1"),)))
    store.begin(make_tern(status="running", answer=None, ended=None))
    store.finish(make_tern(steps=(make_step("s1"), make_step("s2"))))
    tern = store.get("a1")
    assert (tern.status, [step.id for step in tern.steps], store.count_terns()) == (
        "answered",
        ["s1", "s2"],
        1,
    )


def test_case_166_a_second_run_under_the_same_id_is_refused_and_the_first_one_stays(
    store: Store, make_tern
) -> None:
    store.finish(make_tern(answer="first"))
    with pytest.raises(RecordError, match="another run with this id"):
        store.finish(make_tern(answer="second", started="2026-03-01T11:59:30.000Z"))
    assert store.get("a1").answer == "first"


def test_another_tenants_run_is_never_overwritten(store: Store, make_tern) -> None:
    store.finish(make_tern(tenant="acme", answer="theirs"))
    with pytest.raises(RecordError):
        store.finish(make_tern(tenant="rival", answer="mine"))
    assert store.get("a1", tenant="acme").answer == "theirs"


def test_case_163_what_has_been_journaled_shows_while_the_run_goes_on(
    store: Store, make_tern, make_step
) -> None:
    store.begin(make_tern(status="running", answer=None, ended=None))
    cost = Cost().plus("agent:writer", "0.01")
    store.journal("a1", make_step("s1", name="writer", cost=cost, usage=Usage(calls=1)), 1)
    store.journal("a1", make_step("s2", name="critic", cost=cost, usage=Usage(calls=2)), 2)
    (head,) = store.list_terns()
    assert (head.status, head.route, head.cost.total, head.usage.calls) == (
        "running",
        ("writer", "critic"),
        "0.02",
        3,
    )
    assert [step.id for step in store.get("a1").steps] == ["s1", "s2"]


def test_a_step_that_is_journaled_again_is_replaced(store: Store, make_tern, make_step) -> None:
    store.begin(make_tern(status="running"))
    store.journal("a1", make_step("s1", status="running"), 1)
    store.journal("a1", make_step("s1", status="succeeded"), 1)
    assert [step.status for step in store.get("a1").steps] == ["succeeded"]


def test_finishing_puts_steps_in_their_order_and_loses_none_that_was_journaled(
    store: Store, make_tern, make_step
) -> None:
    store.begin(make_tern(status="running"))
    store.journal("a1", make_step("s2"), 2)
    store.journal("a1", make_step("lost"), 3)
    store.finish(make_tern(steps=(make_step("s1"), make_step("s2"))))
    assert {step.id for step in store.get("a1").steps} == {"s1", "s2", "lost"}
    assert [step.id for step in store.get("a1").steps if step.id != "lost"] == ["s1", "s2"]


def test_a_step_that_was_journaled_is_not_written_a_second_time(store: Store, make_tern, make_step) -> None:
    store.begin(make_tern(status="running"))
    store.journal("a1", make_step("s1"), 1)
    changes = store.database.connection.total_changes
    store.finish(make_tern(steps=(make_step("s1"),)))
    assert store.database.connection.total_changes - changes == 1  # the run alone


def test_a_step_of_a_run_that_never_began_is_refused(store: Store, make_step) -> None:
    with pytest.raises(RecordError, match="never began"):
        store.journal("a1", make_step(), 1)


def test_f01_f03_turns_are_numbered_within_their_thread(store: Store, make_tern) -> None:
    turns = [store.begin(make_tern(f"r{n}", thread=thread)).turn for n, thread in enumerate("xxyx")]
    assert turns == [1, 2, 1, 3]


def test_case_177_texts_that_no_encoding_can_write_are_kept_with_a_mark(store: Store, make_tern) -> None:
    texts = ["a\x00b", "x\ud800y", "\U0001f600", "\ud83d\ude00"]
    for n, text in enumerate(texts):
        store.finish(make_tern(f"r{n}", task={text: text}, answer=text, thread=f"t{text}"))
    assert [store.get(f"r{n}").answer for n in range(4)] == ["a\x00b", "x\ufffdy", "\U0001f600", "\U0001f600"]
    assert store.get("r1").task == {"x\ufffdy": "x\ufffdy"}


def test_a_value_that_is_no_json_is_the_callers_error_and_nothing_is_kept(store: Store, make_tern) -> None:
    with pytest.raises(RecordError, match="run a1: it cannot be kept"):
        store.finish(make_tern(answer=object()))
    with pytest.raises(RecordError, match="'yesterday' is no moment"):
        store.finish(make_tern(started="yesterday"))
    assert store.count_terns() == 0


def test_runs_are_listed_newest_first(store: Store, make_tern, now: datetime) -> None:
    for n in (2, 0, 1):
        store.finish(make_tern(f"r{n}", started=timestamp(now + timedelta(minutes=n))))
    assert ids(store) == ["r2", "r1", "r0"]
    assert ids(store, limit=2) == ["r2", "r1"]
    assert (store.count_terns(TernFilter(limit=2)), ids(store, limit=0)) == (3, [])


def test_each_filter_finds_what_it_names(store: Store, make_tern, now: datetime) -> None:
    versions = Versions(workflow="3", prompt="abcdef01" + "0" * 56, config="12345678" + "0" * 56)
    store.finish(make_tern("old", started=timestamp(now - timedelta(days=2))))
    store.finish(make_tern("flow", flow="other"))
    store.finish(make_tern("bad", status="failed", reason="the SERVICE said no"))
    store.finish(make_tern("thread", thread="t2"))
    store.finish(make_tern("version", versions=versions))
    store.finish(make_tern("text", task={"question": "Wo liegt die STRASSE?"}))
    assert ids(store, flow="other") == ["flow"]
    assert ids(store, status="failed") == ["bad"]
    assert ids(store, thread="t2") == ["thread"]
    assert "old" not in ids(store, since=now - timedelta(days=1))
    assert len(ids(store, since=now - timedelta(days=1))) == 5
    for version in ("3", "abcdef01", "abcdef010", "12345678"):
        assert ids(store, version=version) == ["version"]
    assert ids(store, version="abc") == []
    assert ids(store, text="straße") == ["text"]
    assert ids(store, text="service") == ["bad"]
    assert ids(store, text="question", status="failed") == []


def test_a_search_looks_at_texts_and_not_at_the_names_of_fields(store: Store, make_tern) -> None:
    store.finish(make_tern(task='say "hi" 100%_'))
    assert ids(store, text="workflow") == []
    assert ids(store, text='"HI" 100%_') == ["a1"]


def test_a_run_is_found_by_its_beginning(store: Store, make_tern) -> None:
    store.finish(make_tern("7f3a99"))
    store.finish(make_tern("7f4b00"))
    assert store.get("7f3a99").id == store.get("7f3").id == store.get(" 7f3a… ").id == "7f3a99"


def test_a_beginning_of_several_runs_lists_them(store: Store, make_tern) -> None:
    store.finish(make_tern("7f3a99"))
    store.finish(make_tern("7f4b00"))
    with pytest.raises(AmbiguousRunError, match="type a few characters more") as caught:
        store.get("7f")
    assert set(caught.value.matches) == {"7f3a99", "7f4b00"}


def test_a_whole_id_is_never_ambiguous(store: Store, make_tern) -> None:
    store.finish(make_tern("7f"))
    store.finish(make_tern("7f4b00"))
    assert store.get("7f").id == "7f"


@pytest.mark.parametrize("typed", ["7f3b", "f73a", "7f3a0"])
def test_a_mistyped_id_is_answered_with_what_comes_near(store: Store, make_tern, typed: str) -> None:
    store.finish(make_tern("7f3a99c0ffee"))
    with pytest.raises(UnknownRunError, match=r"did you mean 7f3a99c0\?") as caught:
        store.get(typed)
    assert caught.value.suggestions == ("7f3a99c0",)


@pytest.mark.parametrize("typed", ["", "  ", "%", "zz", "…", "\ud800"])
def test_an_id_like_no_other_is_unknown_and_points_at_the_list(store: Store, make_tern, typed: str) -> None:
    store.finish(make_tern("7f3a99c0ffee"))
    with pytest.raises(UnknownRunError, match="`jrun runs` lists them"):
        store.get(typed)


def test_tenants_never_see_each_others_runs(store: Store, make_tern) -> None:
    store.finish(make_tern("aaa1", tenant="acme", task="secret plan"))
    store.finish(make_tern("aaa2", tenant=""))
    with pytest.raises(UnknownRunError):
        store.get("aaa1")
    assert ids(store, tenant="acme") == ["aaa1"]
    assert ids(store) == ["aaa2"]
    assert ids(store, text="secret") == []
    assert store.get("aaa", tenant="acme").id == "aaa1"
    assert [tern.id for tern in store.export(TernFilter(tenant="acme"))] == ["aaa1"]
    assert store.prune(tenant="rival").runs == 0


def test_an_export_is_whole_and_oldest_first(store: Store, make_tern, make_step, now: datetime) -> None:
    terns = [
        make_tern(
            f"r{n}",
            started=timestamp(now + timedelta(minutes=n)),
            thread=f"t{n}",
            turn=1,
            steps=(make_step(),),
        )
        for n in range(3)
    ]
    for tern in reversed(terns):
        store.finish(tern)
    assert list(store.export()) == terns
    assert [tern.id for tern in store.export(TernFilter(limit=2))] == ["r1", "r2"]


def test_a_file_is_made_with_its_folder_for_its_owner_alone(path: Path) -> None:
    Store.open(path).close()
    assert oct(path.stat().st_mode)[-3:] == "600"
    assert oct(path.parent.stat().st_mode)[-3:] == "700"


def test_without_a_file_there_is_nothing_to_read_and_none_is_made(path: Path) -> None:
    with pytest.raises(NoStoreError, match="no runs yet"):
        Store.read(path)
    assert not path.parent.exists()


def test_case_175_reading_takes_no_lock_and_changes_nothing(store: Store, path: Path, make_tern) -> None:
    store.finish(make_tern())
    with (
        store.database.transaction(),
        Store.read(path) as reader,
    ):  # another process is in the middle of writing
        before = store.database.pragma("data_version")
        assert [head.id for head in reader.list_terns()] == ["a1"]
        assert isinstance(reader.get("a1"), Tern)
        assert store.database.pragma("data_version") == before


def test_a_reader_cannot_write(store: Store, path: Path, make_tern) -> None:
    with Store.read(path) as reader, pytest.raises(Exception, match="readonly"):
        reader.finish(make_tern())


@pytest.mark.slow
def test_case_178_reading_and_writing_many_large_runs_keeps_memory_flat(
    store: Store, make_tern, make_step
) -> None:
    large = "x" * 20_000
    for n in range(1500):
        store.finish(make_tern(f"r{n}", thread=f"t{n}", steps=(make_step(answer=large),)))
    tracemalloc.start()
    try:
        assert sum(len(tern.steps[0].answer) for tern in store.export()) == 1500 * len(large)
        peak = tracemalloc.get_traced_memory()[1]
    finally:
        tracemalloc.stop()
    assert peak < 5_000_000
