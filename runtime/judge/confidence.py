"""When an answer is sure enough: the one bar of a use, and whether a confidence reaches it."""

from __future__ import annotations

from decimal import Decimal
from typing import TypeVar

from .errors import ConfigurationError

Bar = TypeVar("Bar", str, float)


def checked_minimum(value: object) -> float:
    """A bar given from Python. Raises `ConfigurationError` for what is no number between 0 and 1."""
    if isinstance(value, bool) or not isinstance(value, int | float) or not 0 <= value <= 1:
        shown = value if type(value) in (int, float) else f"a {type(value).__name__}"
        raise ConfigurationError(
            f"a confidence must be a number between 0 and 1, this one is {shown}", code="decision.confidence"
        )
    return float(value)


def effective_minimum(name: str, declared: Bar | None, own: Bar | None, *, handled: bool) -> Bar | None:
    """The use's own bar, else the declared one. `handled` says that something happens below it: a bar without that,
    or the reverse, is refused before anything runs."""
    minimum = own if own is not None else declared
    if handled and minimum is None:
        raise ConfigurationError(
            f"{name} has no confidence to reach, so `uncertain` could never run",
            code="decision.uncertain-unreachable",
        )
    if minimum is not None and not handled:
        raise ConfigurationError(
            f"{name} has a confidence to reach: say what happens below it (`uncertain`)",
            code="decision.no-uncertain",
        )
    return minimum


def accepts(confidence: float, minimum: str | float) -> bool:
    """Whether a confidence reaches a bar. Both are compared as they are written, so that 0.8 reaches 0.8."""
    bar = minimum if isinstance(minimum, str) else repr(minimum)
    return Decimal(repr(confidence)) >= Decimal(bar)
