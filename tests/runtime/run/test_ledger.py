"""What was paid: exactly, once, per party, and honest about what nobody knows."""

from __future__ import annotations

from decimal import Decimal

from judgeflow.runtime.judge.protocol import Usage
from judgeflow.runtime.run import Ledger
from judgeflow.runtime.store import records
from judgeflow.runtime.store.money import Cost

USED = Usage(10, 5, cached_tokens=3, reasoning_tokens=2)


def test_sums_are_exact_per_party_and_in_all() -> None:
    ledger = Ledger()
    for _ in range(3):
        ledger.book("agent:a", USED, Decimal("0.1"))
    ledger.book("judge:b", USED, Decimal("0.20"))
    assert ledger.cost() == Cost("0.5", "0.5", {"agent:a": "0.3", "judge:b": "0.2"})
    assert ledger.usage() == records.Usage(
        calls=4, input_tokens=40, output_tokens=20, cached_tokens=12, reasoning_tokens=8
    )
    assert ledger.tokens == 60


def test_nothing_booked_is_free_and_a_free_party_is_named() -> None:
    ledger = Ledger()
    assert (ledger.cost(), ledger.usage()) == (Cost(), records.Usage())
    ledger.book("agent:a", USED, Decimal(0))
    assert ledger.cost() == Cost("0", "0", {"agent:a": "0"})


def test_one_unknown_amount_makes_its_party_and_the_total_unknown_and_keeps_what_is_known() -> None:
    ledger = Ledger()
    ledger.book("agent:a", USED, Decimal("0.1"))
    ledger.book("agent:a", USED, Decimal("0.2"), certain=False)
    ledger.book("judge:b", USED, Decimal("0.4"))
    assert ledger.cost() == Cost("unknown", "0.7", {"agent:a": "unknown", "judge:b": "0.4"})


def test_counts_that_a_service_did_not_give_are_counted_as_unreported() -> None:
    ledger = Ledger()
    for usage in (Usage(), Usage(1, None), Usage(1, 1, incomplete=True), Usage(1, 1)):
        ledger.book("agent:a", usage, Decimal(0))
    assert (ledger.usage().unreported, ledger.usage().input_tokens) == (3, 3)


def test_since_a_mark_only_what_came_after_it_counts() -> None:
    ledger = Ledger()
    ledger.book("agent:a", USED, Decimal("0.1"), certain=False)
    mark = ledger.mark()
    assert ledger.since(mark) == (records.Usage(), "0")
    ledger.book("agent:a", USED, Decimal("0.3"))
    usage, cost = ledger.since(mark)
    assert (usage.calls, usage.input_tokens, cost) == (1, 10, "0.3")
    ledger.book("agent:a", USED, Decimal(0), certain=False)
    assert ledger.since(mark)[1] == "unknown"


def test_what_an_earlier_process_paid_is_taken_over_and_adds_up() -> None:
    before = Ledger()
    before.book("agent:a", USED, Decimal("0.1"))
    before.book("judge:b", USED, Decimal("0.2"), certain=False)
    after = Ledger()
    after.absorb(before.cost(), before.usage())
    assert (after.cost(), after.usage()) == (before.cost(), before.usage())
    after.book("agent:a", USED, Decimal("0.4"))
    assert after.cost() == Cost("unknown", "0.7", {"agent:a": "0.5", "judge:b": "unknown"})
