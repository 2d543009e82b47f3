"""What an answer cost: the service's own figure, else tokens times a price, else nobody knows."""

from __future__ import annotations

from decimal import Decimal
from functools import lru_cache

import attrs

from ...dsl.plan import ModelPlan
from ...dsl.prices import ListPrice, list_price
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
    long: tuple[int, Price] | None = None
    """The price of a whole call whose input is longer than so many tokens."""


@lru_cache(maxsize=1024)
def price_of(model: ModelPlan) -> Price | None:
    """The price that the file declares, else the one on the list; None where there is neither."""
    if model.price_in is not None and model.price_out is not None:
        return Price(Decimal(model.price_in), Decimal(model.price_out))
    listed = list_price(model.slug, model.via)
    return None if listed is None else _listed(listed)


def cost(usage: Usage, price: Price | None) -> Decimal | None:
    """US dollars, exactly; None where it is unknown, which is not 0. Each token is counted once: cached
    ones are part of the input, reasoning is part of the output, and so are the tokens of tools."""
    if usage.cost is not None:
        return Decimal(usage.cost)
    if price is None or usage.input_tokens is None or usage.output_tokens is None:
        return None
    if price.long is not None and usage.input_tokens > price.long[0]:
        return cost(usage, price.long[1])
    read, written = usage.cached_tokens, usage.cache_write_tokens
    fresh = max(usage.input_tokens - read - written, 0)
    dollars = (
        fresh * price.input
        + read * (price.input if price.cache_read is None else price.cache_read)
        + written * (price.input if price.cache_write is None else price.cache_write)
        + usage.output_tokens * price.output
    )
    return dollars / _MILLION


def _listed(listed: ListPrice) -> Price:
    above = listed.above
    return Price(
        Decimal(listed.input),
        Decimal(listed.output),
        None if listed.cached is None else Decimal(listed.cached),
        None if listed.written is None else Decimal(listed.written),
        None if above is None else (above.tokens, _listed(above)),
    )
