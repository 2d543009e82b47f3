"""How long a service asks to be left alone, in all the ways that services say it. Pure: the time of day is
passed in."""

from __future__ import annotations

import math
import re
from collections.abc import Mapping
from datetime import UTC
from email.utils import parsedate_to_datetime
from typing import Any

_DURATION = re.compile(r"(?:(\d+)d)?(?:(\d+)h)?(?:(\d+)m(?!s))?(?:(\d+(?:\.\d+)?)s)?(?:(\d+(?:\.\d+)?)ms)?")
_RESET_HEADERS = ("x-ratelimit-reset-requests", "x-ratelimit-reset-tokens")
_EPOCH = 1e8
"""A reset above this is a moment, not a duration: seconds since 1970, or milliseconds if it is that large."""


def wait_asked(
    headers: Mapping[str, str], now: float, details: Mapping[str, Any] | None = None
) -> float | None:
    """The seconds a service asks to wait: `Retry-After` in seconds or as a date, else when its limits are
    reset. `now` is in seconds since 1970. None where it asks for nothing, or for nonsense, or for a moment
    that has passed."""
    milliseconds = _number(headers.get("retry-after-ms", ""))
    if milliseconds is not None:
        return _ahead(milliseconds / 1000)
    asked = _retry_after(headers.get("retry-after", ""), now)
    if asked is not None:
        return asked
    resets = [_reset(headers.get(name, ""), now) for name in _RESET_HEADERS]
    inner = details.get("headers") if details else None
    if isinstance(inner, dict):
        lowered = {str(name).lower(): str(value) for name, value in inner.items()}
        return wait_asked(lowered, now) or _reset(lowered.get("x-ratelimit-reset", ""), now)
    return max((reset for reset in resets if reset is not None), default=None)


def spoken(seconds: float) -> str:
    """`300 s`, `11.6 days`."""
    if seconds < 7200:
        return f"{seconds:g} s"
    return f"{seconds / 3600:.1f} hours" if seconds < 2 * 86400 else f"{seconds / 86400:.1f} days"


def _retry_after(text: str, now: float) -> float | None:
    seconds = _number(text)
    if seconds is not None:
        return _ahead(seconds)
    try:
        moment = parsedate_to_datetime(text)
    except (ValueError, TypeError, IndexError, OverflowError):
        return None
    if moment.tzinfo is None:
        moment = moment.replace(tzinfo=UTC)
    return _ahead(moment.timestamp() - now)


def _reset(text: str, now: float) -> float | None:
    number = _number(text)
    if number is not None:
        if number > _EPOCH:
            return _ahead((number / 1000 if number > _EPOCH * 1000 else number) - now)
        return _ahead(number)
    match = _DURATION.fullmatch(text.strip())
    if match is None or not text.strip():
        return None
    days, hours, minutes, seconds, milliseconds = (float(part or 0) for part in match.groups())
    return _ahead(days * 86400 + hours * 3600 + minutes * 60 + seconds + milliseconds / 1000)


def _number(text: str) -> float | None:
    if not re.fullmatch(r"\s*-?\d{1,15}(\.\d+)?\s*", text, re.ASCII):
        return None
    return float(text)


def _ahead(seconds: float) -> float | None:
    return seconds if math.isfinite(seconds) and seconds > 0 else None
