"""JSON in a reply: the whole text, else a fenced block, else the one value that stands in the prose."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Any

import msgspec

from .fences import find_fences, unquote
from .strict_json import NotJson, parse, plain, same_value
from .text import BLANKS, one_line_end, strip_blanks

_BRACKET_OR_STRING = re.compile(r'[\[\]{}]|"(?:[^"\\]++|\\.)*+"?', re.DOTALL)
_OPENER = re.compile(r"[\[{]")
_JSON_TAG = re.compile(rf"json(?:[{BLANKS}]|$)", re.IGNORECASE | re.ASCII)
_CLOSER_OF = {"[": "]", "{": "}"}


class JsonReading(msgspec.Struct, frozen=True):
    """`value` is plain data: null, texts, bools, exact ints, floats, lists, string-keyed objects; None where not ok."""

    ok: bool
    value: Any = None


class Pair(msgspec.Struct, frozen=True):
    """A top-level bracket pair, and the string literals in it, as offsets. Only the last of a text may be open: it
    reaches to the end."""

    start: int
    end: int
    closed: bool
    strings: tuple[tuple[int, int], ...]


def read_json(text: str) -> JsonReading:
    """The one JSON value of a text. Never raises.

    The whole text, else fenced blocks (`json` ones first, the first that parses), else a search over top-level bracket
    pairs: two different values are ambiguous, and nothing is taken from inside a broken or cut one.
    """
    try:
        return JsonReading(True, plain(_find(one_line_end(text), objects_only=False)))
    except NotJson:
        return JsonReading(False)


def find_object(text: str) -> dict[str, Any] | None:
    """The one JSON object of a judge's reply, with exact numbers. Other JSON beside it is ignored; a reply that is
    other JSON as a whole has none. A `>` before every line is a wrapper. The lines end with `\\n`."""
    try:
        value: dict[str, Any] = _find(unquote(strip_blanks(text)), objects_only=True)
    except NotJson:
        return None
    return value


def bracket_pairs(text: str) -> Iterator[Pair]:
    """The top-level bracket pairs in order. Quotes count inside pairs only, for prose is full of lone ones."""
    position = 0
    while (opener := _OPENER.search(text, position)) is not None:
        pair = _pair_from(text, opener.start())
        yield pair
        position = pair.end


def _pair_from(text: str, start: int) -> Pair:
    closers: list[str] = []
    strings: list[tuple[int, int]] = []
    for token in _BRACKET_OR_STRING.finditer(text, start):
        mark = text[token.start()]
        if mark == '"':
            strings.append(token.span())
        elif mark in _CLOSER_OF:
            closers.append(_CLOSER_OF[mark])
        elif mark == closers[-1]:
            closers.pop()
            if not closers:
                return Pair(start, token.end(), True, tuple(strings))
    return Pair(start, len(text), False, tuple(strings))


def _find(text: str, *, objects_only: bool) -> Any:
    whole = strip_blanks(text)
    try:
        value = parse(whole)
    except NotJson:
        pass
    else:
        if objects_only and not isinstance(value, dict):
            raise NotJson("the whole reply is other JSON")
        return value
    for body in _blocks(text):
        try:
            value = parse(strip_blanks(body))
        except NotJson:
            continue
        if not objects_only or isinstance(value, dict):
            return value
    return _search(text, objects_only=objects_only)


def _blocks(text: str) -> list[str]:
    fences = [fence for fence in find_fences(text) if fence.closed]
    fences.sort(key=lambda fence: _JSON_TAG.match(fence.tag) is None)
    return [fence.body(text) for fence in fences]


def _search(text: str, *, objects_only: bool) -> Any:
    found: list[Any] = []  # at most one: a value may be anything, None included
    for pair in bracket_pairs(text):
        if not pair.closed or (objects_only and text[pair.start] != "{"):
            continue
        try:
            value = parse(text[pair.start : pair.end])
        except NotJson:
            continue
        if not found:
            found.append(value)
        elif not same_value(found[0], value):
            raise NotJson("two different values stand in the text")
    if not found:
        raise NotJson("no value stands in the text")
    return found[0]
