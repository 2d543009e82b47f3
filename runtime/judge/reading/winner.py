"""The variant that a tournament's picker names."""

from __future__ import annotations

import re
from decimal import ROUND_FLOOR, Decimal
from typing import Any

import msgspec

from .fences import find_fences, unwrap
from .lenient_json import find_object
from .markers import WINNER, last_marker
from .own_words import has_label, own_words
from .reasoning import strip_reasoning
from .text import one_line_end, strip_blanks

_NUMBER = re.compile(r"#?([0-9]+)")
_FIELDS = ("winner", "best", "choice")


class WinnerReading(msgspec.Struct, frozen=True):
    """`winner` counts from 1 and always names a variant. `clamped`: the reply named one beyond the ends;
    `defaulted`: it named none, and 1 is no choice of the picker's."""

    winner: int
    readable: bool
    clamped: bool = False
    defaulted: bool = False


def read_winner(text: str, count: int) -> WinnerReading:
    """The chosen one of `count` variants: the first JSON field of winner, best, choice, else `WINNER: n`.
    Never raises."""
    number, count = _chosen(one_line_end(strip_reasoning(text))), max(count, 1)
    if number is None:
        return WinnerReading(1, False, defaulted=True)
    winner = 1 if number < 1 else count if number > count else int(number)
    return WinnerReading(winner, True, clamped=number < 1 or number > count)


def _chosen(text: str) -> Decimal | int | None:
    fields = find_object(text)
    if fields is not None:
        for name in _FIELDS:
            if fields.get(name) is not None:
                return _whole_number(fields[name])
    if not has_label(text):
        return None
    text = unwrap(text)
    digits = last_marker(own_words(text, find_fences(text)), WINNER).value
    return None if digits is None else Decimal(digits)


def _whole_number(value: Any) -> Decimal | int | None:
    if isinstance(value, str):
        match = _NUMBER.fullmatch(strip_blanks(value))
        return Decimal(match[1]) if match else None
    if isinstance(value, Decimal):
        return value if value == value.to_integral_value(ROUND_FLOOR) else None
    return value if isinstance(value, int) and not isinstance(value, bool) else None
