"""Columns as the client counts them, and code points as Python counts them.

A client that offers no encoding counts UTF-16 code units. A column past the end of its line stands for
the end, one inside a character for that character's start.
"""

from __future__ import annotations

from collections.abc import Sequence
from typing import Literal

Encoding = Literal["utf-8", "utf-16", "utf-32"]
_KNOWN: tuple[Encoding, ...] = ("utf-8", "utf-16", "utf-32")


def choose_encoding(offered: Sequence[str] | None) -> Encoding:
    """The first encoding of the client's list that is known here, else UTF-16, which every client has."""
    for name in offered or ():
        for known in _KNOWN:
            if name == known:
                return known
    return "utf-16"


def width(text: str, encoding: Encoding) -> int:
    """The length of a text in the encoding's code units."""
    if encoding == "utf-32" or text.isascii():
        return len(text)
    if encoding == "utf-8":
        return len(text.encode("utf-8", "surrogatepass"))
    return len(text) + sum(character > "\uffff" for character in text)


def column(line: str, units: int, encoding: Encoding) -> int:
    """How many code points of a line stand before a column given in code units."""
    units = max(units, 0)
    if encoding == "utf-32" or line.isascii():
        return min(units, len(line))
    if encoding == "utf-8":
        return len(line.encode("utf-8", "surrogatepass")[:units].decode("utf-8", "ignore"))
    return len(line.encode("utf-16-le", "surrogatepass")[: 2 * units].decode("utf-16-le", "ignore"))
