"""What in a reply are the judge's own words, and what is only quoted, shown or withdrawn.

Not the judge's words: fences, `>` lines, JSON, double quotes within a line, inline code inside a sentence, struck-out
text. Quotes and code are masked only where a label stands in them: `VERDICT: "PASS"` is a way to write a verdict.
"""

from __future__ import annotations

import re
from bisect import bisect_left
from collections.abc import Iterable, Iterator

from .brackets import Pair, bracket_pairs, strings_in
from .fences import Fence, Span, code_spans, outside, quoted_lines
from .strict_json import NotJson, parse
from .text import BLANKS, EMPHASIS, LABEL_COLONS, LINE_BLANKS, VERDICT_WORDS, is_word

MASK = "\ufffc"
"""Stands for what was masked. It is no blank and no word, so nothing is read across it."""

_LOOSE = rf"[{LINE_BLANKS}{EMPHASIS}]*+"
_ANY_LABEL = r"(?:verdict|score|winner)"
_LABEL = re.compile(rf"{_ANY_LABEL}{_LOOSE}[={LABEL_COLONS}]", re.IGNORECASE | re.ASCII)
_ONLY_LABEL = re.compile(rf"{_LOOSE}{_ANY_LABEL}{_LOOSE}[={LABEL_COLONS}]?{_LOOSE}", re.IGNORECASE | re.ASCII)
_VALUE_FOLLOWS = re.compile(
    rf"""[{EMPHASIS}{BLANKS}={LABEL_COLONS}]*+["'(\[\u201c\u2018]?[{EMPHASIS}]*+"""
    rf"(?:\#?[0-9.]|(?:{'|'.join(VERDICT_WORDS)})\b)",
    re.IGNORECASE | re.ASCII,
)
_OBJECT_START = re.compile(r'\{[ \t\n]*"')
_TILDES = re.compile(r"~+")
_LIST_MARK = re.compile(rf"[{LINE_BLANKS}{EMPHASIS}#+>\u2022-]*+(?:[0-9]{{1,9}}[.)])?")
_PARAGRAPH_END = re.compile(rf"\n[{LINE_BLANKS}]*+\n")
_STRAIGHT = re.compile(r'"[^"]*+"')
_STRAIGHT_ESCAPED = re.compile(r'\\.|"(?:[^"\\]++|\\.)*+"')
_TYPOGRAPHIC = (
    ("\u201c", re.compile("[\u201c\u201d]")),
    ("\u201e", re.compile("[\u201e\u201c\u201d]")),
    ("\u00ab", re.compile("[\u00ab\u00bb]")),
    ("\u00bb", re.compile("[\u00ab\u00bb]")),
)


def has_label(text: str) -> bool:
    """Whether any marker's label stands anywhere in the text, quoted or not."""
    return _LABEL.search(text) is not None


def own_words(text: str, fences: Iterable[Fence]) -> str:
    """The text with everything masked that is not the judge's own. `fences` are those of the text."""
    spans = [(fence.start, fence.end) for fence in fences]
    spans += quoted_lines(text)
    spans += _json_spans(text)
    strikes: list[Span] = []
    start = 0
    for line in text.split("\n"):
        labels = [match.span() for match in _LABEL.finditer(line)]
        if labels or "~" in line:
            code = code_spans(line)
            tildes = list(outside(_TILDES.finditer(line), code))
            strikes += ((start + a, start + b) for a, b in tildes if b - a == 2)
            found = [*_struck_once(line, [mark for mark in tildes if mark[1] - mark[0] == 1])]
            found += _quoted(line, labels, code)
            spans += ((start + a, start + b) for a, b in found)
        start += len(line) + 1
    spans += _struck_twice(text, strikes)
    return _masked(text, spans)


def _quoted(line: str, labels: list[Span], code: list[Span]) -> Iterator[Span]:
    """The quotations, and the code within a sentence, that a label stands in."""
    yield from (span for span in _quotations(line) if _holds(span, labels))
    if labels and code and _is_sentence(line, code):
        yield from (span for span in code if _is_quoted_code(line, span))


def _masked(text: str, spans: list[Span]) -> str:
    pieces: list[str] = []
    position = 0
    for start, end in sorted(spans):
        if end <= position:
            continue
        if start >= position:
            pieces += (text[position:start], MASK)
        position = end
    pieces.append(text[position:])
    return "".join(pieces)


