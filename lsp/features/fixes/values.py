"""Numbers out of their range, values that may be null, and texts written wrongly."""

from __future__ import annotations

import re
from collections.abc import Iterator
from decimal import Decimal

from ....dsl import ast
from ....dsl.diagnostics import Edit
from ..writing import indent_at, line_start, newline_of, without
from .place import Offer, Place

_WRITE = re.compile(r"Write `([^`…]+)`")
_TICKED = re.compile(r"`([^`]+)`")
_BOUND = re.compile(r"Write (-?[0-9._]+) or (?:more|less)\.")
_DEFAULT = re.compile(r"write `default\(…, (.+?)\)`")
_AMOUNT = re.compile(r"([0-9][0-9_]*(?:\.[0-9]+)?)([A-Za-z]+)")
_EXAMPLE = re.compile(r"For example: (.+)")
_UNITS = {
    "ms": ("ms", "msec", "msecs", "millisecond", "milliseconds"),
    "s": ("sec", "secs", "second", "seconds"),
    "m": ("min", "mins", "minute", "minutes"),
    "h": ("hr", "hrs", "hour", "hours"),
    "d": ("day", "days"),
}
_CLOSING = {"{": "}", "(": ")", "[": "]"}


def out_of_range(place: Place) -> Iterator[Offer]:
    """The nearest value that is taken, or a range the right way round."""
    bound = _BOUND.search(place.found.help)
    shown = _WRITE.search(place.found.help)
    if bound is not None:
        yield place.offer(f"Write `{bound[1]}`", Edit(place.start, place.end, bound[1]))
    elif shown is not None:
        yield from _shown(place, shown[1])


def _shown(place: Place, wanted: str) -> Iterator[Offer]:
    """What the help shows, in place of what it replaces: the whole clause where it names one."""
    start = place.start
    clause = place.inside(ast.Clause, ast.Check)
    keyword = wanted.split(maxsplit=1)[0]
    if clause is not None and place.text.startswith(keyword, clause.start) and " " in wanted:
        start = clause.start
    if wanted.startswith("(") and not place.text.startswith("(", start):
        wanted = wanted.strip("()")
    if wanted != place.text[start : place.end]:
        yield place.offer(f"Write `{wanted}`", Edit(start, place.end, wanted))


def as_a_share(place: Place) -> Iterator[Offer]:
    """70 where 0.7 was meant."""
    written = place.text[place.start : place.end].replace("_", "")
    try:
        value = Decimal(written)
    except ArithmeticError:
        return
    if 1 < value <= 100:
        share = format((value / 100).normalize(), "f")
        yield place.offer(f"Write `{share}`", Edit(place.start, place.end, share))


def may_be_null(place: Place) -> Iterator[Offer]:
    found = _DEFAULT.search(place.found.help)
    if found is not None:
        written = place.text[place.start : place.end]
        value = f"default({written}, {found[1]})"
        yield place.offer(f"Write `{value}`", Edit(place.start, place.end, value))


def no_template(place: Place) -> Iterator[Offer]:
    """Braces that mean themselves."""
    braces = place.text.rfind("{{", 0, place.start + 2)
    if braces >= 0:
        yield place.offer("Write `\\{{`", Edit(braces, braces, "\\"))


def single_braces(place: Place) -> Iterator[Offer]:
    """`{{ topic }}` where `{topic}` stands."""
    written, wanted = _TICKED.search(place.found.message), _TICKED.search(place.found.help)
    at = place.text.find(written[1], place.start, place.end) if written is not None else -1
    if written is not None and wanted is not None and at >= 0:
        yield place.offer(f"Write `{wanted[1]}`", Edit(at, at + len(written[1]), wanted[1]))


def wrong_escape(place: Place) -> Iterator[Offer]:
    """A backslash as such; in a text without other escapes, a raw text."""
    yield place.offer("Double the backslash", Edit(place.start, place.start, "\\"))
    quote = place.text.rfind('"', 0, place.start)
    end = place.text.find('"', place.end)
    inside = place.text[quote + 1 : end]
    if quote >= 0 and end > 0 and "\n" not in inside and not re.search(r'\\[\\"ntr{u]|\{\{', inside):
        yield place.offer('Write a raw text: r"…"', Edit(quote, quote, "r"))


def wrong_number(place: Place) -> Iterator[Offer]:
    """`30sec` where `30s` was meant."""
    found = _AMOUNT.fullmatch(place.text[place.start : place.end])
    for unit, words in _UNITS.items() if found is not None else ():
        if found is not None and found[2].lower() in words:
            meant = f"{found[1]}{unit}"
            yield place.offer(f"Write `{meant}`", Edit(place.start, place.end, meant))


def missing_value(place: Place) -> Iterator[Offer]:
    """The reason of a rule; the value of the example behind a word that needs one, or the word taken out."""
    if place.found.message.startswith("A `require`"):
        reason = ' else "Say what is wrong."'
        yield place.offer("Add the reason", Edit(place.end, place.end, reason))
        return
    example = _EXAMPLE.search(place.found.help)
    word = place.text[place.start : place.end]
    if not word.isidentifier():
        return
    if example is not None and example[1].startswith(f"{word} ") and "…" not in example[1]:
        value = example[1].removeprefix(word)
        yield place.offer(f"Write `{example[1]}`", Edit(place.end, place.end, value))
    yield place.offer(f"Remove `{word}`", without(place.text, place.start, place.end))


def missing_block(place: Place) -> Iterator[Offer]:
    """A block where there is none, or braces around all that follows the colon of a head. Where what follows another
    colon ends only the author knows."""
    end = len(place.text.rstrip())
    newline = newline_of(place.analysis.source.text)
    if place.end == end:
        yield place.offer("Add a block", Edit(end, end, f" {{{newline}}}"))
    elif place.text[place.start : place.end] == ":" and "{" not in place.text[: place.start]:
        brace = Edit(place.start, place.end, " {")
        yield place.offer("Write braces", brace, Edit(end, end, f"{newline}}}"))


def unclosed(place: Place) -> Iterator[Offer]:
    """The mark that is missing, where it was expected."""
    mark = place.text[place.start : place.end]
    labels = place.found.labels
    if mark in ('"""', 'r"""'):
        end = len(place.text)
        indent = indent_at(place.text, place.start)
        closing = f'{newline_of(place.text)}{indent}  """'
        yield place.offer('Add `"""`', Edit(end, end, closing))
    elif mark == '"' and labels:
        at = labels[0].start - place.item.offset
        yield place.offer('Add `"`', Edit(at, at, '"'))
    elif mark == "{{":
        yield place.offer("Write `\\{{`", Edit(place.start, place.start, "\\"))
    elif mark in _CLOSING and labels:
        at = labels[0].start - place.item.offset
        closing = _CLOSING[mark]
        own_line = mark == "{" and line_start(place.text, place.start) != line_start(place.text, at)
        before = f"{newline_of(place.text)}{indent_at(place.text, place.start)}" if own_line else ""
        yield place.offer(f"Add `{closing}`", Edit(at, at, f"{before or ' ' * (mark == '{')}{closing}"))
