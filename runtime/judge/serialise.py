"""The serialisation boundary: what may be sent to a model, and how context layers merge.

Serialisable: null, text without lone surrogates, bool, finite numbers (whole ones within 2^53 - 1), lists, and objects
with text keys. Everything else is a `SerializationError` that names the path, before any call.
"""

from __future__ import annotations

import math
from collections.abc import Iterable, Mapping
from typing import Any

from ..store.canonical import UNSET
from .errors import SerializationError

LARGEST = 2**53 - 1
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


def check_serialisable(value: Any) -> None:
    """Raises `SerializationError` at the first value that is not JSON. Shared references are fine, cycles are not."""
    _check(value, "$", [])


def _check(value: Any, path: str, above: list[int]) -> None:
    if value is None or isinstance(value, bool):
        return
    if isinstance(value, str):
        if any("\ud800" <= mark <= "\udfff" for mark in value):
            raise _refused(path, "a text with a lone surrogate")
    elif isinstance(value, int):
        if abs(value) > LARGEST:
            raise _refused(path, "a whole number past 2^53 - 1: send it as a text")
    elif isinstance(value, float):
        if not math.isfinite(value):
            raise _refused(path, f"{value}")
    elif isinstance(value, Mapping | list | tuple):
        if id(value) in above:
            raise _refused(path, "a circular reference")
        _check_inside(value, path, [*above, id(value)])
    elif value is UNSET:
        raise _refused(path, "UNSET")
    else:
        raise _refused(path, f"a value of type {type(value).__name__}: convert it first")


def _check_inside(value: Any, path: str, above: list[int]) -> None:
    if len(above) > 200:
        raise _refused(path, "nested more than 200 deep")
    try:
        if isinstance(value, Mapping):
            for key, item in value.items():
                if not isinstance(key, str):
                    raise _refused(path, f"a key that is no text ({key!r})")
                _check(item, f"{path}.{key}", above)
        else:
            for at, item in enumerate(value):
                _check(item, f"{path}[{at}]", above)
    except SerializationError:
        raise
    except Exception as error:
        raise _refused(path, f"a value that cannot be read ({type(error).__name__})") from error


def _refused(path: str, what: str) -> SerializationError:
    return SerializationError(f"{path} is {what}; only JSON values can be sent", path=path)


def merge_layers(layers: Iterable[Any]) -> dict[str, Any]:
    """The layers, lowest first, as one new object: objects merge deeply, lists and scalars replace, null replaces,
    `UNSET` leaves what is below. Nothing is mutated."""
    merged: dict[str, Any] = {}
    for layer in layers:
        if not isinstance(layer, Mapping):
            raise SerializationError("a context layer must be an object", path="$")
        merged = _merged(merged, layer, "$")
    return merged


def _merged(below: Mapping[str, Any], above: Mapping[str, Any], path: str) -> dict[str, Any]:
    result = dict(below)
    for key, value in above.items():
        if key in REFUSED_KEYS:
            raise SerializationError(f"{path}.{key} is a refused key in a context", path=f"{path}.{key}")
        if value is UNSET:
            continue
        if isinstance(value, Mapping):
            lower = result.get(key)
            result[key] = _merged(lower if isinstance(lower, Mapping) else {}, value, f"{path}.{key}")
        else:
            result[key] = value
    return result
