"""Which declared type a value is of, and which types extend it."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

from ...dsl.shapes import TypeInfo
from .values import Record


def with_descendants(name: str, types: Mapping[str, TypeInfo]) -> frozenset[str]:
    """A type and every type that extends it, directly or not."""
    found = {name}
    grown = True
    while grown:
        more = {info.name for info in types.values() if info.extends in found} - found
        found |= more
        grown = bool(more)
    return frozenset(found)


def variant_of(value: Any) -> Any:
    """The type of a record, or of an item of a list of unions, `{ variant, value }`; None for anything else."""
    if isinstance(value, Record):
        return value.variant
    return value.get("variant") if isinstance(value, dict) and "value" in value else None