def _holds(span: Span, labels: list[Span]) -> bool:
    index = bisect_left(labels, (span[0], 0))
    return index < len(labels) and labels[index][1] <= span[1]


def _json_spans(text: str) -> Iterator[Span]:
    """JSON values, and the strings of an object that is none: a cut or badly escaped reply quotes too."""
    for pair in bracket_pairs(text):
        if _LABEL.search(text, pair.start, pair.end) is None:
            continue
        if pair.closed and _is_json(text[pair.start : pair.end]):
            yield pair.start, pair.end
        elif _OBJECT_START.match(text, pair.start) is not None:
            yield from _labelled_strings(text, pair)


def _labelled_strings(text: str, pair: Pair) -> Iterator[Span]:
    """The strings of a pair that hold a label. One that is never closed goes to the end of its line."""
    for start, end in strings_in(text, pair):
        if _LABEL.search(text, start, end) is None:
            continue
        cut = end - start == 1 or text[end - 1] != '"'
        stop = text.find("\n", start) if cut else end
        yield start, stop if stop >= 0 else end


def _is_json(text: str) -> bool:
    try:
        parse(text)
    except NotJson:
        return False
    return True


def _struck_twice(text: str, marks: list[Span]) -> Iterator[Span]:
    """`~~…~~`, within one paragraph."""
    opened: Span | None = None
    for mark in marks:
        if opened is None or _PARAGRAPH_END.search(text, opened[1], mark[0]) is not None:
            opened = mark
        else:
            yield opened[0], mark[1]
            opened = None


def _struck_once(line: str, marks: list[Span]) -> Iterator[Span]:
    """`~…~`, where the marks touch what they strike: `~5 s (~6 s)` strikes nothing."""
    opened: Span | None = None
    for mark in marks:
        before, after = line[mark[0] - 1 : mark[0]], line[mark[1] : mark[1] + 1]
        closes = before not in ("", "(") and before not in BLANKS and not is_word(after or " ")
        if opened is not None and closes:
            yield opened[0], mark[1]
            opened = None
        elif after and after not in BLANKS:
            opened = mark


def _quotations(line: str) -> Iterator[Span]:
    """What may stand in double quotes. Straight ones are paired in each way that works out, for a lone mark
    (`a 5" pipe`) or an escaped one turns the pairs behind it inside out."""
    if '"' in line:
        plain = line.count('"')
        if plain % 2 == 0:
            yield from (match.span() for match in _STRAIGHT.finditer(line))
        if (plain - line.count('\\"')) % 2 == 0:
            yield from (match.span() for match in _STRAIGHT_ESCAPED.finditer(line) if match[0][0] == '"')
        yield from _touching_quotes(line)
    for opener, marks in _TYPOGRAPHIC:
        opened: list[int] = []
        for mark in marks.finditer(line):
            if mark[0] == opener:
                opened.append(mark.start())
            elif opened:
                yield opened.pop(), mark.end()


def _touching_quotes(line: str) -> Iterator[Span]:
    """Pairs whose marks touch what they quote."""
    opened: int | None = None
    position = line.find('"')
    while position >= 0:
        before, after = line[position - 1 : position], line[position + 1 : position + 2]
        if opened is not None and before not in BLANKS:
            yield opened, position + 1
            opened = None
        elif after and after not in BLANKS:
            opened = position
        position = line.find('"', position + 1)


def _is_sentence(line: str, code: list[Span]) -> bool:
    """Whether words stand beside the code; a bullet, a number or emphasis before it are none."""
    mark = _LIST_MARK.match(line)
    position = min(mark.end(), code[0][0]) if mark else 0
    for start, end in code:
        if any(map(is_word, line[position:start])):
            return True
        position = end
    return any(map(is_word, line[position:]))


def _is_quoted_code(line: str, span: Span) -> bool:
    """Code that shows a marker. A label alone is no quotation where its value follows: `` `VERDICT:` PASS ``."""
    inner = line[span[0] : span[1]].strip("`")
    if _ONLY_LABEL.fullmatch(inner) is not None:
        return _VALUE_FOLLOWS.match(line, span[1]) is None
    return _LABEL.search(inner) is not None
