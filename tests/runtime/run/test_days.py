"""Limits per day: one account for all runs and processes of a workflow, a new one at midnight (UTC)."""

from __future__ import annotations

import subprocess
import sys
import time
from collections.abc import AsyncIterator, Mapping
from contextlib import asynccontextmanager
from decimal import Decimal
from pathlib import Path
from typing import Any

import pytest
import trio

from judgeflow.dsl.plan import LimitPlan
from judgeflow.runtime.judge.errors import ConfigurationError, LimitReached
from judgeflow.runtime.program import Program, Session
from judgeflow.runtime.run import DayLimits, Ledger, Limits, Stamp
from judgeflow.runtime.store.accounts import DayAccount, balance, book
from judgeflow.runtime.store.errors import LostRecordsError
from judgeflow.runtime.store.recorder import MemoryWriter
from judgeflow.runtime.store.terns import Store
from judgeflow.runtime.store.writer import open_writer

from ..helpers import EPOCH, Model, connected, unchecked
from ..helpers import program as checked

DAY = "2026-03-01"
MIDNIGHT = 12 * 3600
"""Seconds from the tests' epoch, noon, to the next UTC day."""

SOURCE = """
workflow support
model small "fake/small" { price $1 in, $2 out }
agent writer(topic: text) { model small }
flow main(text: text) -> text { return writer(text) }
limits { LIMIT per day }
"""


def source(limit: str) -> str:
    return SOURCE.replace("LIMIT", limit)


@asynccontextmanager
async def opened(
    source: str | Program, models: Mapping[str, Model], **options: Any
) -> AsyncIterator[Session]:
    """As in the other tests, on a day that is known."""
    made = checked(source) if isinstance(source, str) else source
    now = EPOCH - trio.current_time()
    stamp = Stamp(lambda: now + trio.current_time())
    async with made.opened(connect=connected(models), stamp=stamp, **options) as session:
        yield session


class Clock:
    def __init__(self) -> None:
        self.now = EPOCH

    def __call__(self) -> float:
        return self.now


def day_of(accounts: MemoryWriter, clock: Clock, **allowed: Any) -> DayLimits:
    plans = [LimitPlan(what, str(amount), "day") for what, amount in allowed.items()]  # type: ignore[arg-type]
    return DayLimits("support", plans, accounts, Stamp(clock))


def limits(day: DayLimits) -> Limits:
    made = Limits((), Ledger())
    made.day = day
    return made


@pytest.fixture
def path(tmp_path: Path) -> Path:
    return tmp_path / "terns.sqlite"


# --- an account


async def test_the_last_call_that_a_day_allows_is_made_and_the_next_is_not() -> None:
    own = limits(day_of(MemoryWriter(), Clock(), calls=2))
    for _ in range(2):
        claim = await own.claim()
        own.day.book(10, Decimal(0), certain=True)  # type: ignore[union-attr]
        own.release(claim)
        own.check_spent()
    with pytest.raises(
        LimitReached, match="the limit of 2 calls per day of support is spent until 00:00 UTC"
    ) as caught:
        await own.claim()
    assert (caught.value.per, caught.value.allowed, caught.value.spent) == ("day", "2", "2")


async def test_a_limit_that_is_met_exactly_is_not_crossed_and_a_hair_more_is() -> None:
    own = limits(day_of(MemoryWriter(), Clock(), cost="0.3"))
    for amount in ("0.1", "0.2"):
        own.release(await own.claim())
        own.day.book(0, Decimal(amount), certain=True)  # type: ignore[union-attr]
        own.check_spent()
    own.day.book(0, Decimal("0.0000001"), certain=True)  # type: ignore[union-attr]
    with pytest.raises(LimitReached, match=r"0\.3 US dollars per day"):
        own.check_spent()


async def test_a_call_that_may_use_more_than_is_left_is_not_made() -> None:
    own = limits(day_of(MemoryWriter(), Clock(), tokens=100))
    own.day.book(60, Decimal(0), certain=True)  # type: ignore[union-attr]
    with pytest.raises(
        LimitReached, match="one more call may use 50 tokens, and 40 of the 100 per day of support"
    ):
        await own.claim(50)


async def test_runs_of_one_process_set_aside_from_the_same_day(autojump_clock: Any) -> None:
    day = day_of(MemoryWriter(), Clock(), tokens=100)
    order: list[str] = []

    async def call(name: str) -> None:
        own = limits(day)
        claim = await own.claim(60)
        order.append(f"{name} starts")
        await trio.sleep(1)
        day.book(20, Decimal(0), certain=True)
        order.append(f"{name} ends")
        own.release(claim)

    async with trio.open_nursery() as nursery:
        nursery.start_soon(call, "a")
        await trio.testing.wait_all_tasks_blocked()
        nursery.start_soon(call, "b")
    assert order == ["a starts", "a ends", "b starts", "b ends"]


