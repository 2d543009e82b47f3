"""From a model's JSON to typed values, naming every violation at once.

`decode` is the one door through which model output becomes a value of a declared shape.
"""

from __future__ import annotations

from collections.abc import Mapping
from decimal import Decimal
from typing import Any

from ...dsl import shapes
from ...dsl.json_schema import all_fields
from ...dsl.shapes import Shape, TypeInfo
from ..expr.values import Record, Value, type_name

MOST = 8
"""Violations that are reported at once; more say nothing new to a model."""


class Decoder:
    """Decodes JSON data into one shape. `violations` holds `path: what is wrong` for each fault."""

    def __init__(self, types: Mapping[str, TypeInfo]) -> None:
        self._types = types

    def decode(self, shape: Shape, data: Any) -> tuple[Value, list[str]]:
        """The value and no violations, or None and what is wrong with the data."""
        violations: list[str] = []
        value = self._value(shape, data, "$", violations)
        return (None, violations[:MOST]) if violations else (value, violations)

    def _value(self, shape: Shape, data: Any, path: str, faults: list[str]) -> Value:
        match shape:
            case shapes.Text(low, high):
                return _text(data, low, high, path, faults)
            case shapes.Int(low, high):
                return _int(data, low, high, path, faults)
            case shapes.Float(low, high):
                return _float(data, low, high, path, faults)
            case shapes.Bool():
                return data if isinstance(data, bool) else _wrong(path, "true or false", data, faults)
            case shapes.Literal(value):
                return data if data == value else _wrong(path, f'"{value}"', data, faults)
            case shapes.Nullable(item):
                return None if data is None else self._value(item, data, path, faults)
            case shapes.ListOf():
                return self._list(shape, data, path, faults)
            case shapes.Union(options):
                return self._union(options, data, path, faults)
            case shapes.Record(name):
                return self._record(name, data, path, faults)
            case _:
                return data

    def _list(self, shape: shapes.ListOf, data: Any, path: str, faults: list[str]) -> Value:
        if not isinstance(data, list):
            return _wrong(path, "a list", data, faults)
        if shape.low is not None and len(data) < shape.low:
            faults.append(f"{path}: needs at least {shape.low} items, has {len(data)}")
        if shape.high is not None and len(data) > shape.high:
            faults.append(f"{path}: takes at most {shape.high} items, has {len(data)}")
        return [
            item if _is_tagged(item) else self._value(shape.item, item, f"{path}[{at}]", faults)
            for at, item in enumerate(data)
        ]

    def _union(self, options: tuple[Shape, ...], data: Any, path: str, faults: list[str]) -> Value:
        best: list[str] | None = None
        for option in options:
            tried: list[str] = []
            value = self._value(option, data, path, tried)
            if not tried:
                return value
            if best is None or len(tried) < len(best):
                best = tried
        if all(isinstance(option, shapes.Literal) for option in options):
            words = ", ".join(f'"{option.value}"' for option in options if isinstance(option, shapes.Literal))
            return _wrong(path, f"one of {words}", data, faults)
        faults.extend(best or [f"{path}: no such shape"])
        return None

    def _record(self, name: str, data: Any, path: str, faults: list[str]) -> Value:
        info = self._types.get(name)
        if info is None:
            faults.append(f"{path}: the type {name} is not declared")
            return None
        if not isinstance(data, dict):
            return _wrong(path, f"an object ({name})", data, faults)
        if isinstance(data, Record) and self._extends(data.variant, name):
            return data
        fields = all_fields(info, self._types)
        known = {field.name for field in fields}
        faults.extend(f"{path}.{key}: {name} has no such field" for key in data if key not in known)
        values: dict[str, Any] = {}
        for field in fields:
            given = data.get(field.name)
            if given is None and field.optional:
                values[field.name] = None
            elif field.name not in data:
                faults.append(f"{path}.{field.name}: is missing")
            else:
                values[field.name] = self._value(field.shape, given, f"{path}.{field.name}", faults)
        return Record(name, values)

    def _extends(self, variant: str, name: str) -> bool:
        """Whether a value that is typed already fits: it has the type, or one that extends it."""
        at: str | None = variant
        while at is not None and at != name:
            at = self._types[at].extends if at in self._types else None
        return at == name


def _is_tagged(item: Any) -> bool:
    """An item of a list of unions as an agent's answer has it: typed when it was read."""
    return (
        isinstance(item, dict) and item.keys() == {"variant", "value"} and isinstance(item["value"], Record)
    )


def _wrong(path: str, wanted: str, data: Any, faults: list[str]) -> None:
    faults.append(f"{path}: must be {wanted}, is {type_name(data)}")


def _text(data: Any, low: int | None, high: int | None, path: str, faults: list[str]) -> Value:
    if not isinstance(data, str):
        return _wrong(path, "a text", data, faults)
    if low is not None and len(data) < low:
        faults.append(f"{path}: needs at least {low} characters, has {len(data)}")
    if high is not None and len(data) > high:
        faults.append(f"{path}: takes at most {high} characters, has {len(data)}")
    return data


def _int(data: Any, low: int | None, high: int | None, path: str, faults: list[str]) -> Value:
    if isinstance(data, float) and data.is_integer():
        data = int(data)
    if isinstance(data, bool) or not isinstance(data, int):
        return _wrong(path, "a whole number", data, faults)
    return _in_range(data, low, high, path, faults)


def _float(data: Any, low: str | None, high: str | None, path: str, faults: list[str]) -> Value:
    if isinstance(data, bool) or not isinstance(data, int | float):
        return _wrong(path, "a number", data, faults)
    return _in_range(data, low, high, path, faults)


def _in_range(data: Any, low: Any, high: Any, path: str, faults: list[str]) -> Value:
    exact = Decimal(repr(data))
    if low is not None and exact < Decimal(low):
        faults.append(f"{path}: must be at least {low}, is {data}")
    if high is not None and exact > Decimal(high):
        faults.append(f"{path}: must be at most {high}, is {data}")
    return data
