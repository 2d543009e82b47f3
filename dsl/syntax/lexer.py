r"""Words, numbers, texts and marks of one declaration.

One pass of one regular expression. A word gets the terminal of the keyword that it spells, else NAME or
TYPENAME; what it really is at its place is decided by `lalr`, which knows what the parser can take there.
White space matters in four places only, and all four are settled here: `(` and `[` that touch what stands
before them (TLP, TLSQB), the minus that does not touch what follows it, and the last token of a line (see
LINE_END).
"""

from __future__ import annotations

import math
import re
from typing import cast

import msgspec

from .. import ast
from .tables import Tables
from .texts import BLOCK, Scan, scan_block, scan_line, scan_raw_block

Token = tuple[int, int, str]
"""Start, end and text."""
Value = Token | ast.Node

LINE_END = 1000
"""Added to the kind of a token that ends its line though what belongs to it stands on the next one (`model`,
`=`, `.`): no row of the tables has such a kind, so the parser looks twice."""

HELD = 2 * LINE_END
"""Added to the kind of a token before which a parse has to stop: it then stands on no row either."""

NOTHING = 999
"""The kind of a token that can stand nowhere."""

RESERVED = frozenset(
    "true false null and or not in is if then else every some for contains starts ends matches "  # noqa: SIM905
    "as of with when showing weight each try return stop switch uncertain expect always".split()
)
"""The words that no value, step or declaration may have for a name."""

PRIMITIVES = ("text", "int", "float", "bool", "json")
_MAY_END_A_LINE = frozenset(
    "true false null and or in is contains starts ends matches all any weighted majority run day out once".split()  # noqa: SIM905
)

_SIMPLE = r'[^"\\\r\n{]*+(?:\{(?!\{)[^"\\\r\n{]*+)*+'
_RAW = r"""r(?:"{3}|"[^"\r\n]*+"|'[^'\r\n]*+')"""
# The fewer groups an expression has, the less a match costs: what is rare shares the last two.
_TOKEN = re.compile(
    rf"(?:((?:[a-qs-z_]|(?!{_RAW})r)[A-Za-z0-9_]*+)"  # 1 NAME
    r"|([{}),:\]?]|\((?<![A-Za-z0-9_]\()|->|[=!<>]=|\.\.|[=.+*/%<>]"
    r"|\[\]|\[(?<![A-Za-z0-9_\])]\[)|\|(?!\|))"  # 2 MARK
    r"|((?:[\r\n]|#[^\r\n]*+)(?:[ \t\r\n]++|#[^\r\n]*+)*+)"  # 3 GAP: line ends and comments
    rf'|"((?!""){_SIMPLE})"'  # 4 PLAIN, its content
    r"|([A-Z][A-Za-z0-9_]*+)"  # 5 TYPENAME
    r"|([(\[])"  # 6 TOUCHING what stands before it
    r'|("|r"{3})'  # 7 QUOTE: a text with escapes or templates, a text block, or a text that is never closed
    r"|([0-9]{1,20}+(?:\.[0-9]{1,20}+)?(?![A-Za-z0-9_]|\.(?!\.)))"  # 8 NUMBER, of the usual kind
    rf"|({_RAW}|-"  # 9 LITERAL: a raw text; a dash; a duration;
    r"|[0-9]++(?:\.[0-9]++)?(?:ms|[smhd])(?![A-Za-z0-9_])"
    r"|[0-9][0-9_]*+(?:\.[0-9]++)?(?:[eE][+-]?[0-9]++)?(?![A-Za-z0-9_]|\.(?!\.))"  # any number;
    r"|\$[0-9][0-9_]*+(?:\.[0-9]++)?(?![A-Za-z0-9_]|\.(?!\.)))"  # an amount of money
    r"|([0-9$][A-Za-z0-9_.]*+|[^\x00-\x7f“]++|'[^'\r\n]*+'|“[^“”\r\n]*+”|&&|\|\||.)"  # 10 OTHER: no token
    r")[ \t]*+",
    re.DOTALL,
)
_GAP, _PLAIN, _TYPENAME, _TOUCHING, _QUOTE, _NUMBER, _LITERAL = range(3, 10)
_FOREIGN = {"&&": "and", "||": "or", "!": "not"}
_LONG_NUMBER = 300
"""Only a longer number, or one with an exponent, can be past the range of a double."""
_SECONDS = {"s": 1, "m": 60, "h": 3600, "d": 86400}


