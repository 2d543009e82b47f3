"""What was written and parsed, but has no place in the tree: it must not vanish without a word."""

from __future__ import annotations

import msgspec

from .. import ast
from ..diagnostics import Diagnostic, Label
from ..syntax.lalr import Grammar
from ..syntax.lexer import Lexed
from .place import span_of


def losses(grammar: Grammar, lexed: Lexed, node: ast.Declaration | None) -> list[Diagnostic]:
    return [*_templates(lexed, node), *_givens(grammar, lexed, node)]


def _templates(lexed: Lexed, node: ast.Declaration | None) -> list[Diagnostic]:
    """Keys, labels and slugs are names: a template in one has nowhere to go."""
    kept = {text.start for text in _texts(node)}
    message = "This text is a name, so it cannot be a template"
    advice = "For braces as such, write \\{{."
    return [
        Diagnostic(
            "text.not-a-template",
            "error",
            message,
            start - 2,
            end + 2,
            label="stands for itself",
            help=advice,
        )
        for _, scan in lexed.scans
        for start, end in scan.templates[:1]
        if scan.start not in kept
    ]


def _texts(node: object) -> list[ast.Text]:
    found: list[ast.Text] = []
    waiting = [node]
    while waiting:
        current = waiting.pop()
        if isinstance(current, ast.Text):
            found.append(current)
        if isinstance(current, tuple):
            waiting.extend(current)
        elif isinstance(current, msgspec.Struct):
            waiting.extend(getattr(current, name) for name in current.__struct_fields__)
    return found


def _givens(grammar: Grammar, lexed: Lexed, node: ast.Declaration | None) -> list[Diagnostic]:
    """A test is given its arguments once."""
    if not isinstance(node, ast.Test):
        return []
    given, brace = grammar.tables.literals["given"], grammar.tables.literals["{"]
    block = lexed.kinds.index(brace)
    places = [
        span_of(lexed.values[index])
        for index, kind in enumerate(lexed.kinds)
        if index > block and kind == given and lexed.kinds[index + 1] == brace
    ]
    message = "This test has two `given` clauses"
    return [
        Diagnostic("clause.duplicate", "error", message, *place, labels=(Label(*places[0], "the first one"),))
        for place in places[1:]
    ]
