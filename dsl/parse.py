"""From text to trees: one declaration at a time, each on its own."""

from __future__ import annotations

import re
from typing import cast

import msgspec

from . import ast
from .diagnostics import Diagnostic
from .source import Source
from .syntax.chunks import split
from .syntax.lalr import Grammar, Stack, drive, load_grammar
from .syntax.lexer import RESERVED, Lexed
from .syntax.texts import read_text

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


def parse(source: Source) -> Module:
    """Every declaration of a file, and what is wrong with the file's syntax."""
    text = source.text
    items = []
    for start, end in split(text):
        chunk = text[start:end]
        items.append(Item(start, chunk, *parse_chunk(chunk)))
    return Module(source, tuple(items))


_MOST = 50
"""Diagnostics of one declaration."""
_DEEP = 400
"""Tokens from which on a declaration can be nested too deeply."""


def parse_chunk(text: str) -> Parsed:
    """One declaration's tree and diagnostics, offsets from the start of `text`. Comments alone have
    neither."""
    grammar = load_grammar()
    lexed = grammar.lexer.lex(text)
    if len(lexed.kinds) == 1 and not lexed.others:
        return None, ()
    found: list[Diagnostic] = []
    read_texts(grammar, text, lexed, found)
    deep = False
    if lexed.others or len(lexed.kinds) > _DEEP or _is_suspect(text, lexed):
        deep = _look_closer(grammar, text, lexed, found)
    stack = Stack([grammar.tables.starts["declaration"]], [])
    if not deep and drive(grammar, lexed, stack):
        node: ast.Declaration | None = cast(ast.Declaration, stack.values[0])
        if _is_odd(grammar, lexed, node):
            from .mistakes.losses import losses  # noqa: PLC0415  # a clean file needs none of it

            found += losses(grammar, lexed, node)
    else:
        from .mistakes.recover import recover  # noqa: PLC0415

        node = recover(grammar, text, lexed, found, stack, only_head=deep)
    return node, _in_order(found) if found else ()


def _in_order(found: list[Diagnostic]) -> tuple[Diagnostic, ...]:
    """The first of what was found, by place: nobody reads a hundred, and a mistake can make a million."""
    found.sort(key=lambda error: error.start)
    too_deep = next((error for error in found if error.code == "syntax.too-deep"), None)
    return tuple(error for error in found if error is too_deep or error.code != "syntax.too-deep")[:_MOST]


def _is_odd(grammar: Grammar, lexed: Lexed, node: ast.Declaration | None) -> bool:
    """Whether something may have been written that the tree has no place for: see `losses`."""
    if isinstance(node, ast.Test) and lexed.kinds.count(grammar.tables.literals["given"]) > 1:
        return True
    return bool(lexed.scans) and any(
        scan.templates and lexed.kinds[index - 1] in grammar.before_plain_texts for index, scan in lexed.scans
    )


_SUSPECT = re.compile(r"\n[^ \t\r\n#}]")
_OLD_LINE_END = re.compile(r"\r(?!\n)")
_UNINDENTED = re.compile(r"\n[^ \t\r\n]")


def _is_suspect(text: str, lexed: Lexed) -> bool:
    """Whether a line may be indented wrongly, or a text may have no end."""
    if "\r" in text and _OLD_LINE_END.search(text):
        return True
    if text[0] in " \t" or _SUSPECT.search(text):
        return True
    if lexed.gaps and lexed.gaps[0][0] == 0 and text[lexed.gaps[0][1] - 1] in " \t":
        return True
    for _, scan in lexed.scans:
        if scan.problem is not None or (scan.block and _UNINDENTED.search(text, scan.start, scan.end)):
            return True
    return False


def _look_closer(grammar: Grammar, text: str, lexed: Lexed, found: list[Diagnostic]) -> bool:
    """Reports what is wrong with characters, texts and layout. True where the declaration is nested too
    deeply to be parsed at all."""
    from .mistakes.lexical_errors import layout_errors, lexical_errors  # noqa: PLC0415
    from .mistakes.nesting import nesting_error  # noqa: PLC0415

    found += lexical_errors(text, lexed)
    found += layout_errors(text, lexed)
    deep = nesting_error(grammar, lexed) if len(lexed.kinds) > _DEEP else None
    if deep is not None:
        found.append(deep)
    return deep is not None


def read_texts(grammar: Grammar, text: str, lexed: Lexed, found: list[Diagnostic]) -> None:
    """Puts the nodes of scanned texts where the lexer left their places."""
    if not lexed.scans:
        return

    def parse_expression(start: int, stop: int) -> ast.Expr | None:
        return _parse_template(grammar, text, start, stop, found)

    for index, scan in lexed.scans:
        lexed.values[index] = read_text(text, scan, parse_expression, found.append)


def _parse_template(
    grammar: Grammar, text: str, start: int, stop: int, found: list[Diagnostic]
) -> ast.Expr | None:
    path = read_path(text, start, stop)
    if path is not None:
        return path
    lexed = grammar.lexer.lex(text, start, stop)
    read_texts(grammar, text, lexed, found)
    stack = Stack([grammar.tables.starts["expression"]], [])
    if not lexed.others and len(lexed.kinds) <= _DEEP and drive(grammar, lexed, stack):
        return cast(ast.Expr, stack.values[0])
    from .mistakes.recover import recover_template  # noqa: PLC0415

    return recover_template(grammar, text, lexed, found)


_PATH = re.compile(r"[ \t]*+([a-z_][A-Za-z0-9_]*+)((?:\.[A-Za-z_][A-Za-z0-9_]*+){0,20})[ \t]*+")


def read_path(text: str, start: int, stop: int) -> ast.Name | ast.Field | None:
    """What stands in most templates, a name or a short chain of fields: that needs no parse. None for all else."""
    match = _PATH.fullmatch(text, start, stop)
    if match is None or match[1] in RESERVED:
        return None
    at = match.end(1)
    path: ast.Name | ast.Field = ast.Name(match.start(1), at, match[1])
    for word in match[2].split(".")[1:]:
        end = at + 1 + len(word)
        path = ast.Field(path.start, end, path, ast.Ident(at + 1, end, word))
        at = end
    return path
