"""Driving that stops before a token that cannot stand, rather than behind the reductions that it has caused.

A reduction is right for some token that could have come; what was expected can only be told before it. So a stretch of
tokens is driven without building anything first, to see how far it goes, and then once more up to there.
"""

from __future__ import annotations

from .lalr import Course, Grammar, Stack, drive
from .lexer import HELD, LINE_END, Lexed
from .soft_keywords import breaks_off


def drive_carefully(grammar: Grammar, lexed: Lexed, stack: Stack, known: int = 0) -> bool:
    """As `drive`, but a token that cannot stand is told before it has caused a reduction: the stack then holds all
    that could be said about what was expected. The tokens before `known` can stand, as `drive` has found.

    Values cannot be taken back, so each stretch is driven with nothing but states first, to see where it ends."""
    if known > stack.index:
        _drive_up_to(grammar, lexed, stack, known)
    while True:
        trial = Stack(stack.states[:], [], stack.index)
        if drive(grammar, lexed, trial, grammar.barren):
            return drive(grammar, lexed, stack, grammar.sure)
        if trial.index > stack.index:
            _drive_up_to(grammar, lexed, stack, trial.index, grammar.sure)
        kind = lexed.kinds[stack.index]
        if not grammar.known(trial.states[-1], kind % LINE_END) or not _take(grammar, lexed, stack):
            return False


def _drive_up_to(
    grammar: Grammar, lexed: Lexed, stack: Stack, stop: int, course: Course | None = None
) -> None:
    lexed.kinds[stop] += HELD
    drive(grammar, lexed, stack, course)
    lexed.kinds[stop] -= HELD


def _take(grammar: Grammar, lexed: Lexed, stack: Stack) -> bool:
    """Takes one token of which a state knows several readings, or that ends its line; False where it cannot stand."""
    kind = lexed.kinds[stack.index]
    terminal = grammar.read(stack.states, lexed.kinds, stack.index)
    if terminal is None or not grammar.accepts(stack.states, terminal):
        return False
    if kind >= LINE_END and breaks_off(grammar.tables.literals, lexed.kinds, stack.index, terminal):
        return False
    grammar.feed(stack.states, terminal, stack.values, lexed.values[stack.index])
    stack.index += 1
    return True


def progress(grammar: Grammar, states: list[int], kinds: list[int], limit: int) -> int:
    """How many of some tokens can be taken behind a stack of states, `limit` at most; `limit` where the end is among
    them. A line may end anywhere."""
    kinds = [kind % LINE_END for kind in (*kinds[: limit + 1], 0)]
    stop = min(limit, len(kinds) - 1)
    kinds[stop] += HELD
    lexed = Lexed(kinds, [(0, 0, "")] * len(kinds), [], [], [])
    stack = Stack(states, [])
    while True:
        trial = Stack(stack.states[:], [], stack.index)
        if drive(grammar, lexed, trial, grammar.barren):
            return limit
        if trial.index == stop or not grammar.known(trial.states[-1], kinds[trial.index]):
            return trial.index
        stack = Stack(stack.states[:], [], stack.index)
        _drive_up_to(grammar, lexed, stack, trial.index, grammar.barren)
        terminal = grammar.read(stack.states, kinds, stack.index)
        if terminal is None or not grammar.feed(stack.states, terminal):
            return stack.index
        stack.index += 1
