"""One text for one JSON value (RFC 8785), and its SHA-256: how versions of prompts and plans are told apart.

The same value gives the same hash on every machine: keys in UTF-16 code-unit order, numbers as ECMAScript
writes them. What is not JSON is refused with its path, never rounded, renamed or left out.
"""

from __future__ import annotations

import hashlib
import json
import math
import re
from typing import Any, Final

import msgspec
import rfc8785

UNSET: Final = msgspec.UNSET
"""A property with this value is left out, as if it had never been set."""

MAX_INTEGER = 2**53 - 1
MAX_DEPTH = 200
"""Far beyond any configuration and within every interpreter's stack, so that depth fails alike everywhere."""
HASH_LENGTH = 64
SHORT_LENGTH = 8

_PLAIN_KEY = re.compile(r"[A-Za-z_$][A-Za-z0-9_$]*\Z")
_SURROGATE = re.compile("[\ud800-\udfff]")


class NonJsonValueError(ValueError):
    """A value that has no canonical JSON form. `path` is where it stands (`$.a[2]`), `problem` what it is."""

    def __init__(self, path: str, problem: str) -> None:
        super().__init__(f"{path}: {problem}")
        self.path = path
        self.problem = problem


def canonical_json(value: object) -> bytes:
    """The RFC 8785 form of `value`, UTF-8. Raises `NonJsonValueError`."""
    return rfc8785.dumps(_plain(value, "$", ()))


def canonical_hash(value: object) -> str:
    """SHA-256 of the canonical form: 64 hex characters. Raises `NonJsonValueError`."""
    return hashlib.sha256(canonical_json(value)).hexdigest()


def comparable(stored: str | None, current: str | None) -> bool:
    """Whether two hashes may be held against each other: one of another length was made in an older way."""
    return stored is not None and current is not None and len(stored) == len(current) == HASH_LENGTH


def drifted(stored: str | None, current: str | None) -> bool:
    """Whether what was one version has become another since. Never so of hashes that cannot be compared."""
    return comparable(stored, current) and stored != current


def short_hash(digest: str) -> str:
    """As people see it: the first 8 characters."""
    return digest[:SHORT_LENGTH]


def _plain(value: object, path: str, above: tuple[int, ...]) -> Any:
    """`value` with unset properties left out. `above` holds the ids of the containers that it stands in."""
    # Exact types: a subclass (an enum, a named tuple, a numpy float) is something JSON does not have.
    kind = type(value)
    if value is None or kind is bool:
        return value
    if kind is int:
        return _integer(value, path)  # type: ignore[arg-type]
    if kind is float:
        return _number(value, path)  # type: ignore[arg-type]
    if kind is str:
        return _text(value, path)  # type: ignore[arg-type]
    if kind not in (list, tuple, dict):
        raise NonJsonValueError(path, _what(value))
    if id(value) in above:
        raise NonJsonValueError(path, "it contains itself")
    if len(above) >= MAX_DEPTH:
        raise NonJsonValueError(path, f"it is nested deeper than {MAX_DEPTH} levels")
    within = (*above, id(value))
    if kind is dict:
        return _object(value, path, within)  # type: ignore[arg-type]
    return [_plain(item, f"{path}[{at}]", within) for at, item in enumerate(value)]  # type: ignore[arg-type, var-annotated]


def _object(value: dict[object, object], path: str, within: tuple[int, ...]) -> dict[str, Any]:
    result: dict[str, Any] = {}
    for key, item in value.items():
        if type(key) is not str:
            raise NonJsonValueError(path, f"it has the key {key!r}, and a key must be text")
        below = _below(path, key)
        _text(key, below)
        if item is not UNSET:
            result[key] = _plain(item, below, within)
    return result


def _below(path: str, key: str) -> str:
    return f"{path}.{key}" if _PLAIN_KEY.match(key) else f"{path}[{json.dumps(key)}]"


def _integer(value: int, path: str) -> int:
    if not -MAX_INTEGER <= value <= MAX_INTEGER:
        raise NonJsonValueError(
            path, "a whole number beyond 2^53 - 1, which other machines would round; write it as text"
        )
    return value


def _number(value: float, path: str) -> float:
    if not math.isfinite(value):
        raise NonJsonValueError(path, f"{value} is no JSON number")
    return value


def _text(value: str, path: str) -> str:
    if _SURROGATE.search(value):
        raise NonJsonValueError(path, "a text with half a character in it (a lone surrogate)")
    return value


def _what(value: object) -> str:
    if value is UNSET:
        return "it is unset, and only a property of an object may be left out"
    if callable(value) and not isinstance(value, type):
        return "a function is no JSON value"
    name = value.__name__ if isinstance(value, type) else type(value).__name__
    return f"a value of type {name} is no JSON value"
