"""JSON in a reply: the whole text, else a fenced block, else the one value that stands in the prose."""

from __future__ import annotations

import re
from typing import Any

import msgspec

from .brackets import CLOSER_OF, OPENER, bracket_pairs
from .fences import find_fences, one_fence, unquote
from .quick_json import CUT, NO_JSON, UNSURE, NoValue, quick
from .strict_json import NotJson, parse, plain, same_value
from .text import BLANKS, one_line_end, strip_blanks

_JSON_TAG = re.compile(rf"json(?:[{BLANKS}]|$)", re.IGNORECASE | re.ASCII)


class JsonReading(msgspec.Struct, frozen=True):
    """`value` is plain data: null, texts, bools, exact ints, floats, lists, string-keyed objects; None where not ok."""

    ok: bool
    value: Any = None


def read_json(text: str) -> JsonReading:
    """The one JSON value of a text. Never raises.

    The whole text, else fenced blocks (`json` ones first, the first that parses), else a search over top-level bracket
    pairs: two different values are ambiguous, and nothing is taken from inside a broken or cut one.
    """
    value = find_json(text)
    return JsonReading(False) if value is NO_JSON else JsonReading(True, value)


def find_json(text: str) -> Any:
    """As `read_json`: the value itself, or NO_JSON."""
    text = one_line_end(text)
    whole = strip_blanks(text)
    value = quick(whole)
    if value is NO_JSON:
        value = _quick_find(whole)
    if value is UNSURE:
        return plain(_find(text, objects_only=False))
    return NO_JSON if value is CUT else value


def find_object(text: str) -> dict[str, Any] | None:
    """The one JSON object of a judge's reply, with exact numbers. Other JSON beside it is ignored; a reply that is
    other JSON as a whole has none. A `>` before every line is a wrapper. The lines end with `\\n`."""
    value = _find(unquote(strip_blanks(text)), objects_only=True)
    return None if value is NO_JSON else value


def _quick_find(text: str) -> Any:
    """The value in a text that is none as a whole; UNSURE where only `_find` can tell."""
    if "`" not in text and "~" not in text:
        return _quick_search(text)
    for body in _blocks(text):
        value = quick(strip_blanks(body))
        if value is not NO_JSON and value is not CUT:
            return value
    return _quick_search(text)


def _quick_search(text: str) -> Any:
    first = OPENER.search(text) if "{" in text or "[" in text else None
    if first is None:
        return NO_JSON
    start, closer = first.start(), CLOSER_OF[first[0]]
    end = text.rfind(closer, start) + 1
    if not end:
        return NO_JSON
    # Most often there is one value: all from the first bracket to the last of its kind. The whole text was tried.
    value = quick(text[start:end]) if end - start < len(text) else NO_JSON
    if not isinstance(value, NoValue):
        return value if OPENER.search(text, end) is None else UNSURE
    if text.find(closer, start) + 1 == end and OPENER.search(text, end) is None:
        return value if value is UNSURE else NO_JSON  # the pair ends there or nowhere
    values = [quick(text[pair.start : pair.end]) for pair in bracket_pairs(text) if pair.closed]
    values = [value for value in values if value is not NO_JSON and value is not CUT]
    # Two are for the exact reading: doubles may be equal where the numbers are not.
    return NO_JSON if not values else values[0] if len(values) == 1 else UNSURE


def _exact(text: str) -> Any:
    try:
        return parse(text)
    except NotJson:
        return NO_JSON


def _find(text: str, *, objects_only: bool) -> Any:
    """The value, its numbers exact, or NO_JSON."""
    whole = strip_blanks(text)
    value = _exact(whole)
    if value is not NO_JSON:
        return NO_JSON if objects_only and not isinstance(value, dict) else value
    for body in _blocks(text):
        value = _exact(strip_blanks(body))
        if value is not NO_JSON and (not objects_only or isinstance(value, dict)):
            return value
    return _search(text, objects_only=objects_only)


def _blocks(text: str) -> list[str]:
    """The bodies of fences, those that say `json` first."""
    if "`" not in text and "~" not in text:
        return []
    body = one_fence(text)
    if body is not None:
        return [body]
    fences = [fence for fence in find_fences(text) if fence.closed]
    fences.sort(key=lambda fence: _JSON_TAG.match(fence.tag) is None)
    return [fence.body(text) for fence in fences]


def _search(text: str, *, objects_only: bool) -> Any:
    found: Any = NO_JSON
    for pair in bracket_pairs(text):
        if not pair.closed or (objects_only and text[pair.start] != "{"):
            continue
        value = _exact(text[pair.start : pair.end])
        if found is NO_JSON:
            found = value
        elif value is not NO_JSON and not same_value(found, value):
            return NO_JSON
    return found
