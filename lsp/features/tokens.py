"""Semantic tokens: what every word, text and comment of a file is.

A declaration's tokens depend on its text and on what was looked up to colour it, so they are kept under both
(`TokenCache`), and an edit colours one declaration anew.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from itertools import compress, count
from operator import ne
from typing import Final, NamedTuple

from ...dsl import ast
from ...dsl.check.base import (
    CallableSurface,
    ConstantSurface,
    ModelSurface,
    NamedSurface,
    Surface,
    TypeSurface,
)
from ...dsl.parse import Item
from ...dsl.recent import Recent
from ...dsl.workspace.analysis import Analysis
from ..documents import Document
from ..occurrences import Occurrence, occurrences
from ..positions import Encoding
from ..shadows import Find
from ..tree import walk

TYPES: Final = (
    "keyword", "comment", "string", "number", "operator", "type", "class", "function", "method",
    "variable", "parameter", "property", "enumMember", "namespace", "decorator", "regexp",
)  # fmt: skip
"""The protocol's own names, so that every colour scheme knows them: agents, flows, tools and gates are
functions, judges and scorers methods, models and providers namespaces."""
MODIFIERS: Final = ("declaration", "readonly", "defaultLibrary")
_DECLARATION, _READONLY, _LIBRARY = 1, 2, 4

_WORDS = re.compile(
    r"(?P<comment>#[^\r\n]*)|(?P<money>\$[0-9][0-9_.]*)|(?P<number>[0-9][0-9A-Za-z_.]*)"
    r"|(?P<word>[A-Za-z_][A-Za-z0-9_]*)|(?P<operator>->|[=!<>]=|\.\.|[=<>+*/%|?-])"
)
_LINES = re.compile(r"[^\r\n]+")
_CALLED = frozenset(("agent", "tool", "flow", "gate", "condition", "choice", "scale"))


class Token(NamedTuple):
    """Offsets in the file; a token never crosses a line's end."""

    start: int
    end: int
    type: int
    modifiers: int


class Colours:
    """The tokens of a declaration, with offsets in its text."""

    def __init__(self, text: str, tokens: tuple[Token, ...]) -> None:
        self.tokens = tokens
        self._text = text
        self._data: list[int] | None = None
        self.last_line = 0
        """The line of the last token, counted from the declaration's first, once `data` was asked for."""

    def data(self, encoding: Encoding) -> list[int]:
        """The protocol's form, lines and columns relative to the token before, at first to the declaration."""
        if self._data is None:
            alone = Document("", "", 0, self._text, encoding)
            places = list(alone.places((token.start, token.end) for token in self.tokens))
            self.last_line = places[-1][0] if places else 0
            self._data = encode(
                (*place, token.type, token.modifiers)
                for place, token in zip(places, self.tokens, strict=True)
            )
        return self._data


class TokenCache:
    """The colours of the last declarations seen, of so many characters."""

    def __init__(self, limit: int) -> None:
        self._kept: Recent[tuple[str, tuple[str, ...], tuple[object, ...]], Colours] = Recent(
            limit, lambda key: len(key[0])
        )
        self._names: Recent[str, tuple[str, ...]] = Recent(limit, len)
        """The names that somebody looked up to colour a declaration. The same answers make the same colours."""

    def colours(self, item: Item, analysis: Analysis) -> Colours:
        find = analysis.surface
        # A test names the parameters of what it scripts.
        fact = _kind_and_params if isinstance(item.node, ast.Test) else _sort
        names = self._names.get(item.text)
        if names is not None:
            found = self._kept.get((item.text, names, tuple([fact(find(name)) for name in names])))
            if found is not None:
                return found
        asked: dict[str, Surface | None] = {}

        def asking(name: str) -> Surface | None:
            asked[name] = surface = find(name)
            return surface

        made = Colours(item.text, tuple(_tokens(item, asking)))
        names = tuple(asked)
        self._names.put(item.text, names)
        self._kept.put((item.text, names, tuple(map(fact, asked.values()))), made)
        return made


def _sort(surface: Surface | None) -> object:
    """What the colours of a declaration depend on of something that it names."""
    return surface.kind if isinstance(surface, CallableSurface | NamedSurface) else type(surface)


def _kind_and_params(surface: Surface | None) -> object:
    if isinstance(surface, CallableSurface):
        return surface.kind, tuple(param.name for param in surface.params)
    return _sort(surface)


def _tokens(item: Item, find: Find) -> Iterator[Token]:
    text, node = item.text, item.node
    names = {} if node is None else _names(node, find)
    texts = [] if node is None else sorted(_texts(node), key=lambda stretch: stretch[:2])
    at = 0
    for start, end, kind in texts:
        yield from _code(text, at, start, names)
        yield from _stretch(text, start, end, TYPES.index(kind))
        at = max(at, end)
    yield from _code(text, at, len(text), names)


def _code(text: str, start: int, end: int, names: dict[int, tuple[int, int]]) -> Iterator[Token]:
    """Words, numbers and marks between texts. A word that names nothing is a keyword."""
    for match in _WORDS.finditer(text, start, end):
        if match.lastgroup == "word":
            kind, modifiers = names.get(match.start(), (TYPES.index("keyword"), 0))
        else:
            kind, modifiers = _MARKS[match.lastgroup or "operator"], 0
        if kind >= 0:
            yield Token(match.start(), match.end(), kind, modifiers)


