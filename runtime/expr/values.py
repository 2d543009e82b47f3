"""Values at run time: JSON data, with records that know the declared type they were answered as."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Any

import msgspec

Value = Any
"""None, bool, int, float, str, list, dict or `Record`."""


class Record(dict[str, Any]):
    """An object of a declared type. `variant` is the type's name: of the answer tool used, never guessed."""

    __slots__ = ("variant",)

    def __init__(self, variant: str, fields: Mapping[str, Any]) -> None:
        super().__init__(fields)
        self.variant = variant

    def __repr__(self) -> str:
        return f"{self.variant}({dict(self)!r})"

    def __deepcopy__(self, memo: dict[int, Any]) -> Record:
        return Record(self.variant, {key: copied(item) for key, item in self.items()})


def copied(value: Value) -> Value:
    """A deep copy of JSON data that keeps its types: what each judge in Python gets as its own."""
    if isinstance(value, Record):
        return Record(value.variant, {key: copied(item) for key, item in value.items()})
    if isinstance(value, dict):
        return {key: copied(item) for key, item in value.items()}
    if isinstance(value, list):
        return [copied(item) for item in value]
    return value


def to_json(value: Value) -> str:
    """Compact JSON, non-ASCII characters as they are."""
    return msgspec.json.encode(value).decode()


def to_text(value: Value) -> str:
    """How a value reads inside a text: a text as it is, null as nothing, everything else as JSON."""
    if isinstance(value, str):
        return value
    if value is None:
        return ""
    if isinstance(value, float) and value.is_integer() and abs(value) < 1e15:
        return str(int(value))
    return to_json(value)


def type_name(value: Value) -> str:
    """What a person calls the type of a value."""
    if isinstance(value, Record):
        return value.variant
    if value is None:
        return "null"
    names: dict[type, str] = {
        bool: "bool",
        int: "int",
        float: "float",
        str: "text",
        list: "list",
        dict: "object",
    }
    return names.get(type(value), type(value).__name__)


def equal(left: Value, right: Value) -> bool:
    """Equality of JSON values: 1 equals 1.0, true does not equal 1."""
    if isinstance(left, bool) or isinstance(right, bool):
        return left is right
    if isinstance(left, list) and isinstance(right, list):
        return len(left) == len(right) and all(map(equal, left, right))
    if isinstance(left, dict) and isinstance(right, dict):
        return left.keys() == right.keys() and all(equal(item, right[key]) for key, item in left.items())
    return bool(left == right)
