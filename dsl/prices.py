"""What well-known models cost: a small table with its date, for models that declare no price of their own."""

from __future__ import annotations

import os
import re
from collections.abc import Mapping
from functools import cache

import msgspec


class ListPrice(msgspec.Struct, frozen=True, rename={"input": "in", "output": "out"}):
    """US dollars per million tokens, as decimal texts. `cached` is input read from a cache, `written` to one; None
    where they cost as much as other input."""

    input: str
    output: str
    cached: str | None = None
    written: str | None = None
    above: Above | None = None


class Above(ListPrice, frozen=True, rename={"input": "in", "output": "out"}, kw_only=True):
    """What all tokens of a call cost whose input is longer than `tokens`."""

    tokens: int


class PriceList(msgspec.Struct, frozen=True):
    date: str
    """The day on which the vendors' public lists were read."""
    unit: str
    models: Mapping[str, ListPrice]


_SNAPSHOT = re.compile(r"-(?:\d{4}-\d{2}-\d{2}|\d{8}|latest)\Z")


@cache
def price_list() -> PriceList:
    with open(os.path.join(os.path.dirname(__file__), "prices.json"), "rb") as file:
        return msgspec.json.decode(file.read(), type=PriceList)


def list_price(slug: str, via: str | None = None) -> ListPrice | None:
    """The price of a model at its own vendor, a dated snapshot of it included. None with `via`: what another service
    asks for it is for the file to say."""
    if via is not None:
        return None
    models = price_list().models
    return models.get(slug) or models.get(_SNAPSHOT.sub("", slug))
