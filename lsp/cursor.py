"""What stands around the cursor while something is being written: text that is not yet complete.

The word at the cursor is replaced by a stand-in, and the declaration is read and checked again: that says
what such a word would be, a value, a field of something, a judge in a list, a type. What the grammar
could take there is asked of `dsl.expected`.
"""

from __future__ import annotations

import re
from bisect import bisect_right
from collections.abc import Iterator
from typing import NamedTuple, TypeVar

from ..dsl import ast
from ..dsl.mistakes.expected import expected_at
from ..dsl.parse import parse_chunk
from ..dsl.workspace.analysis import Analysis
from .seen import Seen, look
from .tree import path_to

STAND_IN = "zzz_here"
STAND_IN_TYPE = "ZzzHere"
_WORD_BEFORE = re.compile(r"[A-Za-z0-9_]*\Z")
_WORD_AFTER = re.compile(r"[A-Za-z0-9_]*")
_CLOSINGS = (" }}", ' }}"', ": null", "()", ' replies ""', ": it()", "() picked by it", '"')
"""What is tried where a word alone does not stand: in a template or an object that is not complete yet,
as a statement, as a line of a test's script, as what is gone through or chosen from, in a text without an end."""
_RULE = re.compile(r"\brequire\b(?![^\r\n]*\belse\b)[^\r\n]*\Z")
_REST_OF_LINE = re.compile(r"[^\r\n]*")
_TEXTS = re.compile(r'"(?:\\.|[^"\\])*"')
_PARTNERS = {"(": ")", "[": "]", "{": "}"}

N = TypeVar("N", bound=ast.Node)


class Cursor(NamedTuple):
    """`start .. offset` is the part of a word that is typed already, in file offsets. `text` is the
    declaration from `base` on, as far as the cursor at least."""

    base: int
    text: str
    start: int
    offset: int

    @property
    def at(self) -> int:
        """Where the word begins, in the declaration's text."""
        return self.start - self.base

    @property
    def word(self) -> str:
        return self.text[self.at : self.offset - self.base]

    @property
    def before(self) -> str:
        """The declaration up to the word."""
        return self.text[: self.at]

    @property
    def begins_line(self) -> bool:
        """Whether the word stands at column 0, where declarations do."""
        return self.at == 0 or self.text[self.at - 1] in "\r\n"

    @property
    def calls(self) -> bool:
        """Whether the word is followed by the arguments of a call already."""
        after = _WORD_AFTER.match(self.text, self.offset - self.base)
        return after is not None and self.text.startswith("(", after.end())

    def expected(self) -> frozenset[str]:
        return expected_at(self.text, self.offset - self.base)


class Tried(NamedTuple):
    """The declaration with the stand-in: its tree, the nodes around the stand-in, and what the checker
    saw."""

    text: str
    node: ast.Declaration
    path: tuple[ast.Node, ...]
    at: int
    seen: Seen

    @property
    def here(self) -> ast.Node:
        return self.path[-1]

    @property
    def parent(self) -> ast.Node | None:
        return self.path[-2] if len(self.path) > 1 else None

    @property
    def called(self) -> ast.Call | None:
        """The call whose callee is the stand-in."""
        parent = self.parent
        return parent if isinstance(parent, ast.Call) and parent.callee is self.here else None

    def inside(self, kind: type[N]) -> N | None:
        """The innermost node of a kind around the cursor."""
        return next((node for node in reversed(self.path) if isinstance(node, kind)), None)


def cursor_at(analysis: Analysis, offset: int) -> Cursor:
    """The cursor with the declaration that it stands in or behind."""
    text = analysis.source.text
    word = _WORD_BEFORE.search(text, max(0, offset - 200), offset)
    start = word.start() if word else offset
    items = analysis.module.items
    index = bisect_right(items, start, key=lambda item: item.offset) - 1
    if index < 0:
        return Cursor(start, text[start:offset], start, offset)
    base = items[index].offset
    return Cursor(base, text[base : max(base + len(items[index].text), offset)], start, offset)


def tries(cursor: Cursor, analysis: Analysis) -> list[Tried]:
    """The readings of the declaration in which the stand-in survives: as a value's name, as a type's, and
    inside of a template that is not closed yet."""
    rest = cursor.offset - cursor.base
    after = _WORD_AFTER.match(cursor.text, rest)
    tail = cursor.text[after.end() if after else rest :]
    found: list[Tried] = []
    for word, behind in _attempts(cursor.before, tail):
        if found and word is not STAND_IN_TYPE:
            break
        text = f"{cursor.before}{word}{behind}"
        node, _ = parse_chunk(text)
        path = () if node is None else path_to(node, cursor.at + 1)
        above = path[-2] if len(path) > 1 else None
        invented = (
            isinstance(above, ast.Bind) and above.name is path[-1] and not tail.lstrip().startswith("=")
        )
        if node is not None and path and not invented and _stands_here(path[-1], word, text, cursor.at):
            found.append(Tried(text, node, path, cursor.at, look(node, analysis)))
    return found


def _attempts(before: str, tail: str) -> Iterator[tuple[str, str]]:
    """Each stand-in to try with what follows it."""
    yield STAND_IN, tail
    yield STAND_IN_TYPE, tail
    rest = _REST_OF_LINE.match(tail)
    line = rest[0] if rest is not None else ""
    is_rule = _RULE.search(before) is not None and " else " not in line
    begun = before[max(before.rfind("\n"), before.rfind("\r")) + 1 :]
    _, opened, template = begun.rpartition("{{")
    if opened and "}}" not in template:
        begun = template + line.partition("}}")[0]
    else:
        begun += line
    closers = tuple(dict.fromkeys(("", _closers(begun, "(["), _closers(begun, "([{"))))
    for closer in closers:
        if closer:
            yield STAND_IN, f"{closer}{tail}"
        if is_rule:
            # It has no reason yet, which comes where the line ends, or a block on it.
            end = len(line.rstrip(" \t}"))
            yield STAND_IN, f'{closer}{tail[:end]} else ""{tail[end:]}'
    for closing in _CLOSINGS:
        for closer in closers[:2]:
            yield STAND_IN, f"{closer}{closing}{tail}"


def _closers(line: str, opening: str) -> str:
    """What closes the brackets that a line leaves open, of those that are named."""
    waiting: list[str] = []
    for mark in _TEXTS.sub("", line):
        if mark in opening:
            waiting.append(_PARTNERS[mark])
        elif waiting and mark == waiting[-1]:
            waiting.pop()
    return "".join(reversed(waiting))


def _stands_here(node: ast.Node, word: str, text: str, at: int) -> bool:
    match node:
        case ast.Ident(text=name) | ast.ModelRef(text=name):
            return word in name
        case ast.Name(id=name) | ast.TypeRef(name=name):
            return name == word
        case ast.Text(raw=raw):
            return raw or text.rfind("{{", node.start, at) <= text.rfind("}}", node.start, at)
    return False
