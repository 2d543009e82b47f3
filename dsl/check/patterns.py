"""Patterns: RE2 syntax, linear time. The library is loaded when the first pattern is looked at."""

from __future__ import annotations

from functools import lru_cache

_UNSUPPORTED = (
    ("(?=", "looking ahead"),
    ("(?!", "looking ahead"),
    ("(?<=", "looking behind"),
    ("(?<!", "looking behind"),
)


@lru_cache(maxsize=4096)
def pattern_problem(pattern: str) -> str | None:
    """Why a pattern cannot be compiled, or None."""
    import re2

    options = re2.Options()
    options.log_errors = False
    try:
        re2.compile(pattern, options=options)
    except re2.error as error:
        detail = error.args[0] if error.args else str(error)
        return detail.decode(errors="replace") if isinstance(detail, bytes) else str(detail)
    return None


def pattern_help(pattern: str) -> str:
    """What to write instead of a pattern that cannot be compiled."""
    for mark, name in _UNSUPPORTED:
        if mark in pattern:
            return (
                f"Patterns are matched in linear time, which {name} (`{mark}`) rules out. "
                "Use two rules, one of them with `not`."
            )
    if any(f"\\{digit}" in pattern for digit in range(1, 10)):
        return "Patterns are matched in linear time, which a back reference (`\\1`) rules out."
    return 'Patterns are in RE2 syntax; write them raw, as in `r"\\d+"`.'


@lru_cache(maxsize=4096)
def pattern_finds(pattern: str, text: str) -> bool:
    """Whether a sound pattern is found in a text."""
    import re2

    return re2.search(pattern, text) is not None