async def test_what_is_booked_while_the_account_is_read_counts_once() -> None:
    class Slow(MemoryWriter):
        async def balance(self, account: str, day: str, *, tenant: str = "") -> DayAccount:
            found = await super().balance(account, day, tenant=tenant)
            limited.book(10, Decimal(0), certain=True)
            return found

    limited = day_of(Slow(), Clock(), tokens=100)
    await limited.refresh()
    assert limited.spent[1] == 10
    await limited.refresh()
    assert limited.spent[1] == 20


async def test_at_midnight_utc_everything_is_there_anew_and_the_old_day_stays() -> None:
    clock, accounts = Clock(), MemoryWriter()
    day = day_of(accounts, clock, calls=1)
    own = limits(day)
    clock.now = EPOCH + MIDNIGHT - 0.001
    claim = await own.claim()
    day.book(1, Decimal(0), certain=True)
    own.release(claim)
    with pytest.raises(LimitReached):
        await own.claim()
    clock.now = EPOCH + MIDNIGHT
    own.release(await own.claim())
    assert (await accounts.balance("support", DAY)).calls == 1
    assert (await accounts.balance("support", "2026-03-02")).calls == 0


async def test_a_call_over_midnight_belongs_to_the_day_on_which_its_answer_came() -> None:
    clock, accounts = Clock(), MemoryWriter()
    day = day_of(accounts, clock, calls=5)
    own = limits(day)
    clock.now = EPOCH + MIDNIGHT - 1
    claim = await own.claim()
    clock.now = EPOCH + MIDNIGHT + 1
    day.book(1, Decimal("0.5"), certain=True)
    own.release(claim)
    assert (await accounts.balance("support", DAY)).calls == 0
    assert (await accounts.balance("support", "2026-03-02")).known == "0.5"


async def test_a_day_that_begins_while_the_account_is_read_is_read_again() -> None:
    clock = Clock()

    class OverMidnight(MemoryWriter):
        async def balance(self, account: str, day: str, *, tenant: str = "") -> DayAccount:
            clock.now = EPOCH + MIDNIGHT
            return DayAccount(calls=9 if day == DAY else 2)

    day = day_of(OverMidnight(), clock, calls=5)
    await day.refresh()
    assert day.spent[0] == 2


# --- runs


async def test_a_spent_day_ends_a_run_as_guarded_before_its_call(path: Path) -> None:
    small = Model("x")
    async with opened(source("calls 2"), {"small": small}, store=path) as session:
        results = [await session.run("a") for _ in range(3)]
    assert [result.status for result in results] == ["answered", "answered", "guarded"]
    last = results[-1].record
    assert (last.code, last.limits[0].per, last.limits[0].limit) == ("limit.calls", "day", "calls")
    assert len(small.requests) == 2
    with Store.read(path) as store:
        assert balance(store, "support", DAY) == DayAccount(known="0.00004", tokens=30, calls=2)


async def test_another_process_spends_from_the_same_day(path: Path) -> None:
    async with opened(source("cost $0.01"), {"small": Model("x")}, store=path) as session:
        assert (await session.run("a")).status == "answered"
        with Store.open(path) as other:
            book(other, "support", DAY, cost="0.01", tokens=1)
        result = await session.run("a")
    assert (result.status, result.record.code) == ("guarded", "limit.cost")


async def test_tenants_have_days_of_their_own(path: Path) -> None:
    async with opened(source("calls 1"), {"small": Model("x")}, store=path) as session:
        assert (await session.run("a", tenant="one")).status == "answered"
        assert (await session.run("a", tenant="two")).status == "answered"
        assert (await session.run("a", tenant="one")).status == "guarded"


async def test_without_a_store_of_runs_days_are_still_booked(path: Path) -> None:
    for status in ("answered", "guarded"):
        async with opened(source("calls 1"), {"small": Model("x")}, accounts=path) as session:
            assert (await session.run("a")).status == status
    with Store.read(path) as store:
        assert (store.count_terns(), balance(store, "support", DAY).calls) == (0, 1)


async def test_without_any_store_a_day_holds_as_long_as_the_program() -> None:
    async with opened(source("calls 1"), {"small": Model("x")}) as session:
        assert [(await session.run("a")).status for _ in range(2)] == ["answered", "guarded"]


