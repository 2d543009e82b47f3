"""From text to trees: one declaration at a time, each on its own and cached by its text."""

from __future__ import annotations

import msgspec

from . import ast
from .chunks import split
from .diagnostics import Diagnostic
from .lalr import Grammar, Stack, drive, load_grammar
from .lexer import Lexed
from .source import Source
from .texts import read_text

Parsed = tuple["ast.Declaration | None", tuple[Diagnostic, ...]]


class Item(msgspec.Struct, frozen=True):
    """A declaration where it stands in its file. The diagnostics are relative to its text."""

    offset: int
    text: str
    node: ast.Declaration | None
    diagnostics: tuple[Diagnostic, ...]


class Module(msgspec.Struct, frozen=True):
    source: Source
    items: tuple[Item, ...]

    @property
    def diagnostics(self) -> tuple[Diagnostic, ...]:
        path = self.source.path
        return tuple(found.moved(item.offset, path) for item in self.items for found in item.diagnostics)


class ParseCache:
    """What was parsed before, by its text. The oldest half goes when there are more than `limit` texts."""

    def __init__(self, limit: int = 50_000) -> None:
        self._limit = limit
        self._parsed: dict[str, Parsed] = {}

    def parse(self, text: str) -> Parsed:
        found = self._parsed.get(text)
        if found is None:
            found = self._parsed[text] = parse_chunk(text)
            if len(self._parsed) > self._limit:
                for old in list(self._parsed)[: self._limit // 2]:
                    del self._parsed[old]
        return found


def parse(source: Source, cache: ParseCache | None = None) -> Module:
    """Every declaration of a file, and what is wrong with the file's syntax."""
    text = source.text
    parse_one = cache.parse if cache else parse_chunk
    items = []
    for start, end in split(text):
        chunk = text[start:end]
        items.append(Item(start, chunk, *parse_one(chunk)))
    return Module(source, tuple(items))


def parse_chunk(text: str) -> Parsed:
    """One declaration's tree and diagnostics, offsets from the start of `text`."""
    grammar = load_grammar()
    lexed = grammar.lexer.lex(text)
    if len(lexed.kinds) == 1:
        return None, ()
    found: list[Diagnostic] = []
    if lexed.scans:
        read_texts(grammar, text, lexed, found)
    stack = Stack([grammar.tables.starts["declaration"]], [])
    if drive(grammar, lexed, stack):
        return stack.values[0], tuple(found)
    v=lexed.values[stack.index]
    found.append(Diagnostic('syntax.unexpected','error','unexpected',v[0] if isinstance(v,tuple) else v.start,v[1] if isinstance(v,tuple) else v.end))
    return None, tuple(found)


def read_texts(grammar: Grammar, text: str, lexed: Lexed, found: list[Diagnostic]) -> None:
    """Puts the nodes of scanned texts where the lexer left their places."""

    def parse_expression(start: int, stop: int) -> ast.Expr | None:
        inner = grammar.lexer.lex(text, start, stop)
        if inner.scans:
            read_texts(grammar, text, inner, found)
        stack = Stack([grammar.tables.starts["expression"]], [])
        if drive(grammar, inner, stack):
            return stack.values[0]
        v=inner.values[stack.index]
        found.append(Diagnostic('syntax.unexpected','error','unexpected',v[0] if isinstance(v,tuple) else v.start,v[1] if isinstance(v,tuple) else v.end))
        return None

    for index, scan in lexed.scans:
        lexed.values[index] = read_text(text, scan, parse_expression, found.append)
        if scan.problem is not None:
            found.append(Diagnostic('syntax.unclosed','error',scan.problem.kind,scan.problem.start,scan.problem.start+1))