_MARKS = {
    "comment": TYPES.index("comment"),
    "money": TYPES.index("number"),
    "number": TYPES.index("number"),
    "operator": TYPES.index("operator"),
}


def _stretch(text: str, start: int, end: int, kind: int) -> Iterator[Token]:
    for line in _LINES.finditer(text, start, end):
        yield Token(line.start(), line.end(), kind, 0)


def _texts(node: ast.Declaration) -> Iterator[tuple[int, int, str]]:
    """The stretches that are text and not code: what stands in `{{ }}` is code."""
    for inner in walk(node):
        if not isinstance(inner, ast.Text):
            continue
        kind = "regexp" if inner.raw else "string"
        at = inner.start
        for part in inner.parts:
            if not isinstance(part, str):
                yield at, part.start, kind
                at = part.end
        yield at, inner.end, kind


# --- names -------------------------------------------------------------------------------------------------


def _names(node: ast.Declaration, find: Find) -> dict[int, tuple[int, int]]:
    """What the word at an offset is: the index of its type, and its modifiers; type -1 for no colour."""
    found: dict[int, tuple[int, int]] = {}
    for inner in walk(node):
        match inner:
            case ast.Ident():
                found[inner.start] = (TYPES.index("property"), 0)
                if "." in inner.text:
                    found[inner.start + inner.text.index(".") + 1] = (TYPES.index("property"), 0)
            case ast.Primitive():
                found[inner.start] = (TYPES.index("type"), _LIBRARY)
            case ast.Bool() | ast.Null():
                found[inner.start] = (TYPES.index("keyword"), 0)
            case ast.Env():
                found[inner.end - len(inner.name)] = (TYPES.index("variable"), _READONLY)
            case ast.Header():
                found[inner.start] = (TYPES.index("property"), 0)
    for one in occurrences(node, find):
        found[one.start] = _colour(one, find)
    return found


def _colour(one: Occurrence, find: Find) -> tuple[int, int]:
    modifiers = _DECLARATION if one.defines else 0
    match one.target.kind:
        case "declaration":
            kind, more = _OF_SURFACE[_kind(find(one.target.name))]
            return TYPES.index(kind), modifiers | more
        case "builtin":
            is_function = find(one.target.name) is None and one.target.name not in _VALUES
            return TYPES.index("function" if is_function else "variable"), modifiers | _LIBRARY
        case "param":
            return TYPES.index("parameter"), modifiers
        case "field":
            return TYPES.index("property"), modifiers
        case "option" | "question":
            return TYPES.index("enumMember" if one.target.kind == "option" else "variable"), modifiers
        case _:
            return TYPES.index("variable"), modifiers


_VALUES = frozenset(("reply", "variant", "task", "attempt", "run", "answer", "score", "result"))
_OF_SURFACE = {
    "call": ("function", 0),
    "judge": ("method", 0),
    "scorer": ("method", 0),
    "model": ("namespace", 0),
    "provider": ("namespace", 0),
    "type": ("class", 0),
    "constant": ("variable", _READONLY),
    "": ("variable", 0),
}


def _kind(surface: Surface | None) -> str:
    match surface:
        case CallableSurface(kind=kind):
            return "call" if kind in _CALLED else "judge"
        case ModelSurface():
            return "model"
        case TypeSurface():
            return "type"
        case ConstantSurface():
            return "constant"
        case None:
            return ""
        case _:
            return surface.kind if surface.kind in _OF_SURFACE else "call"


# --- what is sent ------------------------------------------------------------------------------------------


def encode(found: Iterable[tuple[int, int, int, int, int]]) -> list[int]:
    """Tokens as `(line, column, length, type, modifiers)` in the protocol's relative form."""
    data: list[int] = []
    last_line = last_column = 0
    for line, column, length, kind, modifiers in found:
        if line != last_line:
            data += (line - last_line, column, length, kind, modifiers)
        else:
            data += (0, column - last_column, length, kind, modifiers)
        last_line, last_column = line, column
    return data


def joined(parts: Iterable[tuple[int, Colours]], encoding: Encoding) -> list[int]:
    """The protocol's form of several declarations in order, each with the line on which it begins."""
    data: list[int] = []
    last = 0
    for line, colours in parts:
        own = colours.data(encoding)
        if own:
            data.append(line + own[0] - last)
            data += own[1:]
            last = line + colours.last_line
    return data


def difference(old: list[int], new: list[int]) -> list[tuple[int, int, list[int]]]:
    """One edit that turns old data into new, as `(start, how many to drop, what to put)`; none where they
    are the same."""
    if old == new:
        return []
    shorter = min(len(old), len(new))
    start = _first_other(old, new, shorter)
    tail = _first_other(reversed(old), reversed(new), shorter - start)
    return [(start, len(old) - start - tail, new[start : len(new) - tail])]


def _first_other(old: Iterable[int], new: Iterable[int], most: int) -> int:
    """How many numbers two sequences have in common at their beginning, of so many."""
    return min(next(compress(count(), map(ne, old, new)), most), most)
