"""Values at run time: JSON data, with records that know the declared type they were answered as."""

from __future__ import annotations

import re
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


def to_json(value: Value) -> str:
    """Compact JSON, non-ASCII characters as they are; half a surrogate pair, which is no text, becomes U+FFFD.

    `RecursionError` for what is nested too deeply.
    """
    try:
        return msgspec.json.encode(value).decode()
    except UnicodeEncodeError:
        return msgspec.json.encode(_whole(value)).decode()


def _whole(value: Value) -> Value:
    if isinstance(value, str):
        return _LONE.sub("\ufffd", value)
    if isinstance(value, dict):
        return {_whole(key): _whole(item) for key, item in value.items()}
    if isinstance(value, list):
        return [_whole(item) for item in value]
    return value


_LONE = re.compile("[\ud800-\udfff]")


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
