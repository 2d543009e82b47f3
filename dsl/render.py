"""A diagnostic as a person reads it in a terminal: the source, what is wrong where, and what to write instead.

    error[flow.unbound]: `page` has a value on some paths only
       ╭─ support.judge:7:10
     4 │   if urgent(ticket) { page = "asked" }
       │                       ──── it gets one here
       ·
     7 │   return page
       │          ^^^^ not when the `if` is skipped
       │
       = Give it a value in an `else { … }` as well.

Source text and names come from files that nobody vouched for, so control and direction characters are shown, never
sent to the terminal.
"""

from __future__ import annotations

import unicodedata
from collections.abc import Callable, Iterable, Mapping

import msgspec

from .diagnostics import Diagnostic, Label
from .source import Source

TAB = 4
WIDEST = 120
"""Columns of a source line that are shown at most; of a longer one, the part around its label."""
_BEFORE = 40
_LONGEST_BAR = 8

_RESET = "\x1b[0m"
_STYLES = {
    "error": "\x1b[1;31m",
    "warning": "\x1b[1;33m",
    "hint": "\x1b[1;36m",
    "strong": "\x1b[1m",
    "frame": "\x1b[34m",
    "second": "\x1b[36m",
}


class Mark(msgspec.Struct, frozen=True):
    """A stretch of one line, in offsets into that line, with what is said about it."""

    start: int
    end: int
    text: str
    primary: bool


def render(
    diagnostic: Diagnostic, sources: Mapping[str, Source] | Callable[[str], Source | None], *, color: bool = False
) -> str:
    """The whole message, without a final line end. `sources` gives the text of the files that labels point into; a
    place in any other file is named without its text."""
    find = sources if callable(sources) else sources.get
    paint = _painter(color)
    head = paint(diagnostic.severity, f"{diagnostic.severity}[{diagnostic.code}]")
    lines = [f"{head}{paint('strong', ': ' + clean(diagnostic.message))}"]
    frames = _frames(diagnostic)
    shown = {path: find(path) for path, _ in frames}
    numbers = [
        source.position(mark.end)[0] for path, marks in frames if (source := shown[path]) for mark in marks
    ]
    width = max((len(str(number)) for number in numbers), default=1)
    for index, (path, marks) in enumerate(frames):
        lines += _frame(path, shown[path], marks, width, index == 0, diagnostic.severity, paint)
    if diagnostic.help:
        blank = " " * (width + 1)
        lines.append(f" {blank}{paint('frame', '│')}")
        first, *rest = clean(diagnostic.help).split("\n")
        lines.append(f" {blank}{paint('frame', '=')} {first}")
        lines += [f" {blank}  {line}".rstrip() for line in rest]
    return "\n".join(lines)


Paint = Callable[[str, str], str]


def _painter(color: bool) -> Paint:
    if not color:
        return lambda style, text: text
    return lambda style, text: f"{_STYLES[style]}{text}{_RESET}"


def _frames(diagnostic: Diagnostic) -> list[tuple[str, list[Label]]]:
    """The labels of each file, the file of the diagnostic first and its own place first in it."""
    own = Label(diagnostic.start, diagnostic.end, diagnostic.label)
    frames: dict[str, list[Label]] = {diagnostic.path: [own]}
    for label in diagnostic.labels:
        frames.setdefault(diagnostic.path if label.path is None else label.path, []).append(label)
    return list(frames.items())


def _frame(
    path: str, source: Source | None, labels: list[Label], width: int, first: bool, severity: str, paint: Paint
) -> list[str]:
    """The lines of one file with its labels below them."""
    blank = " " * (width + 2)
    corner = "╭─" if first else "├─"
    if source is None:
        return [f"{blank}{paint('frame', corner)} {clean(path)}"]
    line, column = source.position(labels[0].start)
    lines = [f"{blank}{paint('frame', corner)} {clean(path)}:{line}:{column}"]
    bar = _bar(source, labels[0]) if first else None
    marks = _marks(source, labels, first, bar)
    numbers = sorted({*marks, *(bar or ())})
    previous = None
    for number in numbers:
        if previous is not None and number == previous + 2:
            lines.append(_source_line(source, number - 1, [], width, bar, severity, paint)[0])
        elif previous is not None and number > previous + 2:
            side = f" {paint(severity, '│')}" if bar and bar[0] <= previous and number <= bar[-1] else ""
            lines.append(f"{blank}{paint('frame', '·')}{side}")
        lines += _source_line(source, number, marks.get(number, []), width, bar, severity, paint)
        previous = number
    return lines


def _bar(source: Source, label: Label) -> list[int] | None:
    """The lines that a span over several lines shows, the first and the last at least; None for one line."""
    first, last = source.position(label.start)[0], source.position(max(label.start, label.end - 1))[0]
    if first == last:
        return None
    if last - first < _LONGEST_BAR:
        return list(range(first, last + 1))
    return [first, first + 1, last - 1, last]


def _marks(source: Source, labels: list[Label], first: bool, bar: list[int] | None) -> dict[int, list[Mark]]:
    marks: dict[int, list[Mark]] = {}
    for index, label in enumerate(labels):
        primary = first and index == 0
        if primary and bar:
            last = source.line_text(bar[-1])
            end = source.position(max(label.start, label.end - 1))[1]
            begin = min(len(last) - len(last.lstrip()), end - 1)
            marks.setdefault(bar[-1], []).append(Mark(begin, end, label.text, True))
            continue
        line, column = source.position(label.start)
        length = max(0, min(label.end - label.start, len(source.line_text(line)) - column + 1))
        marks.setdefault(line, []).append(Mark(column - 1, column - 1 + length, label.text, primary))
    return marks