async def test_f34_an_evaluation_touches_no_day(path: Path) -> None:
    async with opened(source("calls 1"), {"small": Model("x")}, store=path, booked=False) as session:
        assert [(await session.run("a")).status for _ in range(2)] == ["answered", "answered"]
    with Store.read(path) as store:
        assert balance(store, "support", DAY) == DayAccount()


async def test_a_cost_per_day_needs_prices(path: Path) -> None:
    unpriced = source("cost $1").replace(" { price $1 in, $2 out }", "")
    small = Model("x")
    async with opened(unchecked(unpriced), {"small": small}, store=path) as session:
        with pytest.raises(ConfigurationError, match="has no price"):
            await session.run("a")
    assert small.requests == []


async def test_a_call_that_broke_off_makes_the_day_uncertain(path: Path) -> None:
    async with opened(source("cost $1"), {"small": Model("x", seconds=60)}, store=path) as session:
        with trio.move_on_after(0.05):
            await session.run("a")
    with Store.read(path) as store:
        assert (balance(store, "support", DAY).cost, balance(store, "support", DAY).calls) == ("unknown", 1)


async def test_time_per_day_ends_a_run_when_it_is_over(path: Path, autojump_clock: Any) -> None:
    async with opened(source("time 10s"), {"small": Model("x", seconds=6)}) as session:
        results = [await session.run("a") for _ in range(3)]
    assert [result.status for result in results] == ["answered", "guarded", "guarded"]
    assert results[1].record.reason == "the limit of 10 seconds per day of support is spent until 00:00 UTC"
    assert trio.current_time() == 10


async def test_without_a_limit_per_day_nothing_is_booked(path: Path) -> None:
    per_run = source("calls 1").replace("per day", "per run")
    async with opened(per_run, {"small": Model("x")}, store=path) as session:
        await session.run("a")
    with Store.read(path) as store:
        assert balance(store, "support", DAY) == DayAccount()


# --- several processes


SPENDER = """
import sys, time
from pathlib import Path
import trio
from judgeflow.dsl.plan import LimitPlan
from judgeflow.runtime.judge.errors import LimitReached
from judgeflow.runtime.program import Program, Session
from judgeflow.runtime.run import DayLimits, Ledger, Limits, Stamp
from judgeflow.runtime.store.writer import open_writer
from decimal import Decimal

path, start, workers = Path(sys.argv[1]), float(sys.argv[2]), int(sys.argv[3])
PRICE = Decimal("0.01")

async def main():
    async with open_writer(path) as writer:
        await trio.sleep(max(0, start - time.time()))
        day = DayLimits("support", [LimitPlan("cost", "1", "day")], writer, Stamp(lambda: 1772366400.0))
        async def spend():
            own = Limits((), Ledger())
            own.day = day
            while True:
                try:
                    claim = await own.claim()
                except LimitReached:
                    return
                await trio.sleep(0.002)
                day.book(5, PRICE, certain=True)
                own.release(claim)
        async with trio.open_nursery() as nursery:
            for _ in range(workers):
                nursery.start_soon(spend)

trio.run(main)
"""


@pytest.mark.slow
@pytest.mark.parametrize("workers", [1, 4])
def test_processes_that_share_a_day_overspend_by_no_more_than_their_calls_in_flight(
    path: Path, workers: int
) -> None:
    Store.open(path).close()
    start = str(time.time() + 2.0)
    children = [
        subprocess.Popen([sys.executable, "-c", SPENDER, str(path), start, str(workers)]) for _ in range(2)
    ]
    assert [child.wait(timeout=60) for child in children] == [0, 0]
    with Store.read(path) as store:
        spent = balance(store, "support", DAY)
    assert spent.tokens == 5 * spent.calls
    assert Decimal(spent.known) == Decimal("0.01") * spent.calls
    # 100 calls are allowed; every other call was in flight when the last of them was booked.
    assert 100 <= spent.calls <= 100 + 2 * workers - 1
    assert spent.unknown == 0


async def test_a_booking_that_cannot_be_kept_is_told(path: Path) -> None:
    def broken(store: Store) -> None:
        store.database.execute("DROP TABLE day_accounts")

    with pytest.raises(LostRecordsError):  # noqa: PT012
        async with open_writer(path) as writer:
            await writer.transact(broken)  # type: ignore[attr-defined]
            day = DayLimits("support", [LimitPlan("calls", "5", "day")], writer, Stamp(Clock()))
            day.book(1, Decimal(0), certain=True)
