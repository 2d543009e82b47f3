"""The serialisation boundary: what may be sent to a model, and how context layers merge.

Serialisable: null, text without lone surrogates, bool, finite numbers (whole ones within 2^53 - 1), lists, and objects
with text keys. Everything else is a `SerializationError` that names the path, before any call. What passes is copied,
so that nobody changes what is sent after it was looked at, or what belongs to the application.
"""

from __future__ import annotations

import json
import math
import re
from collections.abc import Iterable, Mapping
from typing import Any

from ..store.canonical import UNSET
from .errors import SerializationError

LARGEST = 2**53 - 1
MOST_DEEP = 200
MOST_VALUES = 1_000_000
MOST_CHARACTERS = 2**24
"""Far beyond what any model reads; a few shared references could otherwise grow into more than the memory holds."""
REFUSED_KEYS = frozenset(
    (
        "__proto__",
        "prototype",
        "constructor",
        "__class__",
        "__dict__",
        "__init__",
        "__globals__",
        "__builtins__",
    )
)

_LONG = 100
_PLAIN_KEY = re.compile(r"[A-Za-z_$][A-Za-z0-9_$]*\Z")
_SURROGATE = re.compile("[\ud800-\udfff]")


def sendable(value: Any) -> Any:
    """A copy of `value` made of dict, list, str, int, float, bool and None alone.

    Raises `SerializationError` at the first value that is not JSON. Shared references are fine, cycles are not.
    """
    return _Copy().of(value, "$", ())


def sendable_layer(layer: Any) -> dict[str, Any]:
    """A copy of a context layer: an object whose properties may be `UNSET`, with no refused key where it merges."""
    if not isinstance(layer, Mapping):
        raise SerializationError(
            f"a context layer must be an object, this one is {_kind(layer)}: give it a name, as in "
            '{"ticket": …}',
            path="$",
        )
    copied: dict[str, Any] = _Copy(layer=True).of(layer, "$", ())
    return copied


def merge_layers(layers: Iterable[Any]) -> dict[str, Any]:
    """The layers, lowest first, as one new object: objects merge deeply, lists and scalars replace, null replaces,
    `UNSET` leaves what is below. Nothing is mutated. Each layer is checked whole, so that a value which cannot be sent
    is never lost below another one."""
    merged: dict[str, Any] = {}
    for layer in layers:
        _merge_into(merged, sendable_layer(layer))
    return merged


def _merge_into(below: dict[str, Any], above: dict[str, Any]) -> None:
    for key, value in above.items():
        if value is UNSET:
            continue
        if not isinstance(value, dict):
            below[key] = value
            continue
        lower = below.get(key)
        if not isinstance(lower, dict):
            lower = below[key] = {}
        _merge_into(lower, value)


class _Copy:
    """One walk over a value. In a layer, objects that merge may hold `UNSET` and no refused key."""

    __slots__ = ("characters", "layer", "values")

    def __init__(self, *, layer: bool = False) -> None:
        self.layer = layer
        self.values = 0
        self.characters = 0

    def of(self, value: Any, path: str, above: tuple[int, ...], *, merges: bool = True) -> Any:
        """`above` holds the ids of the containers around it; `merges` says that all of them are objects."""
        self.values += 1
        if self.values > MOST_VALUES:
            raise _refused(path, f"one value too many: a context has at most {MOST_VALUES:,}")
        # Exact types: a subclass (an enum, a number of numpy) is something that JSON does not have.
        kind = type(value)
        if value is None or kind is bool:
            return value
        if kind is str:
            return self._text(value, path)
        if kind is int:
            if abs(value) > LARGEST:
                raise _refused(path, "a whole number past 2^53 - 1: send it as a text")
            return value
        if kind is float:
            if not math.isfinite(value):
                raise _refused(path, f"{value}")
            return value
        if kind is not list and kind is not tuple and not isinstance(value, Mapping):
            fix = "only a property may be left out" if value is UNSET else "convert it first"
            raise _refused(path, f"{_kind(value)}: {fix}")
        if id(value) in above:
            raise _refused(path, "a circular reference")
        if len(above) >= MOST_DEEP:
            raise _refused(path, f"nested more than {MOST_DEEP} deep")
        return self._inside(value, path, (*above, id(value)), merges)

    def _inside(self, value: Any, path: str, above: tuple[int, ...], merges: bool) -> Any:
        if not isinstance(value, Mapping):
            return [self.of(item, f"{path}[{at}]", above, merges=False) for at, item in enumerate(value)]
        result = {}
        for key, item in _items(value, path):
            below = _below(path, key)
            if self.layer and merges:
                if key in REFUSED_KEYS:
                    raise SerializationError(f"{below} is a refused key in a context", path=below)
                if item is UNSET:
                    result[key] = item
                    continue
            self._text(key, below)
            result[key] = self.of(item, below, above, merges=merges)
        return result

    def _text(self, text: str, path: str) -> str:
        self.characters += len(text)
        if self.characters > MOST_CHARACTERS:
            raise _refused(path, f"one text too many: a context has at most {MOST_CHARACTERS:,} characters")
        if not text.isascii() and _SURROGATE.search(text):
            raise _refused(path, "a text with a lone surrogate")
        return text


def _items(value: Mapping[Any, Any], path: str) -> Iterable[tuple[str, Any]]:
    """What an object holds, read by its own code, which may do anything."""
    try:
        for key, item in value.items():
            if type(key) is not str:
                raise _refused(path, f"an object with a key that is no text ({_kind(key)})")
            yield key, item
    except SerializationError:
        raise
    except Exception as error:
        raise _refused(path, f"a value that cannot be read ({type(error).__name__})") from error


def _kind(value: Any) -> str:
    if value is UNSET:
        return "UNSET"
    if isinstance(value, type):
        return f"the class {value.__name__}"
    if callable(value):
        return "a function"
    return f"a value of type {type(value).__name__}"


def _below(path: str, key: str) -> str:
    if len(key) > _LONG:
        key = f"{key[:_LONG]}…"
    return f"{path}.{key}" if _PLAIN_KEY.match(key) else f"{path}[{json.dumps(key, ensure_ascii=False)}]"


def _refused(path: str, what: str) -> SerializationError:
    return SerializationError(f"{path} is {what}; only JSON values can be sent", path=path)
