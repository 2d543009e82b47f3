"""Moments as the records write them: ISO-8601, UTC, milliseconds, `2026-03-01T12:00:00.000Z`."""

from __future__ import annotations

from collections.abc import Callable
from datetime import UTC, datetime, timedelta

Clock = Callable[[], datetime]
"""Gives the present, with a time zone. Passed in, so that a test decides what time it is."""


_EPOCH = datetime(1970, 1, 1, tzinfo=UTC)


def utc_now() -> datetime:
    return datetime.now(UTC)


def timestamp(moment: datetime) -> str:
    """`moment` (with a time zone) as records write it."""
    return moment.astimezone(UTC).isoformat(timespec="milliseconds").replace("+00:00", "Z")


def parse_timestamp(text: str) -> datetime:
    """The moment that an ISO-8601 text names, in UTC where it has no zone. `ValueError` if it names none."""
    moment = datetime.fromisoformat(text)
    return moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)


def milliseconds(moment: datetime) -> int:
    """Since 1970 in UTC: what the store sorts and filters by."""
    # Whole milliseconds by integer arithmetic: a float second has too few digits to round-trip.
    delta = moment - _EPOCH
    return (delta.days * 86_400 + delta.seconds) * 1000 + delta.microseconds // 1000


def moment_of(ms: int) -> datetime:
    """The moment that `milliseconds` counted."""
    return _EPOCH + timedelta(milliseconds=ms)
