r"""Texts: where one ends, what its escapes mean, how a block is dedented, and where its `{{ … }}` are.

Scanning (`scan_line`, `scan_block`, `scan_raw_block`) finds the end of a text that holds escapes or
templates. Reading (`read_text`) turns what was scanned into an `ast.Text`. Both are linear in the length of
the text.
"""

from __future__ import annotations

import re
from collections.abc import Callable

import msgspec

from .. import ast
from ..diagnostics import Diagnostic

BLOCK = '"""'
MAX_NESTING = 20
"""How deep texts inside templates inside texts may nest."""

_FLAT = r"""\{\{[^{}"'\r\n]*+\}\}"""
"""A template with nothing in it that has to be stepped over."""
_LINE_STOP = re.compile(rf'["\\\r\n]|{_FLAT}|\{{\{{')
_BLOCK_STOP = re.compile(rf'"""|\\|{_FLAT}|\{{\{{')
_TEMPLATE_STOP = re.compile(r"""[{}"\r\n]|(?<![A-Za-z0-9_])r'""")
_PLAIN_END = re.compile(r'(?:[^"\\\r\n]++|\\[^\r\n])*+')
_ESCAPE = re.compile(r"\\(?:\{\{|u\{([^{}\r\n]*)\}|(.?))", re.DOTALL)
_LINE_BREAK = re.compile(r"\r\n|\n|\r")
_SIMPLE_ESCAPES = {'"': '"', "\\": "\\", "n": "\n", "t": "\t", "r": "\r", "{": "{"}


class Problem(msgspec.Struct, frozen=True):
    """What kept a text from ending well; `kind` says which of its marks at `start` has no partner."""

    kind: str  # "text", "block", "template" or "nesting"
    start: int


class Scan(msgspec.Struct, frozen=True):
    """A text's place: `start .. end` with its quotes, `inner .. inner_end` without, and what stands in its
    templates."""

    start: int
    inner: int
    inner_end: int
    end: int
    templates: tuple[tuple[int, int], ...] = ()
    raw: bool = False
    block: bool = False
    problem: Problem | None = None


def scan_line(text: str, start: int, depth: int = 0) -> Scan:
    """The text whose opening quote stands at `start`; it ends on its line, whatever happens."""
    position = start + 1
    templates: list[tuple[int, int]] = []
    while True:
        match = _LINE_STOP.search(text, position)
        mark = match.group() if match else "\n"
        at = match.start() if match else len(text)
        if mark == '"':
            return Scan(start, start + 1, at, at + 1, tuple(templates))
        if mark == "\\" and text[at + 1 : at + 2] not in ("", "\r", "\n"):
            position = at + (3 if text.startswith("{{", at + 1) else 2)
            continue
        if mark.startswith("{{"):
            flat = len(mark) > 2 and depth <= MAX_NESTING
            end = at + len(mark) if flat else skip_template(text, at, depth)
            if isinstance(end, Problem):
                return _cut(text, start, at, templates, end)
            templates.append((at + 2, end - 2))
            position = end
            continue
        at = at + 1 if mark == "\\" else at
        return Scan(start, start + 1, at, at, tuple(templates), problem=Problem("text", start))


def _cut(text: str, start: int, opening: int, templates: list[tuple[int, int]], problem: Problem) -> Scan:
    """A line text with an open template ends at its next quote, or with its line."""
    match = _PLAIN_END.match(text, opening)
    at = match.end() if match else len(text)
    end = at + 1 if text.startswith('"', at) else at
    return Scan(start, start + 1, at, end, tuple(templates), problem=problem)


def scan_block(text: str, start: int) -> Scan:
    """The text block whose opening three quotes stand at `start`."""
    position = start + 3
    closing = text.find(BLOCK, position)
    if closing >= 0 and text.find("\\", position, closing) < 0 and text.find("{{", position, closing) < 0:
        return Scan(start, position, closing, closing + 3, block=True)
    templates: list[tuple[int, int]] = []
    problem: Problem | None = None
    while True:
        match = _BLOCK_STOP.search(text, position)
        if match is None:
            return _cut_block(text, start, start + 3, raw=False)
        at, mark = match.start(), match.group()
        if mark == BLOCK:
            return Scan(start, start + 3, at, at + 3, tuple(templates), block=True, problem=problem)
        if mark == "\\":
            position = at + (3 if text.startswith("{{", at + 1) else 2)
            continue
        end = at + len(mark) if len(mark) > 2 else skip_template(text, at, 0, block=True)
        if isinstance(end, Problem):
            problem = problem or end
            closing = text.find(BLOCK, at)
            position = closing if closing >= 0 else len(text)
        else:
            templates.append((at + 2, end - 2))
            position = end


def _cut_block(text: str, start: int, inner: int, raw: bool) -> Scan:
    """A block that is never closed ends before the first line that is indented no deeper than the one that
    opens it."""
    indent = len(indent_of(text, start))
    match = re.compile(rf"[\r\n]+[ \t]{{0,{indent}}}(?![ \t\r\n])(?!\Z)").search(text, inner)
    end = match.start() if match else len(text)
    return Scan(start, inner, end, end, raw=raw, block=True, problem=Problem("block", start))


def indent_of(text: str, at: int, after: int = 0) -> str:
    """The white space that the line begins with that `at` is in, or what of the line stands behind `after`."""
    line = text.rfind("\n", after, at) + 1 or after
    line = text.rfind("\r", line, at) + 1 or line
    return text[line : at - len(text[line:at].lstrip(" \t"))]


def scan_raw_block(text: str, start: int) -> Scan:
    """The raw text block whose `r` stands at `start`."""
    end = text.find(BLOCK, start + 4)
    if end < 0:
        return _cut_block(text, start, start + 4, raw=True)
    return Scan(start, start + 4, end, end + 3, raw=True, block=True)


