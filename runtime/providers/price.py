"""What an answer cost: the service's own figure, else tokens times a price, else nobody knows."""

from __future__ import annotations

from decimal import Decimal

import attrs

from ..judge.protocol import Usage

_MILLION = Decimal(1_000_000)


@attrs.frozen
class Price:
    """US dollars per million tokens. What is read from a cache, or written to one, costs as much as other
    input unless its own price is given."""

    input: Decimal
    output: Decimal
    cache_read: Decimal | None = None
    cache_write: Decimal | None = None


def cost(usage: Usage, price: Price | None) -> Decimal | None:
    """US dollars, exactly; None where it is unknown, which is not 0. Each token is counted once: cached
    ones are part of the input, reasoning is part of the output."""
    if usage.cost is not None:
        return Decimal(usage.cost)
    if price is None or usage.input_tokens is None or usage.output_tokens is None:
        return None
    read, written = usage.cached_tokens, usage.cache_write_tokens
    fresh = max(usage.input_tokens - read - written, 0)
    dollars = (
        fresh * price.input
        + read * (price.input if price.cache_read is None else price.cache_read)
        + written * (price.input if price.cache_write is None else price.cache_write)
        + usage.output_tokens * price.output
    )
    return dollars / _MILLION
