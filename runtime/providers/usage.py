"""What calls used: read from an answer, and added up over the attempts of one call."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from contextlib import contextmanager
from decimal import Decimal
from typing import Any

from ..judge.errors import ProviderError
from ..judge.protocol import Usage

NOTHING = Usage(input_tokens=0, output_tokens=0)
_MOST = 10**9
UNKNOWN = Usage(incomplete=True)
"""An attempt that broke off: it may have cost something."""


def total(usages: Iterable[Usage]) -> Usage:
    """The sum. What is unknown in one attempt leaves the known rest and marks it incomplete; a cost of the
    service's own stands only if every attempt that used something has one."""
    spent = [usage for usage in usages if usage != NOTHING]
    if len(spent) == 1:
        return spent[0]
    known = [usage for usage in spent if usage.input_tokens is not None or usage.output_tokens is not None]
    priced = [usage.cost for usage in known if usage.cost is not None]
    return Usage(
        input_tokens=_sum(usage.input_tokens for usage in known),
        output_tokens=_sum(usage.output_tokens for usage in known),
        cached_tokens=sum(usage.cached_tokens for usage in known),
        reasoning_tokens=sum(usage.reasoning_tokens for usage in known),
        cost=str(sum(map(Decimal, priced), Decimal(0))) if priced and len(priced) == len(known) else None,
        cache_write_tokens=sum(usage.cache_write_tokens for usage in known),
        incomplete=len(known) < len(spent) or any(usage.incomplete for usage in spent),
    )


@contextmanager
def paid(spent: list[Usage]) -> Iterator[None]:
    """An error within says what was spent, too: an answer that breaks its contract was paid for like any other.
    What is appended to `spent` meanwhile counts."""
    try:
        yield
    except ProviderError as error:
        if spent:
            error.usage = total(spent if error.usage is None else [*spent, error.usage])
        raise


def token_counts(told: Any) -> Usage:
    """The usage of a decision service's answer. What is not a count is unknown, and never an error: the
    decision itself is good."""
    if not isinstance(told, dict):
        return Usage()
    details = told.get("input_tokens_details")
    return Usage(
        input_tokens=count(told.get("input_tokens")),
        output_tokens=count(told.get("output_tokens")),
        cached_tokens=count_in(details, "cached_tokens"),
        reasoning_tokens=count_in(told.get("output_tokens_details"), "reasoning_tokens"),
        cost=_cost(told.get("cost")),
        cache_write_tokens=count_in(details, "cache_write_tokens"),
    )


def _sum(numbers: Iterable[int | None]) -> int | None:
    values = [number for number in numbers if number is not None]
    return sum(values) if values else None


def count(value: Any) -> int | None:
    """A number of tokens; what is none, less than none, or more than any model takes, is unknown."""
    good = isinstance(value, int) and not isinstance(value, bool) and 0 <= value <= _MOST
    return value if good else None


def count_in(details: Any, name: str) -> int:
    return (count(details.get(name)) or 0) if isinstance(details, dict) else 0


def _cost(value: Any) -> str | None:
    if isinstance(value, bool) or not isinstance(value, int | float | Decimal):
        return None
    return str(value) if value >= 0 and Decimal(str(value)).is_finite() else None
