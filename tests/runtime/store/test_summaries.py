from __future__ import annotations

import pytest

from judgeflow.runtime.store.errors import AmbiguousThreadError, NoThreadError
from judgeflow.runtime.store.summaries import Summary, ThreadMemory, put_summary, read_memory, summaries_of
from judgeflow.runtime.store.terns import Store
from judgeflow.runtime.store.threads import count_threads, find_thread, list_threads


def summary(first: int, last: int) -> Summary:
    return Summary(first=first, last=last, text=f"{first} to {last}")


@pytest.fixture
def talk(store: Store, make_tern) -> Store:
    for n in range(1, 13):
        store.finish(make_tern(f"r{n}", task=f"q{n}"))
    return store


def test_f08_a_thread_without_summaries_remembers_none(talk: Store) -> None:
    assert read_memory(talk, "t1", keep=10) == ThreadMemory()


def test_f11_f12_readers_see_the_latest_and_the_table_keeps_them_all(talk: Store) -> None:
    for first in (1, 3, 5):
        assert put_summary(talk, "t1", summary(first, first + 1))
    memory = read_memory(talk, "t1", keep=2)
    assert memory == ThreadMemory(summaries=(summary(3, 4), summary(5, 6)), last=6, count=3)
    assert [one for one, _ in summaries_of(talk, "t1")] == [summary(1, 2), summary(3, 4), summary(5, 6)]
    assert summaries_of(talk, "t1")[0][1] == "2026-03-01T12:00:00.000Z"


def test_a_resumed_turn_sees_the_memory_of_its_own_time(talk: Store) -> None:
    put_summary(talk, "t1", summary(1, 5))
    put_summary(talk, "t1", summary(6, 10))
    assert read_memory(talk, "t1", keep=10, before=8).last == 5
    assert read_memory(talk, "t1", keep=10, before=3) == ThreadMemory()


def test_of_two_processes_that_sum_up_the_same_turns_the_first_is_kept(talk: Store) -> None:
    assert put_summary(talk, "t1", summary(1, 5))
    assert not put_summary(talk, "t1", Summary(first=1, last=5, text="again"))
    assert not put_summary(talk, "t1", Summary(first=4, last=8, text="overlaps"))
    assert read_memory(talk, "t1", keep=10).summaries == (summary(1, 5),)


def test_the_turns_after_the_last_summary_are_read_whole(talk: Store) -> None:
    assert [head.turn for head in talk.history("t1", None, after=10)] == [11, 12]
    assert [head.turn for head in talk.history("t1", None, after=3, before=6)] == [4, 5]


def test_memories_are_a_tenants_own_and_go_with_the_thread(talk: Store, make_tern) -> None:
    put_summary(talk, "t1", summary(1, 5))
    talk.finish(make_tern("x", tenant="acme"))
    assert read_memory(talk, "t1", keep=10, tenant="acme") == ThreadMemory()
    talk.prune()
    assert summaries_of(talk, "t1") == ()


def test_threads_are_listed_the_last_used_first(talk: Store, make_tern) -> None:
    talk.finish(make_tern("y", thread="t2", started="2026-03-01T11:00:00.000Z", task="older"))
    talk.finish(make_tern("z", thread="t3", started="2026-03-01T12:30:00.000Z", status="failed"))
    put_summary(talk, "t1", summary(1, 5))
    found = [(thread.id, thread.turns, thread.summaries) for thread in list_threads(talk)]
    assert found == [("t3", 1, 0), ("t1", 12, 1), ("t2", 1, 0)]
    [newest] = list_threads(talk, limit=1)
    assert newest.last.status == "failed"
    assert list_threads(talk)[1].first.task == "q1"
    assert count_threads(talk) == 3
    assert list_threads(talk, tenant="acme") == ()


def test_a_thread_is_found_by_its_beginning(talk: Store, make_tern) -> None:
    talk.finish(make_tern("y", thread="abcdef12"))
    talk.finish(make_tern("z", thread="abcdff34"))
    assert find_thread(talk, "abcde…") == "abcdef12"
    with pytest.raises(AmbiguousThreadError, match="more than one thread: "):
        find_thread(talk, "abcd")
    with pytest.raises(NoThreadError, match=r"there is no thread 'abcdeg12'; did you mean abcdef12"):
        find_thread(talk, "abcdeg12")
    with pytest.raises(NoThreadError, match="`jrun threads` lists them"):
        find_thread(talk, "", tenant="acme")
