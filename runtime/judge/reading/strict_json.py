"""Strict JSON with exact numbers: RFC 8259 and nothing beside it.

No NaN, no number past a double's range, no key with two different values; whole numbers are exact ints, all others
exact Decimals; a lone surrogate becomes U+FFFD. Any depth of nesting is read without recursion.
"""

from __future__ import annotations

import json
import re
from collections.abc import Iterator
from decimal import Decimal
from typing import Any

_LONGEST_INT = 310
"""Digits: a double ends near 1.8e308."""
_TINY = Decimal("1e-100000")
"""Stands for any non-zero number that is still smaller: nothing that is compared with it can tell them apart."""
_LONE = re.compile("[\ud800-\udfff]")
_SURROGATE_ESCAPE = re.compile(r"\\u[dD][89a-fA-F]")
_ESCAPE = re.compile(
    r"\\(?:u[dD][89abAB][0-9a-fA-F]{2}\\u[dD][c-fC-F][0-9a-fA-F]{2}|(u[dD][89a-fA-F][0-9a-fA-F]{2})|.)",
    re.DOTALL,
)
_SPACE = re.compile(r"[ \t\n\r]*")


class NotJson(ValueError):
    """The text is not one JSON value."""


def parse(text: str) -> Any:
    """The one value that `text` holds. Raises NotJson."""
    source = _whole_surrogates(text)
    try:
        return _DECODER.decode(source)
    except RecursionError:
        if not source.rstrip().endswith(("]", "}")):
            raise NotJson("a list or an object is not closed") from None
        return _parse_deep(source)
    except NotJson:
        raise
    except ValueError as error:
        raise NotJson(str(error)) from None


def plain(value: Any) -> Any:
    """The value with its Decimals made floats, in place: what other libraries understand."""
    if isinstance(value, Decimal):
        return float(value)
    for container, places in _containers(value):
        for place, item in places:
            if type(item) is Decimal:
                container[place] = float(item)
    return value


def same_value(left: Any, right: Any) -> bool:
    """Equality by value: 1 is 1.0, true is not 1, the order of keys does not matter. Compares without recursion."""
    pairs = [(left, right)]
    while pairs:
        a, b = pairs.pop()
        if isinstance(a, dict) and isinstance(b, dict):
            if a.keys() != b.keys():
                return False
            pairs.extend((item, b[key]) for key, item in a.items())
        elif isinstance(a, list) and isinstance(b, list):
            if len(a) != len(b):
                return False
            pairs.extend(zip(a, b, strict=True))
        elif _kind(a) != _kind(b) or a != b:
            return False
    return True


def _kind(value: Any) -> type:
    return Decimal if type(value) in (int, float) else type(value)


def _containers(value: Any) -> Iterator[tuple[Any, list[tuple[Any, Any]]]]:
    waiting = [value]
    while waiting:
        container = waiting.pop()
        if isinstance(container, dict):
            places: list[tuple[Any, Any]] = list(container.items())
        elif isinstance(container, list):
            places = list(enumerate(container))
        else:
            continue
        waiting.extend(item for _, item in places if isinstance(item, dict | list))
        yield container, places


def _whole_surrogates(text: str) -> str:
    if not text.isascii():
        text = _LONE.sub("\ufffd", text)
    if _SURROGATE_ESCAPE.search(text) is None:
        return text
    return _ESCAPE.sub(lambda match: "\\ufffd" if match[1] else match[0], text)


def _object(pairs: list[tuple[str, Any]]) -> dict[str, Any]:
    fields = dict(pairs)
    if len(fields) != len(pairs):
        for key, value in pairs:
            if not same_value(value, fields[key]):
                raise NotJson(f"the key {key!r} has two values")
    return fields


def _int(digits: str) -> int:
    if len(digits) > _LONGEST_INT:
        raise NotJson("a number past the range of a double")
    number = int(digits)
    try:
        float(number)
    except OverflowError:
        raise NotJson("a number past the range of a double") from None
    return number


def _number(literal: str) -> Decimal:
    approximate = float(literal)
    if approximate in (float("inf"), float("-inf")):
        raise NotJson("a number past the range of a double")
    mantissa, _, exponent = literal.lower().partition("e")
    if approximate or not exponent:
        return Decimal(literal)
    if not mantissa.strip("-0."):
        return Decimal(0)
    if len(exponent) < 7 and (exact := Decimal(literal)).copy_abs() > _TINY:
        return exact
    return -_TINY if literal[0] == "-" else _TINY


def _constant(name: str) -> Any:
    raise NotJson(f"{name} is not JSON")


_DECODER = json.JSONDecoder(
    object_pairs_hook=_object, parse_float=_number, parse_int=_int, parse_constant=_constant, strict=True
)


def _parse_deep(text: str) -> Any:
    """As `parse`, with an explicit stack: for values nested deeper than the interpreter's own limit."""
    stack: list[list[Any] | list[tuple[str, Any]]] = []
    closers: list[str] = []
    keys: list[str] = []
    position = _skip(text, 0)
    while True:
        opener = text[position : position + 1]
        if opener in ("[", "{"):
            closer = "]" if opener == "[" else "}"
            position = _skip(text, position + 1)
            if not text.startswith(closer, position):
                stack.append([])
                closers.append(closer)
                if closer == "}":
                    key, position = _key(text, position)
                    keys.append(key)
                continue
            value: Any = [] if closer == "]" else {}
            position += 1
        else:
            value, position = _scalar(text, position)
        position = _skip(text, position)
        while stack:
            closer = closers[-1]
            items: list[Any] = stack[-1]
            items.append(value if closer == "]" else (keys.pop(), value))
            if text.startswith(",", position):
                position = _skip(text, position + 1)
                if closer == "}":
                    key, position = _key(text, position)
                    keys.append(key)
                break
            if not text.startswith(closer, position):
                raise NotJson("a list or an object is not closed")
            stack.pop()
            closers.pop()
            value = items if closer == "]" else _object(items)
            position = _skip(text, position + 1)
        else:
            if position != len(text):
                raise NotJson("text after the value")
            return value


def _skip(text: str, position: int) -> int:
    match = _SPACE.match(text, position)
    return match.end() if match else position


def _scalar(text: str, position: int) -> tuple[Any, int]:
    try:
        return _DECODER.raw_decode(text, position)
    except NotJson:
        raise
    except ValueError as error:
        raise NotJson(str(error)) from None


def _key(text: str, position: int) -> tuple[str, int]:
    if not text.startswith('"', position):
        raise NotJson("a key is a text")
    key, position = _scalar(text, position)
    position = _skip(text, position)
    if not text.startswith(":", position):
        raise NotJson("a key has no value")
    return key, _skip(text, position + 1)