class Vocabulary(msgspec.Struct, frozen=True):
    """The terminals, by what is typed."""

    words: dict[str, int]
    marks: dict[str, int]
    kinds: dict[str, int]
    """By terminal name: NAME, TEXT, …"""
    bound: frozenset[int]
    """What may not end a line: see LINE_END."""


def vocabulary(tables: Tables) -> Vocabulary:
    kinds = {name: number for number, name in enumerate(tables.terminals)}
    words = {text: kind for text, kind in tables.literals.items() if text[0].isalpha()}
    marks = {text: kind for text, kind in tables.literals.items() if not text[0].isalpha()}
    bound = {kind for text, kind in words.items() if text not in _MAY_END_A_LINE}
    words.update(dict.fromkeys(PRIMITIVES, kinds["PRIM"]))
    marks["[]"] = kinds["EMPTY"]
    return Vocabulary(words, marks, kinds, frozenset(bound | {marks["="], marks["."]}))


class Lexed(msgspec.Struct):
    """Parallel lists: what each token is, and its value (a finished node for texts and numbers). The last
    token is the end of the text. `scans` are the texts that the parser still has to read, by the index of
    their token."""

    kinds: list[int]
    values: list[Value]
    scans: list[tuple[int, Scan]]
    gaps: list[tuple[int, int]]
    others: list[Token]


