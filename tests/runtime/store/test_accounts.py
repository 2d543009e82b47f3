from __future__ import annotations

from datetime import UTC, datetime, timedelta, timezone
from pathlib import Path

from judgeflow.runtime.store.accounts import DayAccount, balance, book, day_of
from judgeflow.runtime.store.records import Versions
from judgeflow.runtime.store.terns import Store
from judgeflow.runtime.store.versions import note_version

DAY = "2026-03-01"
PLAN_A, PLAN_B = "a" * 64, "b" * 64


def test_an_account_adds_up_exactly_across_processes(path: Path) -> None:
    with Store.open(path) as one, Store.open(path) as other:
        book(one, "support", DAY, cost="0.1", tokens=10)
        book(other, "support", DAY, cost="0.2", tokens=5, calls=2)
        assert balance(one, "support", DAY) == DayAccount(known="0.3", tokens=15, calls=3)


def test_f32_f34_evaluation_has_its_own_account_and_each_tenant_its_own(store: Store) -> None:
    book(store, "support:eval", DAY, cost="1", tokens=1)
    book(store, "support", DAY, cost="2", tokens=1, tenant="acme")
    assert balance(store, "support", DAY) == DayAccount()
    assert balance(store, "support:eval", "2026-03-02") == DayAccount()
    assert balance(store, "support:eval", DAY).cost == "1"


def test_a_call_without_a_price_makes_the_day_unknown_and_never_free(store: Store) -> None:
    book(store, "support", DAY, cost="0.5", tokens=1)
    after = book(store, "support", DAY, cost="unknown", tokens=1)
    assert (after.cost, after.known, after.unknown) == ("unknown", "0.5", 1)


def test_a_day_is_a_utc_day() -> None:
    assert day_of(datetime(2026, 3, 1, 23, 59, tzinfo=UTC)) == "2026-03-01"
    assert day_of(datetime(2026, 3, 1, 23, 59, tzinfo=timezone(timedelta(hours=-5)))) == "2026-03-02"


def test_f37_f51_the_same_version_with_another_plan_is_a_warning(store: Store, make_tern) -> None:
    first = make_tern(versions=Versions(workflow="3", config=PLAN_A))
    assert note_version(store, first) is None
    assert note_version(store, first) is None
    warning = note_version(store, make_tern(versions=Versions(workflow="3", config=PLAN_B)))
    assert (
        warning == 'support changed from aaaaaaaa to bbbbbbbb under the same version "3"; give it a new one'
    )


def test_f51_the_warning_stays_until_the_version_or_the_plan_is_what_it_was(store: Store, make_tern) -> None:
    def noted(config: str, version: str = "3", **fields: str) -> str | None:
        return note_version(store, make_tern(versions=Versions(workflow=version, config=config), **fields))

    assert noted(PLAN_A) is None
    assert noted(PLAN_B) is not None
    assert noted(PLAN_B) is not None
    assert noted(PLAN_A) is None
    assert noted(PLAN_B, version="4") is None
    assert noted(PLAN_B, version="4", profile="cheap") is None


def test_f51_another_version_or_workflow_or_no_version_is_no_drift(store: Store, make_tern) -> None:
    note_version(store, make_tern(versions=Versions(workflow="3", config=PLAN_A)))
    for tern in (
        make_tern(versions=Versions(workflow="4", config=PLAN_B)),
        make_tern(versions=Versions(workflow="3", config=PLAN_B), workflow="other"),
        make_tern(versions=Versions(workflow="3", config=PLAN_B), tenant="acme"),
        make_tern(versions=Versions(config=PLAN_B)),
    ):
        assert note_version(store, tern) is None


def test_f52_a_hash_made_in_an_older_way_is_no_drift(store: Store, make_tern) -> None:
    note_version(store, make_tern(versions=Versions(workflow="3", config="a" * 12)))
    assert note_version(store, make_tern(versions=Versions(workflow="3", config=PLAN_B))) is None
