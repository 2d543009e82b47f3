"""The infix operators over run-time values. Any comparison with null but `==` and `!=` is false."""

from __future__ import annotations

import math
from collections.abc import Callable
from functools import lru_cache
from typing import Any

from ...dsl.scorer_check import BadPattern, compile_pattern
from .functions import Misuse
from .scope import MAX_ITEMS, MAX_TEXT
from .values import equal, type_name

Operator = Callable[[Any, Any], Any]

_compiled = lru_cache(maxsize=1024)(compile_pattern)


def _is_number(value: Any) -> bool:
    return isinstance(value, int | float) and not isinstance(value, bool)


def _compared(sign: str, compare: Operator) -> Operator:
    def operator(left: Any, right: Any) -> bool:
        if left is None or right is None:
            return False
        if (_is_number(left) and _is_number(right)) or (isinstance(left, str) and isinstance(right, str)):
            return bool(compare(left, right))
        raise Misuse(
            f"`{sign}` compares two numbers or two texts, not {type_name(left)} and {type_name(right)}"
        )

    return operator


def _contains(left: Any, right: Any) -> bool:
    if left is None or right is None:
        return False
    if isinstance(left, str):
        if not isinstance(right, str):
            raise Misuse(f"a text contains texts, not {type_name(right)}")
        return right in left
    if isinstance(left, list):
        return any(equal(item, right) for item in left)
    if isinstance(left, dict):
        return right in left
    raise Misuse(f"`contains` looks into a text, a list or an object, not {type_name(left)}")


def _affix(name: str, test: Callable[[str, str], bool]) -> Operator:
    def operator(left: Any, right: Any) -> bool:
        if left is None or right is None:
            return False
        if isinstance(left, str) and isinstance(right, str):
            return test(left, right)
        raise Misuse(f"`{name} with` compares two texts, not {type_name(left)} and {type_name(right)}")

    return operator


def _arithmetic(sign: str, work: Operator) -> Operator:
    def operator(left: Any, right: Any) -> Any:
        if not (_is_number(left) and _is_number(right)):
            raise Misuse(f"`{sign}` works on two numbers, not {type_name(left)} and {type_name(right)}")
        try:
            result = work(left, right)
        except ZeroDivisionError:
            raise Misuse("division by zero") from None
        except OverflowError:
            raise Misuse("the number is too large") from None
        too_large = result.bit_length() > 1024 if isinstance(result, int) else not math.isfinite(result)
        if too_large:
            raise Misuse("the number is too large")
        return result

    return operator


def _add(left: Any, right: Any) -> Any:
    if isinstance(left, str) and isinstance(right, str):
        if len(left) + len(right) > MAX_TEXT:
            raise Misuse(f"the text grows past {MAX_TEXT:,} characters")
        return left + right
    if isinstance(left, list) and isinstance(right, list):
        if len(left) + len(right) > MAX_ITEMS:
            raise Misuse(f"the list grows past {MAX_ITEMS:,} items")
        return left + right
    return _plus(left, right)


_plus = _arithmetic("+", lambda left, right: left + right)

OPERATORS: dict[str, Operator] = {
    "==": equal,
    "!=": lambda left, right: not equal(left, right),
    "<": _compared("<", lambda left, right: left < right),
    "<=": _compared("<=", lambda left, right: left <= right),
    ">": _compared(">", lambda left, right: left > right),
    ">=": _compared(">=", lambda left, right: left >= right),
    "in": lambda left, right: _contains(right, left),
    "not in": lambda left, right: not _contains(right, left),
    "contains": _contains,
    "starts with": _affix("starts", str.startswith),
    "ends with": _affix("ends", str.endswith),
    "+": _add,
    "-": _arithmetic("-", lambda left, right: left - right),
    "*": _arithmetic("*", lambda left, right: left * right),
    "/": _arithmetic("/", lambda left, right: left / right),
    "%": _arithmetic("%", lambda left, right: left % right),
}


def found_in(text: Any, pattern: Any) -> bool:
    """`text matches pattern`, in linear time. `Misuse` for what are no texts, and for a pattern that is none."""
    if not isinstance(text, str) or not isinstance(pattern, str):
        raise Misuse("`matches` takes a text and a pattern")
    try:
        return _compiled(pattern).search(text) is not None
    except BadPattern as error:
        raise Misuse(f"invalid pattern: {error}") from None