def _source_line(
    source: Source, number: int, marks: list[Mark], width: int, bar: list[int] | None, severity: str, paint: Paint
) -> list[str]:
    """A numbered line of source and the lines below it that mark it."""
    text = source.line_text(number)
    marks = sorted(marks, key=lambda mark: (mark.start, mark.end))
    text, marks = _window(text, marks)
    side = below = ""
    if bar:
        inside = bar[0] <= number <= bar[-1]
        shape = "╭" if number == bar[0] else "╰" if number == bar[-1] else "│"
        side = f"{paint(severity, shape)} " if inside else "  "
        below = f"{paint(severity, '│')} " if bar[0] <= number < bar[-1] else "  "
    drawn = f" {number:>{width}} {paint('frame', '│')} {side}{displayed(text)}".rstrip()
    gutter = f" {' ' * width} {paint('frame', '│')} {below}"
    return [drawn, *(f"{gutter}{line}".rstrip() for line in _below(text, marks, severity, paint))]


def _window(text: str, marks: list[Mark]) -> tuple[str, list[Mark]]:
    """The part of a long line that its marks stand in."""
    if len(text) <= WIDEST:
        return text, marks
    focus = next((mark.start for mark in marks if mark.primary), marks[0].start if marks else 0)
    start = max(0, min(focus - _BEFORE, len(text) - WIDEST))
    end = min(len(text), start + WIDEST)
    head, tail = "…" if start else "", "…" if end < len(text) else ""
    moved = [
        Mark(
            min(max(mark.start, start), end) - start + len(head),
            min(max(mark.end, start), end) - start + len(head),
            mark.text,
            mark.primary,
        )
        for mark in marks
    ]
    return f"{head}{text[start:end]}{tail}", moved


def _below(text: str, marks: list[Mark], severity: str, paint: Paint) -> Iterable[str]:
    """The underlines of one line, the last one's words beside it and the others' below, joined by strokes."""
    if not marks:
        return
    places = [_columns(text, mark) for mark in marks]
    row: list[tuple[str, str]] = []
    for (start, end), mark in sorted(zip(places, marks, strict=True), key=lambda pair: pair[1].primary):
        row += [(" ", "")] * (end - len(row))
        row[start:end] = [("^", severity) if mark.primary else ("─", "second")] * (end - start)
    last = marks[-1]
    words = f" {paint(_style(last, severity), clean(last.text))}" if last.text else ""
    yield _painted(row, paint) + words
    waiting = [pair for pair in zip(places, marks, strict=True) if pair[1] is not last and pair[1].text]
    while waiting:
        (column, _), mark = waiting.pop()
        strokes = [(" ", "")] * column
        for (start, _), other in waiting:
            if start < column:
                strokes[start] = ("│", _style(other, severity))
        yield _painted(strokes, paint) + paint(_style(mark, severity), clean(mark.text))


def _columns(text: str, mark: Mark) -> tuple[int, int]:
    start = measure(text[: mark.start])
    return start, max(start + 1, measure(text[: mark.end]))


def _style(mark: Mark, severity: str) -> str:
    return severity if mark.primary else "second"


def _painted(row: list[tuple[str, str]], paint: Paint) -> str:
    """A row of characters, neighbours of one style painted together."""
    parts: list[str] = []
    start = 0
    for index in range(1, len(row) + 1):
        if index == len(row) or row[index][1] != row[start][1]:
            text = "".join(character for character, _ in row[start:index])
            parts.append(paint(row[start][1], text) if row[start][1] else text)
            start = index
    return "".join(parts)


# --- characters ------------------------------------------------------------------------------------------------


def clean(text: str) -> str:
    """A text that is safe to print: what would move the cursor or turn the direction of writing is spelled out."""
    if text.isprintable():
        return text
    return "".join(character if character == "\n" else _spelled(character) for character in text)


def displayed(text: str) -> str:
    """A line of source as it is printed: `clean`, with tabs turned into spaces."""
    if text.isprintable():
        return text
    parts: list[str] = []
    column = 0
    for character in text:
        shown = " " * (TAB - column % TAB) if character == "\t" else _spelled(character)
        parts.append(shown)
        column += _width(shown)
    return "".join(parts)


def measure(text: str) -> int:
    """How many columns of a terminal `displayed(text)` takes."""
    return len(text) if text.isascii() and text.isprintable() else _width(displayed(text))


def _spelled(character: str) -> str:
    code = ord(character)
    if code < 0x20:
        return chr(0x2400 + code)
    if code == 0x7F:
        return "␡"
    if character.isprintable() or unicodedata.category(character) in ("Zs", "Co"):
        return character
    if character == "\u200d":
        return character
    return f"<U+{code:04X}>"


def _width(text: str) -> int:
    """Columns of a printed text: East Asian wide characters take two, marks that combine take none."""
    if text.isascii():
        return len(text)
    columns = 0
    for character in text:
        if unicodedata.east_asian_width(character) in "WF":
            columns += 2
        elif unicodedata.category(character) not in ("Mn", "Me", "Cf"):
            columns += 1
    return columns
