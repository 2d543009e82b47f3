"""The built-in functions: pure, and bounded by the sizes that `Scope` allows.

`today` and `now` read the clock that the compiler was given.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from difflib import SequenceMatcher
from fractions import Fraction
from typing import Any

from ..judge.reading import read_json
from .scope import MAX_ITEMS, MAX_TEXT
from .values import equal, to_json, to_text, type_name

Function = Callable[..., Any]


class Misuse(Exception):
    """A function got a value that it cannot work with; the compiler adds the place."""


def _text(value: Any, of: str) -> str:
    if not isinstance(value, str):
        raise Misuse(f"`{of}` takes a text, but this is {_a(value)}")
    return value


def _list(value: Any, of: str) -> list[Any]:
    if not isinstance(value, list):
        raise Misuse(f"`{of}` takes a list, but this is {_a(value)}")
    return value


def _numbers(value: Any, of: str) -> list[int | float]:
    items = _list(value, of)
    for item in items:
        _number(item, of)
    return items


def _number(value: Any, of: str) -> int | float:
    if isinstance(value, bool) or not isinstance(value, int | float):
        raise Misuse(f"`{of}` takes numbers, but this is {_a(value)}")
    return value


def _a(value: Any) -> str:
    name = type_name(value)
    return name if name == "null" else f"{'an' if name[0] in 'aeiou' else 'a'} {name}"


def _bounded(text: str) -> str:
    if len(text) > MAX_TEXT:
        raise Misuse(f"the text grows past {MAX_TEXT:,} characters")
    return text


def length(value: Any) -> int:
    if isinstance(value, str | list | dict):
        return len(value)
    raise Misuse(f"`len` takes a text, a list or an object, but this is {_a(value)}")


def count(items: Any, wanted: Any) -> int:
    if isinstance(items, str):
        needle = _text(wanted, "count")
        return items.count(needle) if needle else 0
    return sum(1 for item in _list(items, "count") if equal(item, wanted))


def sentences(text: Any) -> list[str]:
    """Stretches that end with `.`, `!` or `?` before a blank or the end; blank ones do not count."""
    found, start, value = [], 0, _text(text, "sentences")
    for at, mark in enumerate(value):
        if mark in ".!?" and (at + 1 == len(value) or value[at + 1].isspace()):
            found.append(value[start : at + 1].strip())
            start = at + 1
    found.append(value[start:].strip())
    return [part for part in found if part.strip(".!? \t\r\n")]


def parse_json(value: Any) -> Any:
    """The JSON value of a text, found as leniently as a reply is read: alone, in a fence or in prose. Null where there
    is none; what is no text is already a value."""
    return read_json(value).value if isinstance(value, str) else value


def rounded(value: Any, digits: Any = 0) -> int | float:
    number, places = _number(value, "round"), _number(digits, "round")
    if isinstance(number, float) and not math.isfinite(number):
        raise Misuse("`round` takes a finite number")
    return round(number) if places == 0 else round(number, int(places))


def unique(value: Any) -> list[Any]:
    seen: dict[str, Any] = {}
    for item in _list(value, "unique"):
        seen.setdefault(to_json(float(item) if type(item) is int else item), item)
    return list(seen.values())


def ordered(value: Any) -> list[Any]:
    items = _list(value, "sort")
    if all(isinstance(item, str) for item in items):
        return sorted(items)
    return sorted(_numbers(items, "sort"))


def split(value: Any, by: Any = None) -> list[str]:
    text = _text(value, "split")
    if by is None:
        return text.split()
    return text.split(_text(by, "split")) if by else list(text)


def replace(value: Any, old: Any, new: Any) -> str:
    text, needle, other = _text(value, "replace"), _text(old, "replace"), _text(new, "replace")
    if not needle:
        raise Misuse("`replace` needs a text to look for")
    if len(text) + text.count(needle) * len(other) > MAX_TEXT:
        raise Misuse(f"the text grows past {MAX_TEXT:,} characters")
    return text.replace(needle, other)


def join(value: Any, by: Any = "") -> str:
    return _bounded(_text(by, "join").join(to_text(item) for item in _list(value, "join")))


def similarity(left: Any, right: Any) -> float:
    """How alike two texts are, 0 to 1: the matching blocks' share of both (Ratcliff and Obershelp)."""
    one, other = _text(left, "similarity"), _text(right, "similarity")
    if len(one) > 10_000 or len(other) > 10_000:
        raise Misuse("`similarity` compares texts of at most 10,000 characters")
    return SequenceMatcher(None, one, other, autojunk=False).ratio()


def flat(value: Any) -> list[Any]:
    result: list[Any] = []
    for item in _list(value, "flat"):
        result.extend(item if isinstance(item, list) else [item])
        if len(result) > MAX_ITEMS:
            raise Misuse(f"the list grows past {MAX_ITEMS:,} items")
    return result


def _ends(value: Any, of: str) -> Any:
    if not isinstance(value, str | list):
        raise Misuse(f"`{of}` takes a list or a text, but this is {_a(value)}")
    return value


def first(value: Any) -> Any:
    return _ends(value, "first")[0] if value else None


def last(value: Any) -> Any:
    return _ends(value, "last")[-1] if value else None


def _extreme(pick: Callable[[Iterable[Any]], Any], of: str) -> Function:
    def function(*values: Any) -> Any:
        items = values[0] if len(values) == 1 else list(values)
        return pick(_numbers(items, of)) if items else None

    return function


def total(value: Any) -> int | float:
    items = _numbers(value, "sum")
    return (
        sum(items)
        if all(isinstance(item, int) for item in items)
        else _float(sum(map(Fraction, items), Fraction(0)))
    )


def mean(value: Any) -> float | None:
    items = _numbers(value, "mean")
    return _float(sum(map(Fraction, items), Fraction(0)) / len(items)) if items else None


def _float(exact: Fraction) -> float:
    """Rounded once, at the end: the mean of three times 0.7 is 0.7 and reaches a bar of 0.7."""
    try:
        return float(exact)
    except OverflowError:
        raise Misuse("the number is too large") from None


def keys(value: Any) -> list[str]:
    if not isinstance(value, dict):
        raise Misuse(f"`keys` takes an object, but this is {_a(value)}")
    return list(value)


def values(value: Any) -> list[Any]:
    if not isinstance(value, dict):
        raise Misuse(f"`values` takes an object, but this is {_a(value)}")
    return list(value.values())


def default(value: Any, other: Any) -> Any:
    return other if value is None else value


PURE: dict[str, Function] = {
    "len": length,
    "count": count,
    "trim": lambda value: _text(value, "trim").strip(),
    "lower": lambda value: _text(value, "lower").lower(),
    "upper": lambda value: _text(value, "upper").upper(),
    "words": lambda value: _text(value, "words").split(),
    "lines": lambda value: _text(value, "lines").splitlines(),
    "sentences": sentences,
    "first": first,
    "last": last,
    "sum": total,
    "min": _extreme(min, "min"),
    "max": _extreme(max, "max"),
    "mean": mean,
    "round": rounded,
    "json": parse_json,
    "text": to_text,
    "keys": keys,
    "values": values,
    "unique": unique,
    "sort": ordered,
    "join": join,
    "split": split,
    "replace": replace,
    "abs": lambda value: abs(_number(value, "abs")),
    "similarity": similarity,
    "default": default,
    "flat": flat,
}
