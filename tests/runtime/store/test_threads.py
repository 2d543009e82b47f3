from __future__ import annotations

import pytest

from judgeflow.runtime.store.terns import Store


def test_f02_a_new_thread_exists_and_has_no_turns(store: Store) -> None:
    thread = store.new_thread()
    assert store.thread_exists("", thread)
    assert store.history(thread, 10) == ()


def test_f02_a_run_in_a_new_thread_makes_it(store: Store, make_tern) -> None:
    store.begin(make_tern(thread="fresh"))
    assert store.thread_exists("", "fresh")


@pytest.mark.parametrize("thread", ["nope", "", "t", "t1 ", "\udcff"])
def test_f04_an_unknown_thread_does_not_exist(store: Store, make_tern, thread: str) -> None:
    store.finish(make_tern(thread="t1"))
    assert not store.thread_exists("", thread)


def test_f04_another_tenants_thread_does_not_exist(store: Store, make_tern) -> None:
    store.finish(make_tern(thread="t1", tenant="acme"))
    assert store.thread_exists("acme", "t1")
    assert not store.thread_exists("", "t1")


def test_f05_history_is_the_last_turns_oldest_first(store: Store, make_tern) -> None:
    for n in range(5):
        store.finish(make_tern(f"r{n}"))
    assert [head.id for head in store.history("t1", 3)] == ["r2", "r3", "r4"]
    assert [head.turn for head in store.history("t1", 3)] == [3, 4, 5]
    assert store.history("t1", 0) == ()


def test_f07_failed_and_guarded_turns_are_part_of_it(store: Store, make_tern) -> None:
    for n, status in enumerate(("answered", "failed", "guarded", "cancelled", "paused")):
        store.finish(make_tern(f"r{n}", status=status))
    statuses = [head.status for head in store.history("t1", 10)]
    assert statuses == ["answered", "failed", "guarded", "cancelled", "paused"]


def test_a_turn_that_still_runs_is_no_history(store: Store, make_tern) -> None:
    store.finish(make_tern("r1"))
    store.begin(make_tern("r2", status="running"))
    assert [head.id for head in store.history("t1", 10)] == ["r1"]


def test_a_resumed_turn_sees_only_what_came_before_it(store: Store, make_tern) -> None:
    store.finish(make_tern("r1"))
    store.finish(make_tern("r2", status="paused"))
    store.finish(make_tern("r3"))
    assert [head.id for head in store.history("t1", 10, before=2)] == ["r1"]


def test_history_is_the_tenants_own(store: Store, make_tern) -> None:
    store.finish(make_tern("r1", tenant="acme"))
    store.finish(make_tern("r2"))
    assert [head.id for head in store.history("t1", 10, tenant="acme")] == ["r1"]
    assert [head.turn for head in store.history("t1", 10)] == [1]
