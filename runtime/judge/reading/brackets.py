"""Brackets and the strings between them, in a text that may hold JSON."""

from __future__ import annotations

import re
from collections.abc import Iterator

import msgspec

OPENER = re.compile(r"[\[{]")
CLOSER_OF = {"[": "]", "{": "}"}

_STRING = r'"(?:[^"\\]++|\\.)*+"?'
_FLAT = rf'[^\[\]{{}}"]++|{_STRING}'
_TO_A_BRACKET = re.compile(
    rf"(?:{_FLAT}|\{{(?:{_FLAT})*+\}}|\[(?:{_FLAT})*+\])*+",  # past the pairs that hold no pair, which are most
    re.DOTALL,
)
_STRING_OR_OTHER = re.compile(rf'({_STRING})|[^"]++', re.DOTALL)


class Pair(msgspec.Struct, frozen=True):
    """A top-level bracket pair, as offsets. Only the last of a text may be open: it reaches to the end."""

    start: int
    end: int
    closed: bool


def bracket_pairs(text: str) -> Iterator[Pair]:
    """The top-level bracket pairs in order. Quotes count inside pairs only, for prose is full of lone ones."""
    position = 0
    while (opener := OPENER.search(text, position)) is not None:
        pair = _pair_from(text, opener.start())
        yield pair
        position = pair.end


def strings_in(text: str, pair: Pair) -> Iterator[tuple[int, int]]:
    """Where the string literals of a pair stand, with their quotes; only the last may lack its second one."""
    for match in _STRING_OR_OTHER.finditer(text, pair.start, pair.end):
        if match[1] is not None:
            yield match.span()


def _pair_from(text: str, start: int) -> Pair:
    closers = [CLOSER_OF[text[start]]]
    position = start + 1
    while closers:
        stop = _TO_A_BRACKET.match(text, position)
        position = stop.end() if stop else position
        if position == len(text):
            return Pair(start, position, False)
        mark = text[position]
        position += 1
        if mark in CLOSER_OF:
            closers.append(CLOSER_OF[mark])
        elif mark == closers[-1]:
            closers.pop()
    return Pair(start, position, True)
