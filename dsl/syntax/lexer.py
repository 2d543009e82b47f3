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
from collections.abc import Callable

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
_TOKEN = re.compile(
    r'(?:(r(?:"""|"[^"\r\n]*+"|' + r"'[^'\r\n]*+'))"  # 1 RAW; of a raw text block, the opening
    r"|([a-z_][A-Za-z0-9_]*+)"  # 2 NAME
    r"|((?<=[A-Za-z0-9_])\()"  # 3 TLP
    rf'|"((?!""){_SIMPLE})"'  # 4 PLAIN, its content
    r"|((?:[\r\n]|#[^\r\n]*+)(?:[ \t\r\n]++|#[^\r\n]*+)*+)"  # 5 GAP: line ends and comments
    r"|((?<=[A-Za-z0-9_\])])\[(?!\]))"  # 6 TLSQB
    r"|(->|[=!<>]=|\.\.|\[\]|[{}()\[\],:=?.+*/%<>]|\|(?!\|))"  # 7 MARK
    r"|([A-Z][A-Za-z0-9_]*+)"  # 8 TYPENAME
    r"|([0-9]++(?:\.[0-9]++)?(?:ms|[smhd])(?![A-Za-z0-9_]))"  # 9 DURATION
    r"|([0-9][0-9_]*+(?:\.[0-9]++)?(?:[eE][+-]?[0-9]++)?(?![A-Za-z0-9_]|\.(?!\.)))"  # 10 NUMBER
    r"|(\$[0-9][0-9_]*+(?:\.[0-9]++)?(?![A-Za-z0-9_]|\.(?!\.)))"  # 11 MONEY
    r"|(-)"  # 12 DASH
    r'|(")'  # 13 QUOTE: a text with escapes or templates, a text block, or a text that is never closed
    r"|([0-9$][A-Za-z0-9_.]*+|[^\x00-\x7f“]++|'[^'\r\n]*+'|“[^“”\r\n]*+”|&&|\|\||.)"  # 14 OTHER: no token
    r")[ \t]*+",
    re.DOTALL,
)
(
    _RAW,
    _NAME,
    _TLP,
    _PLAIN,
    _GAP,
    _TLSQB,
    _MARK,
    _TYPENAME,
    _DURATION,
    _NUMBER,
    _MONEY,
    _DASH,
    _QUOTE,
    _OTHER,
) = range(1, 15)
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
        self.fixed = {_TLP: kinds["TLP"], _TLSQB: kinds["TLSQB"], _TYPENAME: kinds["TYPENAME"]}
        self.minus, self.neg = kinds["MINUS"], kinds["NEG"]
        self.literals: dict[int, tuple[int, Callable[[int, int, str], ast.Node]]] = {
            _NUMBER: (kinds["NUMBER"], _number),
            _DURATION: (kinds["DURATION"], _duration),
            _MONEY: (kinds["MONEY"], _money),
            _RAW: (kinds["TEXT"], _raw),
        }

    def lex(self, text: str, start: int = 0, stop: int | None = None) -> Lexed:
        stop = len(text) if stop is None else stop
        lexed = Lexed([], [], [], [], [])
        while start < stop and text[start] in " \t":
            start += 1
        position: int | None = start
        while position is not None:
            position = self._run(text, position, stop, lexed)
        lexed.kinds.append(self.end)
        lexed.values.append((stop, stop, ""))
        return lexed

    def _run(self, text: str, position: int, stop: int, lexed: Lexed) -> int | None:
        """Lexes up to a text that has to be scanned, whose end is returned, or to `stop`. This is the inner
        loop of opening a file."""
        name, plain = self.name, self.text
        words, marks, bound = self.vocabulary.words.get, self.vocabulary.marks, self.vocabulary.bound
        fixed = self.fixed
        kinds, values = lexed.kinds, lexed.values
        add_kind, add_value = kinds.append, values.append
        for match in _TOKEN.finditer(text, position, stop):
            group = match.lastindex
            start = match.start()
            if group == _NAME:
                word = match[2]
                add_kind(words(word, name))
                add_value((start, start + len(word), word))
            elif group == _MARK:
                mark = match[7]
                add_kind(marks[mark])
                add_value((start, start + len(mark), mark))
            elif group == _GAP:
                if kinds and kinds[-1] in bound:
                    kinds[-1] += LINE_END
                lexed.gaps.append((start, match.end()))
            elif group == _PLAIN:
                content = match[4]
                add_kind(plain)
                add_value(ast.Text(start, start + len(content) + 2, (content,) if content else ()))
            elif group in fixed:
                add_kind(fixed[group])
                add_value((start, match.end(group), match[group]))
            else:
                resume = self._rare(text, match, lexed)
                if resume is not None:
                    return resume
        return None

    def _rare(self, text: str, match: re.Match[str], lexed: Lexed) -> int | None:
        group = match.lastindex or 0
        start, end = match.start(), match.end(group)
        if group in (_NUMBER, _MONEY, _DURATION) and is_past_the_largest(match[group]):
            lexed.others.append((start, end, match[group]))
            self._substitute(start, end, match[group], lexed)
        elif group in self.literals and match[group] != 'r"""':
            kind, make = self.literals[group]
            lexed.kinds.append(kind)
            lexed.values.append(make(start, end, match[group]))
        elif group == _DASH:
            lexed.kinds.append(self._dash(text, start))
            lexed.values.append((start, end, "-"))
        elif group == _OTHER:
            lexed.others.append((start, end, match[group]))
            self._substitute(start, end, match[group], lexed)
        else:
            return self._scan(text, start, lexed)
        return None

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
        end = scan.end
        while text[end : end + 1] in (" ", "\t"):
            end += 1
        return end


def is_past_the_largest(text: str) -> bool:
    """Whether a number, an amount of money or a duration is more than a double can hold."""
    if len(text) <= _LONG_NUMBER and "e" not in text and "E" not in text:
        return False
    return math.isinf(float(text.strip("$smhd").replace("_", "")))


def _number(start: int, end: int, text: str) -> ast.Node:
    return ast.Number(start, end, text.replace("_", ""))


def _money(start: int, end: int, text: str) -> ast.Node:
    return ast.Money(start, end, text[1:].replace("_", ""))


def _duration(start: int, end: int, text: str) -> ast.Node:
    if text.endswith("ms"):
        return ast.Duration(start, end, float(text[:-2]) / 1000)
    return ast.Duration(start, end, float(text[:-1]) * _SECONDS[text[-1]])


def _raw(start: int, end: int, text: str) -> ast.Node:
    content = text[2:-1]
    return ast.Text(start, end, (content,) if content else (), raw=True)
