"""What is wrong with a declaration's text before it is parsed: characters, numbers, open texts, lines not
indented."""

from __future__ import annotations

import re
import unicodedata
from bisect import bisect_left
from collections.abc import Iterable, Iterator, Sequence

from ..diagnostics import Diagnostic, Edit, Fix, Label
from ..syntax.lexer import Lexed, Token, is_past_the_largest
from ..syntax.texts import Problem, Scan, indent_of
from .mistake import fix
from .nesting import too_deep

_UNINDENTED = re.compile(r"(?<=[\r\n])(?=[^ \t\r\n])[^\r\n]*+")
_NUMBER = re.compile(r"\$?[0-9][0-9_]*+(?:\.[0-9]++)?(?:[eE][+-]?[0-9]++)?(?:ms|[smhd])?")
_LONGEST_SHOWN = 20
_LINE_BREAK = re.compile(r"[\r\n]")
_HEAD = re.compile(r"(?:#[^\r\n]*+|[\r\n]++|[ \t]++(?=[\r\n#]))*+")
_WRITE_INSTEAD = {
    "&&": "and",
    "||": "or",
    "!": "not",
    "“": '"',
    "”": '"',
    "„": '"',
    "«": '"',
    "»": '"',
    "‘": "'",
    "’": "'",
    "–": "-",
    "—": "-",
    "−": "-",
    "…": "...",
    "→": "->",
    "≤": "<=",
    "≥": ">=",
    "≠": "!=",
    "×": "*",
    "\u00a0": " ",
    "\u2028": " ",
    "\u2029": " ",
    "\u0085": " ",
    "\x0c": " ",
    "\x0b": " ",
}


def lexical_errors(text: str, lexed: Lexed) -> list[Diagnostic]:
    """Everything that no token could be made of. After a text without an end nothing else is certain."""
    for _, scan in lexed.scans:
        if scan.problem is not None:
            opened = text_error(scan, scan.problem)
            others = [token for token in lexed.others if _LINE_BREAK.search(text, token[0], scan.start)]
            return [*_character_errors(text, others), opened]
    return _character_errors(text, lexed.others)


def _character_errors(text: str, tokens: Sequence[Token]) -> list[Diagnostic]:
    """One message for a run of one character, and one for the fences around a program."""
    found: list[Diagnostic] = []
    for start, end, spelling in _runs(tokens):
        if spelling.startswith("```"):
            line_break = _LINE_BREAK.search(text, end)
            until = line_break.start() if line_break else len(text)
            message = "A file holds the program alone, without the fences of a Markdown page"
            fixes = fix("Remove the line", start, until, "")
            found.append(Diagnostic("syntax.character", "error", message, start, until, fixes=fixes))
        else:
            found.append(character_error((start, end, spelling)))
    return found


def _runs(tokens: Sequence[Token]) -> Iterator[Token]:
    """The tokens, those of one character that repeats without a gap as one; what has a meaning of its own stays."""
    run: Token | None = None
    for token in tokens:
        start, end, spelling = token
        if run is not None and run[1] == start and len(spelling) == 1 and spelling == run[2][0]:
            run = (run[0], end, run[2] + spelling)
            continue
        if run is not None:
            yield run
        run = token
    if run is not None:
        yield run


def character_error(token: Token) -> Diagnostic:
    """A stretch of text that no token starts with."""
    start, end, text = token
    if text[0] in "0123456789$":
        return _number_error(token)
    if text[0] in "'“" and len(text) > 1:
        message = "A text stands in straight double quotes"
        fixes = fix("Use double quotes", start, end, '"' + text[1:-1].replace('"', '\\"') + '"')
        return Diagnostic("syntax.character", "error", message, start, end, fixes=fixes)
    if text == ";":
        message = "Nothing ends with a `;` here; the end of the line is enough"
        return Diagnostic(
            "syntax.character", "error", message, start, end, fixes=fix("Remove the `;`", start, end, "")
        )
    instead = _WRITE_INSTEAD.get(text) or _WRITE_INSTEAD.get(text[0])
    name = f"`{text}`" if text.isprintable() and text.strip() and text != "`" else _character_name(text[0])
    if instead is not None:
        shown = f"`{instead}`" if instead.strip() else "a space"
        message = f"{name[0].upper()}{name[1:]} means nothing outside of a text; write {shown} instead"
        fixes = fix(f"Write {shown}", start, end, instead) if len(text) == 1 or text in _WRITE_INSTEAD else ()
        return Diagnostic("syntax.character", "error", message, start, end, fixes=fixes)
    advice = "Names are made of a–z, A–Z, 0–9 and _." if text[0].isalpha() else ""
    message = f"{name[0].upper()}{name[1:]} can stand in texts and comments only"
    return Diagnostic("syntax.character", "error", message, start, end, help=advice)


