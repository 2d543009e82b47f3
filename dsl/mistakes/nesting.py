"""How deep a declaration is nested, told from its tokens: a tree of 5,000 levels must never be built."""

from __future__ import annotations

from ..diagnostics import Diagnostic
from ..syntax.lalr import Grammar
from ..syntax.lexer import LINE_END, Lexed
from .place import span_of

MAX_NESTING = 200
"""How deep brackets, or the values of an expression, may nest."""
_DEEPENING = ("+", "MINUS", "NEG", "*", "/", "%", "and", "or", "not", "else", "every", "some")
_CHAINING = (".", "EMPTY", "TLSQB")
_PARTING = (",", "=")
_OPENING = ("{", "(", "TLP", "[", "TLSQB")
_CLOSING = ("}", ")", "]")
_OPERANDS = ("NAME", "TYPENAME", "NUMBER", "MONEY", "DURATION", "TEXT", *_CLOSING)
_OPERATORS = frozenset(
    "and or not in is if then else every some for contains starts ends matches with of as".split()  # noqa: SIM905
)
"""Words that go on with a value. Every other word is one, or begins a clause or a statement."""


def nesting_error(grammar: Grammar, lexed: Lexed) -> Diagnostic | None:
    """The first place that is too deep. Counts, per open bracket, the operators since the last value that
    stands beside another one; that is never less than what the tree would have."""
    if 2 * len(lexed.kinds) < MAX_NESTING:  # no token counts for more than two levels
        return None
    ids = grammar.ids
    deepening, chaining, parting, opening, closing, operands = (
        frozenset(ids[name] for name in names)
        for names in (_DEEPENING, _CHAINING, _PARTING, _OPENING, _CLOSING, _OPERANDS)
    )
    words = grammar.lexer.vocabulary.words.items()
    operands |= {kind for word, kind in words if word not in _OPERATORS}
    levels = [0]
    total = chain = 0
    after_operand = False
    for index, marked in enumerate(lexed.kinds):
        kind = marked % LINE_END
        starts_operand = kind in operands and kind not in closing
        if kind in parting or (after_operand and starts_operand):
            total -= levels[-1]
            levels[-1] = 0
        if kind in deepening:
            total += 1
            levels[-1] += 1
        if kind in chaining:
            chain += 1
        elif kind in deepening or kind in parting or (after_operand and starts_operand):
            chain = 0
        if kind in opening:
            levels.append(0)
        elif kind in closing and len(levels) > 1:
            total -= levels.pop()
        if total + len(levels) + chain > MAX_NESTING:
            return too_deep(span_of(lexed.values[index])[0])
        after_operand = kind in operands
    return None


def too_deep(start: int) -> Diagnostic:
    message = f"This is nested more than {MAX_NESTING} levels deep"
    advice = "Split it: a `let`, a flow or a judge of its own can hold a part."
    return Diagnostic("syntax.too-deep", "error", message, start, start + 1, help=advice)
