"""What can come next at a place in a declaration: what completion offers."""

from __future__ import annotations

import re

from .. import ast
from ..syntax.careful import drive_carefully
from ..syntax.lalr import Grammar, Stack, load_grammar
from ..syntax.lexer import NOTHING, PRIMITIVES, Lexed
from ..syntax.texts import Problem
from . import place
from .recover import Recovery

_WORD = re.compile(r"[A-Za-z_][A-Za-z0-9_]*\Z")
_COMMENT = re.compile(r"#[^\r\n]*\Z")
_SPELLINGS = {"TLP": "(", "TLSQB": "[", "EMPTY": "[]", "MINUS": "-", "NEG": "-"}


def expected_at(text: str, offset: int) -> frozenset[str]:
    """Keywords and marks as they are typed, and the classes NAME (any name), WORD (any word at all),
    TYPENAME, TEXT, NUMBER, DURATION, MONEY and ENVNAME. A word that ends at `offset` is taken for the
    beginning of what is wanted. Empty in a comment and in a text outside of its templates."""
    grammar = load_grammar()
    partial = _WORD.search(text, 0, offset)
    stop = partial.start() if partial and _is_word_start(text, partial.start()) else offset
    text = text[:stop]
    lexed = grammar.lexer.lex(text)
    start = "declaration"
    open_text = lexed.scans[-1][1].problem if lexed.scans and lexed.scans[-1][1].end == stop else None
    if open_text is not None:
        opening = _open_template(text, open_text)
        if opening is None:
            return frozenset()
        start = "expression"
        lexed = grammar.lexer.lex(text, opening + 2)
    elif lexed.gaps and lexed.gaps[-1][1] == stop and _COMMENT.search(text, lexed.gaps[-1][0], stop):
        return frozenset()
    return _spellings(grammar, _states(grammar, text, lexed, start))


def _open_template(text: str, problem: Problem) -> int | None:
    """Where the template begins that the end of the text is in."""
    if problem.kind == "template":
        return problem.start
    last = text.rfind("{{", problem.start)
    is_open = last > 0 and text[last - 1] != "\\" and "}}" not in text[last:]
    return last if is_open and problem.kind == "block" else None


def _is_word_start(text: str, at: int) -> bool:
    return at == 0 or not (text[at - 1].isalnum() or text[at - 1] in "_$")


def _states(grammar: Grammar, text: str, lexed: Lexed, start: str) -> list[int]:
    """The stack of states behind the last token, mistakes before it mended."""
    lexed.kinds[-1] = NOTHING
    for index, scan in lexed.scans:
        lexed.values[index] = ast.Text(scan.start, scan.end, ())
    stack = Stack([grammar.tables.starts[start]], [])
    recovery = Recovery(grammar, text, lexed, lambda _: None, [])
    while not drive_carefully(grammar, lexed, stack):
        place.settle(grammar, stack)
        if lexed.kinds[stack.index] == NOTHING or not recovery.mend(stack):
            break
    return stack.states


def _spellings(grammar: Grammar, states: list[int]) -> frozenset[str]:
    names = grammar.spellings
    words: set[str] = set()
    for kind in grammar.expected(states):
        name = grammar.tables.terminals[kind]
        if name == "PRIM":
            words.update(PRIMITIVES)
        elif kind != 0:
            words.add(names.get(kind) or _SPELLINGS.get(name, name))
    return frozenset(words)