def skip_template(text: str, start: int, depth: int, block: bool = False) -> int | Problem:
    """The offset behind the `}}` that closes the `{{` at `start`. Objects and texts inside it are stepped
    over."""
    if depth > MAX_NESTING:
        return Problem("nesting", start)
    unclosed = Problem("template", start)
    position, braces = start + 2, 0
    while match := _TEMPLATE_STOP.search(text, position):
        at, mark = match.start(), match.group()
        position = match.end()
        if mark == "{":
            braces += 1
        elif mark == "}":
            if braces:
                braces -= 1
            elif text.startswith("}", position):
                return position + 1
        elif mark == '"':
            end = _skip_text(text, at, depth, block)
            if isinstance(end, Problem):
                return unclosed if end.kind == "text" else end
            position = end
        elif mark == "r'":
            closing = text.find("'", position)
            if closing < 0 or _LINE_BREAK.search(text, position, closing):
                return unclosed
            position = closing + 1
        elif not block:
            return unclosed
    return unclosed


def _skip_text(text: str, start: int, depth: int, block: bool) -> int | Problem:
    if block and text.startswith(BLOCK, start):
        return Problem("text", start)
    if text[start - 1] == "r" and not text[start - 2].isidentifier():
        match = re.compile(r'"[^"\r\n]*+"').match(text, start)
        return match.end() if match else Problem("text", start)
    scan = scan_line(text, start, depth + 1)
    return scan.problem or scan.end


# --- reading ------------------------------------------------------------------------------------------------

ParseExpression = Callable[[int, int], "ast.Expr | None"]


def read_text(
    text: str, scan: Scan, parse_expression: ParseExpression, report: Callable[[Diagnostic], None]
) -> ast.Text:
    """The text's value. `parse_expression` gets the bounds of what stands in a template; what cannot be read
    there is reported by it and left out."""
    parts: list[str | ast.Expr] = []
    indent = indent_of(text, scan.inner_end, scan.inner) if scan.block else ""
    position = scan.inner
    for start, end in scan.templates:
        literal = _literal(text, scan, position, start - 2, indent, report)
        if literal:
            parts.append(literal)
        expression = parse_expression(start, end)
        if expression is not None:
            parts.append(expression)
        position = end + 2
    literal = _literal(text, scan, position, scan.inner_end, indent, report)
    if literal:
        parts.append(literal)
    return ast.Text(scan.start, scan.end, tuple(parts), scan.raw, scan.block)


def _literal(
    text: str, scan: Scan, start: int, end: int, indent: str, report: Callable[[Diagnostic], None]
) -> str:
    literal = text[start:end]
    if scan.block:
        literal = _dedent(literal, indent, opens=start == scan.inner, closes=end == scan.inner_end)
    if scan.raw or "\\" not in literal:
        return literal
    for match in _ESCAPE.finditer(text, start, end):
        problem = _escape_problem(match)
        if problem is not None:
            report(problem)
    return _ESCAPE.sub(_unescape, literal)


def _dedent(literal: str, indent: str, opens: bool, closes: bool) -> str:
    """Line ends become `\\n`, every line loses what it shares with the closing line's indent, and a line of
    nothing but white space becomes empty. The line that the block's opening quotes end is dropped."""
    first, *rest = literal.split("\n") if "\r" not in literal else _LINE_BREAK.split(literal)
    if not rest:
        return "" if opens and closes and not first.strip(" \t") else first
    size = len(indent)
    lines = [line[size:] if line.startswith(indent) else _dedent_line(line, indent) for line in rest]
    lines[:-1] = [line if line.strip(" \t") else "" for line in lines[:-1]]
    if opens and not first.strip(" \t"):
        return "\n".join(lines)
    return "\n".join([first, *lines])


def _dedent_line(line: str, indent: str) -> str:
    """A line that does not begin with the whole indent."""
    shared = 0
    while shared < len(line) and line[shared] == indent[shared]:
        shared += 1
    return line[shared:]


def _unescape(match: re.Match[str]) -> str:
    digits, single = match.groups()
    if digits is not None:
        number = _code_point(digits)
        return chr(number) if number is not None else match.group()
    if single is None:
        return "{{"
    return _SIMPLE_ESCAPES.get(single, match.group())


def _code_point(digits: str) -> int | None:
    if not re.fullmatch(r"[0-9a-fA-F]{1,6}", digits):
        return None
    number = int(digits, 16)
    return number if number <= 0x10FFFF and not 0xD800 <= number <= 0xDFFF else None


def _escape_problem(match: re.Match[str]) -> Diagnostic | None:
    digits, single = match.groups()
    if digits is not None and _code_point(digits) is None:
        message = f"`{match.group()}` names no character"
        advice = "Between the braces stand one to six hexadecimal digits, up to 10FFFF: `\\u{1F600}`."
        return _escape(match, message, advice)
    if not single or single in _SIMPLE_ESCAPES:
        return None
    shown = match.group().rstrip("\r\n")
    advice = 'The escapes are \\" \\\\ \\n \\t \\r \\{ \\u{1F600}.'
    if single == "u":
        advice = "A character by its number is written \\u{1F600}."
    elif single.strip():
        advice += f' For a backslash itself write `\\{shown}`, or use a raw text: r"…".'
    return _escape(match, f"`{shown}` is no escape of a text", advice)


def _escape(match: re.Match[str], message: str, advice: str) -> Diagnostic:
    return Diagnostic(
        "syntax.escape", "error", message, match.start(), match.end(), label="not an escape", help=advice
    )
