"""Which variant a picker chose: `winner`, `best` or `choice` in JSON, else `WINNER: n`."""

from __future__ import annotations

import re
from decimal import Decimal
from typing import Any

import msgspec

from .fences import find_fences, unwrap
from .lenient_json import find_object
from .markers import last_winner
from .numbers import whole_number
from .own_words import has_label, own_words
from .reasoning import strip_reasoning
from .text import one_line_end, strip_blanks

_FIELDS = ("winner", "best", "choice")
_NUMBER = re.compile(r"#?([0-9]+)")


class WinnerReading(msgspec.Struct, frozen=True):
    """`winner` counts from 1. Unreadable: the first, `defaulted`. Out of range: the nearest, `clamped`."""

    winner: int
    readable: bool
    clamped: bool = False
    defaulted: bool = False


_DEFAULT = WinnerReading(1, False, defaulted=True)


def read_winner(text: str, count: int) -> WinnerReading:
    """The winner among `count` variants. Never raises."""
    text = one_line_end(strip_reasoning(text))
    fields = find_object(text)
    given = next((fields[name] for name in _FIELDS if fields.get(name) is not None), None) if fields else None
    if given is not None:
        number = _whole(given)
    else:
        inner = unwrap(text)
        marker = last_winner(own_words(inner, find_fences(inner)) if has_label(inner) else inner)
        value: Any = marker.value if marker is not None else None
        number = value
    if number is None:
        return _DEFAULT
    winner = min(max(number, 1), max(count, 1))
    return WinnerReading(winner, True, clamped=winner != number)


def _whole(value: Any) -> int | None:
    if isinstance(value, bool):
        return None
    if isinstance(value, int):
        return value
    if isinstance(value, Decimal):
        if not value.is_finite() or value != value.to_integral_value():
            return None
        return int(value) if value.adjusted() < 400 else 10**400
    if isinstance(value, str):
        match = _NUMBER.fullmatch(strip_blanks(value))
        return whole_number(match[1]) if match is not None else None
    return None
