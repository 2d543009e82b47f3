"""Patterns: RE2 syntax, linear time. The library is loaded when the first pattern is looked at."""

from __future__ import annotations

from functools import lru_cache

from ..scorer_check import ScorerFault, check_scorer
from ..scorer_spec import ScorerSpec

_LOOKING = (("(?=", "ahead"), ("(?!", "ahead"), ("(?<=", "behind"), ("(?<!", "behind"))


@lru_cache(maxsize=4096)
def pattern_fault(pattern: str) -> ScorerFault | None:
    """What is wrong with a pattern, and how it may be written instead; None where it can be used."""
    fault = check_scorer(ScorerSpec("regex", pattern=pattern))
    if fault is None:
        return None
    help = fault.help
    for mark, name in _LOOKING:
        if mark in pattern:
            help = (
                f"Patterns are matched in linear time, and looking {name} (`{mark}`) cannot be. "
                "Use two rules or scorers, one of them with `not`."
            )
            break
    return ScorerFault(fault.code, fault.message, help)


@lru_cache(maxsize=4096)
def pattern_finds(pattern: str, text: str) -> bool:
    """Whether a sound pattern is found in a text."""
    import re2  # noqa: PLC0415 (patterns are rare, and the library costs start-up time)

    return re2.search(pattern, text) is not None
