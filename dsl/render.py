"""A diagnostic as a person reads it in a terminal: the source, what is wrong where, and what to write
instead.

    error[flow.unbound]: `page` has a value on some paths only
       ╭─ support.judge:7:10
     4 │   if urgent(ticket) { page = "asked" }
       │                       ──── it gets one here
       ·
     7 │   return page
       │          ^^^^ not when the `if` is skipped
       │
       = Give it a value in an `else { … }` as well.

Source text and names come from files that nobody vouched for, so control and direction characters are shown,
never sent to the terminal."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Mapping

import msgspec

from .diagnostics import Diagnostic, Label
from .printable import clean, displayed, measure
from .source import Source

WIDEST = 120
"""Columns of a source line that are shown at most; of a longer one, the part around its label."""
WIDEST_HELP = 96
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
    diagnostic: Diagnostic,
    sources: Mapping[str, Source] | Callable[[str], Source | None],
    *,
    color: bool = False,
) -> str:
    """The whole message, without a final line end. `sources` gives the text of the files that labels point
    into; a place in any other file is named without its text."""
    find = sources if callable(sources) else sources.get
    frames = _frames(diagnostic)
    shown = {path: find(path) for path, _ in frames}
    printer = _Printer(_number_width(frames, shown), diagnostic.severity, color)
    paint = printer.paint
    head = paint(diagnostic.severity, f"{diagnostic.severity}[{diagnostic.code}]")
    lines = [f"{head}{paint('strong', ': ' + clean(diagnostic.message))}"]
    for index, (path, labels) in enumerate(frames):
        source = shown[path]
        if source is None:
            lines.append(printer.corner(index == 0, clean(path)))
        else:
            lines += printer.frame(source, labels, index == 0)
    return "\n".join([*lines, *printer.help(diagnostic.help)])


class _Printer:
    """Prints the frames of one diagnostic. `width` is that of its line numbers."""

    def __init__(self, width: int, severity: str, color: bool) -> None:
        self.width = width
        self.severity = severity
        self.color = color

    def paint(self, style: str, text: str) -> str:
        return f"{_STYLES[style]}{text}{_RESET}" if self.color else text

    def corner(self, first: bool, place: str) -> str:
        return f"{' ' * (self.width + 2)}{self.paint('frame', '╭─' if first else '├─')} {place}"

    def help(self, text: str) -> list[str]:
        if not text:
            return []
        blank = " " * (self.width + 2)
        first, *rest = _wrapped(clean(text))
        return [
            f"{blank}{self.paint('frame', '│')}",
            f"{blank}{self.paint('frame', '=')} {first}",
            *(f"{blank}  {line}".rstrip() for line in rest),
        ]

    def frame(self, source: Source, labels: list[Label], first: bool) -> list[str]:
        """The lines of one file with its labels below them."""
        line, column = source.position(labels[0].start)
        lines = [self.corner(first, f"{clean(source.path)}:{line}:{column}")]
        bar = _bar(source, labels[0]) if first else None
        marks = _marks(source, labels, first, bar)
        previous = None
        for number in sorted({*marks, *(bar or ())}):
            if previous is not None and number == previous + 2:
                lines += self.source_line(source, number - 1, [], bar)
            elif previous is not None and number > previous + 2:
                inside = bar is not None and bar[0] <= previous and number <= bar[-1]
                side = f" {self.paint(self.severity, '│')}" if inside else ""
                lines.append(f"{' ' * (self.width + 2)}{self.paint('frame', '·')}{side}")
            lines += self.source_line(source, number, marks.get(number, []), bar)
            previous = number
        return lines

    def source_line(self, source: Source, number: int, marks: list[Mark], bar: list[int] | None) -> list[str]:
        """A numbered line of source and the lines below it that mark it."""
        text, marks = _window(
            source.line_text(number), sorted(marks, key=lambda mark: (mark.start, mark.end))
        )
        side, below = self._sides(number, bar)
        stroke = self.paint("frame", "│")
        drawn = f" {number:>{self.width}} {stroke} {side}{displayed(text)}".rstrip()
        gutter = f" {' ' * self.width} {stroke} {below}"
        return [drawn, *(f"{gutter}{line}".rstrip() for line in self._below(text, marks))]

    def _sides(self, number: int, bar: list[int] | None) -> tuple[str, str]:
        """What stands between the frame and the text, beside a line and below it."""
        if not bar:
            return "", ""
        if not bar[0] <= number <= bar[-1]:
            return "  ", "  "
        shape = "╭" if number == bar[0] else "╰" if number == bar[-1] else "│"
        below = f"{self.paint(self.severity, '│')} " if number < bar[-1] else "  "
        return f"{self.paint(self.severity, shape)} ", below

    def _below(self, text: str, marks: list[Mark]) -> Iterable[str]:
        """The underlines of a line, the last one's words beside it and the others' below, joined to them."""
        if not marks:
            return
        placed = [(*_columns(text, mark), mark) for mark in marks]
        row: list[tuple[str, str]] = []
        for start, end, mark in sorted(placed, key=lambda place: place[2].primary):
            row += [(" ", "")] * (end - len(row))
            row[start:end] = [("^" if mark.primary else "─", self._style(mark))] * (end - start)
        last = marks[-1]
        words = f" {self.paint(self._style(last), clean(last.text))}" if last.text else ""
        yield self._painted(row) + words
        waiting = [place for place in placed if place[2] is not last and place[2].text]
        while waiting:
            column, _, mark = waiting.pop()
            strokes = [(" ", "")] * column
            for start, _, other in waiting:
                if start < column:
                    strokes[start] = ("│", self._style(other))
            yield self._painted(strokes) + self.paint(self._style(mark), clean(mark.text))

    def _style(self, mark: Mark) -> str:
        return self.severity if mark.primary else "second"

    def _painted(self, row: list[tuple[str, str]]) -> str:
        """A row of characters, neighbours of one style painted together."""
        parts: list[str] = []
        start = 0
        for index in range(1, len(row) + 1):
            if index == len(row) or row[index][1] != row[start][1]:
                text = "".join(character for character, _ in row[start:index])
                parts.append(self.paint(row[start][1], text) if row[start][1] else text)
                start = index
        return "".join(parts)


def _number_width(frames: list[tuple[str, list[Label]]], shown: Mapping[str, Source | None]) -> int:
    numbers = [1]
    for path, labels in frames:
        source = shown[path]
        if source is not None:
            numbers += [source.position(label.start)[0] for label in labels]
            numbers.append(source.position(max(labels[0].start, labels[0].end - 1))[0])
    return max(len(str(number)) for number in numbers)


def _wrapped(text: str) -> list[str]:
    """The lines of a help text, long ones broken; what is indented is code and stays as it is."""
    lines: list[str] = []
    for line in text.split("\n"):
        rest = line
        while len(rest) > WIDEST_HELP and not rest.startswith(" "):
            cut = rest.rfind(" ", 0, WIDEST_HELP)
            if cut <= 0:
                break
            lines.append(rest[:cut])
            rest = rest[cut + 1 :]
        lines.append(rest)
    return lines


def _frames(diagnostic: Diagnostic) -> list[tuple[str, list[Label]]]:
    """The labels of each file, the file of the diagnostic first and its own place first in it."""
    own = Label(diagnostic.start, diagnostic.end, diagnostic.label)
    frames: dict[str, list[Label]] = {diagnostic.path: [own]}
    for label in diagnostic.labels:
        frames.setdefault(diagnostic.path if label.path is None else label.path, []).append(label)
    return list(frames.items())


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


def _columns(text: str, mark: Mark) -> tuple[int, int]:
    start = measure(text[: mark.start])
    return start, max(start + 1, measure(text[: mark.end]))


__all__ = ["clean", "render"]