def _character_name(character: str) -> str:
    name = unicodedata.name(character, "").lower()
    return f"the character U+{ord(character):04X}" + (f" ({name})" if name else "")


def _number_error(token: Token) -> Diagnostic:
    start, end, text = token
    if _NUMBER.fullmatch(text) and is_past_the_largest(text):
        shown = text if len(text) <= _LONGEST_SHOWN else f"{text[:_LONGEST_SHOWN]}…"
        message = f"`{shown}` is past the largest number there is, about 1.8e308"
        return Diagnostic("syntax.number", "error", message, start, end)
    message = f"`{text}` is no number"
    advice = "Numbers are written 3, 0.25, 1e-3 or 200_000, money $0.50, durations 200ms, 30s, 5m, 2h or 1d."
    if re.fullmatch(r"\d+\.", text):
        return Diagnostic(
            "syntax.number", "error", message, start, end, help=f"Write `{text}0` or `{text[:-1]}`."
        )
    return Diagnostic("syntax.number", "error", message, start, end, help=advice)


def text_error(scan: Scan, problem: Problem) -> Diagnostic:
    """A text, a text block or a template without an end."""
    start = problem.start
    if problem.kind == "template":
        message = "This `{{` has no `}}` on its line" if not scan.block else "This `{{` has no `}}`"
        advice = "For braces as such, write \\{{."
        return Diagnostic(
            "syntax.unclosed", "error", message, start, start + 2, label="opened here", help=advice
        )
    if problem.kind == "nesting":
        return too_deep(start)
    if problem.kind == "block":
        mark = 'r"""' if scan.raw else '"""'
        message = 'This text block is never closed: no `"""` follows it in its declaration.'
        advice = 'The lines of a text block are indented, and so is the `"""` that ends it.'
        return Diagnostic(
            "syntax.unclosed", "error", message, start, start + len(mark), label="opened here", help=advice
        )
    message = 'This `"` has no partner on its line.'
    advice = 'A text of several lines stands between `"""` and `"""`.'
    labels = (Label(scan.end, scan.end, 'I expected a `"` by here'),)
    return Diagnostic("syntax.unclosed", "error", message, start, start + 1, labels=labels, help=advice)


def layout_errors(text: str, lexed: Lexed) -> list[Diagnostic]:
    """Lines that start at column 0 though they belong to a block or a text, or a declaration that does
    not."""
    head = _HEAD.match(text)
    start = head.end() if head else 0
    if text[start : start + 1] in (" ", "\t"):
        width = len(text[start:]) - len(text[start:].lstrip(" \t"))
        message = "A declaration starts at the beginning of its line"
        fixes = fix("Remove the white space before it", start, start + width, "")
        return [Diagnostic("syntax.indented", "error", message, start, start + width, fixes=fixes)]
    blocks = Blocks(scan for _, scan in lexed.scans if scan.block)
    lines = [match for match in _UNINDENTED.finditer(text, start + 1) if _is_stray(match, blocks)]
    if not lines:
        return []
    indents = {line.start(): _indent_for(text, blocks.around(line.start())) for line in lines}
    first = lines[0]
    inside = blocks.around(first.start()) is not None
    count = len(lines) - 1
    more = f"; so must {count} other line{'s' if count > 1 else ''}" if count else ""
    what = "The lines of a text block" if inside else "What belongs to a declaration"
    message = f"{what} must be indented: only declarations, comments and a closing `}}` start a line{more}"
    title = "Indent the line" if len(lines) == 1 else f"Indent the {len(lines)} lines"
    fixes = (Fix(title, tuple(Edit(at, at, indent) for at, indent in indents.items())),)
    span = first.start(), first.end()
    return [Diagnostic("syntax.unindented", "error", message, *span, label="indent this", fixes=fixes)]


class Blocks:
    """The text blocks of a declaration."""

    def __init__(self, scans: Iterable[Scan]) -> None:
        self._scans = list(scans)
        self._starts = [scan.start for scan in self._scans]

    def around(self, at: int) -> Scan | None:
        """The one that an offset is in."""
        index = bisect_left(self._starts, at) - 1
        return self._scans[index] if index >= 0 and at < self._scans[index].end else None


def _is_stray(match: re.Match[str], blocks: Blocks) -> bool:
    block = blocks.around(match.start())
    if block is None:
        return match.group()[0] not in "#}"
    return block.problem is None or block.problem.kind != "block"


def _indent_for(text: str, block: Scan | None) -> str:
    """The indent of a line that belongs to a text block, or to none."""
    return indent_of(text, block.start) + "  " if block is not None else "  "