class Lexer:
    """Turns the text of a declaration, or the part of it that a template holds, into tokens."""

    def __init__(self, words: Vocabulary) -> None:
        kinds = words.kinds
        self.vocabulary = words
        self.name, self.text, self.end = kinds["NAME"], kinds["TEXT"], kinds["$END"]
        self.typename, self.number = kinds["TYPENAME"], kinds["NUMBER"]
        self.touching = {"(": kinds["TLP"], "[": kinds["TLSQB"]}
        self.minus, self.neg = kinds["MINUS"], kinds["NEG"]
        self.duration, self.money = kinds["DURATION"], kinds["MONEY"]

    def lex(self, text: str, start: int = 0, stop: int | None = None) -> Lexed:
        stop = len(text) if stop is None else stop
        lexed = Lexed([], [], [], [], [])
        position: int | None = start
        while position is not None:
            while position < stop and text[position] in " \t":
                position += 1
            position = self._run(text, position, stop, lexed)
        lexed.kinds.append(self.end)
        lexed.values.append((stop, stop, ""))
        return lexed

    def _run(self, text: str, position: int, stop: int, lexed: Lexed) -> int | None:
        """Lexes up to a text that has to be scanned, whose end is returned, or to `stop`. This is the inner
        loop of opening a file."""
        name, words, marks = self.name, self.vocabulary.words.get, self.vocabulary.marks
        kinds, values = lexed.kinds, lexed.values
        for match in _TOKEN.finditer(text, position, stop):
            start = match.start()
            word = match[1]
            if word is not None:
                kinds.append(words(word, name))
                values.append((start, start + len(word), word))
                continue
            mark = match[2]
            if mark is not None:
                kinds.append(marks[mark])
                values.append((start, start + len(mark), mark))
                continue
            group = match.lastindex
            if group == _GAP:
                if kinds and kinds[-1] in self.vocabulary.bound:
                    kinds[-1] += LINE_END
                lexed.gaps.append((start, match.end()))
            elif group == _PLAIN:
                content = match[4]
                kinds.append(self.text)
                values.append(ast.Text(start, start + len(content) + 2, (content,) if content else ()))
            elif group == _TYPENAME:
                kinds.append(self.typename)
                values.append((start, match.end(5), match[5]))
            elif group == _TOUCHING:
                mark = match[6]
                kinds.append(self.touching[mark])
                values.append((start, start + 1, mark))
            elif group == _NUMBER:
                number = match[8]
                kinds.append(self.number)
                values.append(ast.Number(start, start + len(number), number))
            elif group == _QUOTE:
                return self._scan(text, start, lexed)
            else:
                self._rare(text, start, match[group or 0], group == _LITERAL, lexed)
        return None

    def _rare(self, text: str, start: int, spelling: str, is_literal: bool, lexed: Lexed) -> None:
        """Takes a dash or a literal, or what no token starts with."""
        end = start + len(spelling)
        if not is_literal or (spelling[0] != "r" and is_past_the_largest(spelling)):
            lexed.others.append((start, end, spelling))
            self._substitute(start, end, spelling, lexed)
            return
        kind, value = self.number, cast(Value, (start, end, spelling))
        match spelling[0], spelling[-1]:
            case "-", _:
                kind = self._dash(text, start)
            case "r", _:
                content = spelling[2:-1]
                kind, value = self.text, ast.Text(start, end, (content,) if content else (), raw=True)
            case "$", _:
                kind, value = self.money, ast.Money(start, end, spelling[1:].replace("_", ""))
            case _, "s" | "m" | "h" | "d":
                kind, value = self.duration, ast.Duration(start, end, _seconds(spelling))
            case _:
                value = ast.Number(start, end, spelling.replace("_", ""))
        lexed.kinds.append(kind)
        lexed.values.append(value)

    def _substitute(self, start: int, end: int, text: str, lexed: Lexed) -> None:
        """What was meant by what no token starts with, so that one mistake stays one."""
        kinds = self.vocabulary.kinds
        value: Value
        if text in _FOREIGN:
            kind, value = self.vocabulary.words[_FOREIGN[text]], (start, end, _FOREIGN[text])
        elif text[0] in "'“" and len(text) > 1:
            content = text[1:-1]
            kind, value = kinds["TEXT"], ast.Text(start, end, (content,) if content else ())
        elif text[0] == "$":
            kind, value = kinds["MONEY"], ast.Money(start, end, "0")
        elif text[0].isascii() and text[0].isdigit():
            kind, value = kinds["NUMBER"], ast.Number(start, end, "0")
        else:
            return
        lexed.kinds.append(kind)
        lexed.values.append(value)

    def _dash(self, text: str, start: int) -> int:
        """White space before it alone makes a minus a sign; where it touches both sides the parser
        decides."""
        touches = text[start + 1 : start + 2].strip() != ""
        return self.neg if touches and text[start - 1 : start].strip() == "" else self.minus

    def _scan(self, text: str, start: int, lexed: Lexed) -> int:
        if text[start] == "r":
            scan = scan_raw_block(text, start)
        elif text.startswith(BLOCK, start):
            scan = scan_block(text, start)
        else:
            scan = scan_line(text, start)
        lexed.scans.append((len(lexed.kinds), scan))
        lexed.kinds.append(self.text)
        lexed.values.append((scan.start, scan.end, ""))
        return scan.end


def is_past_the_largest(text: str) -> bool:
    """Whether a number, an amount of money or a duration is more than a double can hold."""
    if len(text) <= _LONG_NUMBER and "e" not in text and "E" not in text:
        return False
    return math.isinf(float(text.strip("$smhd").replace("_", "")))


def _seconds(text: str) -> float:
    """What a duration is worth."""
    if text.endswith("ms"):
        return float(text[:-2]) / 1000
    return float(text[:-1]) * _SECONDS[text[-1]]
