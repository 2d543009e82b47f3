"""Goes on after a mistake, so that one slip costs one message and the rest of the declaration is still read.

In this order: a misread word is taken for what was meant; one token is put in, exchanged or left out where
the parse then goes on; else the rest of the clause is dropped, up to the next token that fits somewhere in
what is open. What was dropped is gone from the tree, what stands around it stays.
"""

from __future__ import annotations

from collections.abc import Callable, Iterator
from typing import cast

from .. import ast
from ..clauses import find
from ..diagnostics import Diagnostic
from ..syntax.careful import drive_carefully, progress
from ..syntax.lalr import Grammar, Stack
from ..syntax.lexer import LINE_END, NOTHING, Lexed
from .heads import bare_head
from .lexical_errors import lexical_errors
from .mistake import Mistake, Repair, mistake_at
from .nesting import nesting_error
from .place import LISTS, Tokens, place_of, settle, symbol
from .repairs import Repairs
from .syntax_errors import complain, unclosed_brace

MAX_MISTAKES = 50
"""After so many the rest of the declaration is not looked at."""
_SYNC_POINTS = 200
_CLOSING = ("}", ")", "]")


def recover(
    grammar: Grammar,
    text: str,
    lexed: Lexed,
    found: list[Diagnostic],
    stack: Stack,
    *,
    only_head: bool = False,
) -> ast.Declaration | None:
    """The tree of a declaration with mistakes, which are added to `found`; `stack` is where `drive` has stopped.
    Where nothing else can be had, it is the bare head; without a name it is None."""
    head = lexed.kinds[:3], lexed.values[:3]
    if not only_head:
        broken = [error.start for error in found]
        recovery = Recovery(grammar, text, lexed, found.append, broken)
        tree = recovery.run(stack, stack.index if _is_spoilt(stack) else 0)
        if tree is not None:
            return cast(ast.Declaration, tree)
    return bare_head(grammar, Lexed(*head, [], [], []))


def _is_spoilt(stack: Stack) -> bool:
    """Whether something was reduced for the sake of the token that cannot stand: then no terminal is on top."""
    return symbol(stack.states[-1]).islower()


def recover_template(grammar: Grammar, text: str, lexed: Lexed, found: list[Diagnostic]) -> ast.Expr | None:
    """Reports what is wrong with an expression in a text; what cannot be read as one is left out."""
    errors = lexical_errors(text, lexed)
    deep = nesting_error(grammar, lexed)
    if deep is not None:
        errors.append(deep)
    found += errors
    if deep is not None:
        return None
    stack = Stack([grammar.tables.starts["expression"]], [])
    if drive_carefully(grammar, lexed, stack):
        return cast(ast.Expr, stack.values[0])
    settle(grammar, stack)
    if not errors:
        place = place_of(grammar, stack)
        found.append(complain(mistake_at(grammar, Tokens(text, lexed), stack, place, None)))
    return None


class Recovery:
    """One declaration's parse, with its mistakes."""

    def __init__(
        self,
        grammar: Grammar,
        text: str,
        lexed: Lexed,
        report: Callable[[Diagnostic], None],
        broken: list[int],
    ) -> None:
        """`broken` are the offsets of what was reported before the parse began."""
        self.grammar, self.lexed = grammar, lexed
        self.literals = grammar.tables.literals
        self.tokens = Tokens(text, lexed)
        self.repairs = Repairs(grammar, lexed, self.tokens)
        self.plain = {grammar.kinds[name] for name in ("NAME", "TYPENAME", "WORD", "PRIM")}
        self.report = report
        self.broken_lines = {self.tokens.line_at(offset) for offset in broken}
        """Lines that a message was given for: one is enough."""
        self.resumed = 0
        self.mistakes = 0

    def run(self, stack: Stack, known: int) -> object | None:
        """The tree of a parse that has stopped; None where there is nothing to keep. With `known`, the parse is
        begun anew, and the tokens before that can stand."""
        if known:
            stack = Stack(stack.states[:1], [])
        while not drive_carefully(self.grammar, self.lexed, stack, known):
            known = 0
            self.mistakes += 1
            if self.mistakes > MAX_MISTAKES or not self.mend(stack):
                return None
        return stack.values[0]

    def mend(self, stack: Stack) -> bool:
        settle(self.grammar, stack)
        place = place_of(self.grammar, stack)
        repair = self.repairs.find(stack, place)
        self._complain(mistake_at(self.grammar, self.tokens, stack, place, repair))
        if repair is None:
            return self._resume(stack)
        self._apply(stack, repair)
        return True

    # --- one token ---

    def _apply(self, stack: Stack, repair: Repair) -> None:
        index, kinds, values = stack.index, self.lexed.kinds, self.lexed.values
        if repair.what in ("reread", "respell"):
            index -= 1
            stack.index = index
            del stack.states[-1], stack.values[-1]
        if repair.what == "respell":
            stack.index = 0
            del stack.states[1:], stack.values[:]
        start, end = self.tokens.span(index)
        if repair.what == "delete":
            del kinds[index], values[index]
        elif repair.what == "insert":
            before = self.tokens.span(index - 1)[1] if index else start
            kinds.insert(index, repair.terminal)
            values.insert(index, (before, before, repair.text))
        else:
            kinds[index] = repair.terminal
            values[index] = (start, end, repair.text or self.tokens.text[start:end])
        self.resumed = index

    # --- the rest of the clause ---

    def _resume(self, stack: Stack) -> bool:
        """Finds the nearest token from which the parse can go on, and what of the stack to give up for it."""
        if self.grammar.accepts(stack.states, 0):
            self._cut(stack, len(stack.states), len(self.lexed.kinds) - 1, [])
            return True
        outer, inner = self._floors(stack)
        for index in self._sync_points(stack.index):
            floor = inner if self.lexed.kinds[index] == self.literals["{"] else outer
            for depth in range(len(stack.states), floor, -1):
                bridge = self._bridge(stack.states[:depth], index)
                if bridge is not None:
                    self._cut(stack, depth, index, bridge)
                    return True
        return False

    def _floors(self, stack: Stack) -> tuple[int, int]:
        """How much of the stack stays. The head of a declaration is never given up: its keyword, its name,
        the brace that opens its block; and a brace in what is dropped opens no block that is open already."""
        braces = [level for level, state in enumerate(stack.states) if symbol(state) == "LBRACE"]
        return (braces[0], braces[-1]) if braces else (2, 2)

    def _sync_points(self, index: int) -> Iterator[int]:
        """Where the parse might go on: a brace, or the first token of a line. A block that begins in what is
        dropped is dropped with it, unless it never ends."""
        kinds = self.lexed.kinds
        opening, closing = self.literals["{"], self.literals["}"]
        outside: list[int] = []
        inside: list[int] = []
        depth = 0
        for at in range(index, len(kinds) - 1):
            if kinds[at] in (opening, closing) or (at > index and self.tokens.first_on_line(at)):
                (inside if depth else outside).append(at)
            if kinds[at] == opening:
                depth += 1
            elif kinds[at] == closing:
                depth = max(0, depth - 1)
            if len(outside) + len(inside) >= _SYNC_POINTS:
                break
        yield from outside
        yield from inside
        yield len(kinds) - 1

    def _bridge(self, states: list[int], index: int) -> list[str] | None:
        """What to put in so that the token at `index` can stand over a stack of states; None where nothing
        helps."""
        kinds = self.lexed.kinds
        if kinds[index] == 0:
            return self._closing(states)
        if kinds[index] == NOTHING:
            return [] if symbol(states[-1]) in LISTS else None
        if symbol(states[-1]) in LISTS and self._begins_clause(states, index):
            return []
        needed = min(3, len(kinds) - 1 - index)
        for marks in ((), (")",), ("]",), ("{",), (")", "{")):
            window = [*(self.literals[mark] for mark in marks), *kinds[index : index + needed]]
            if progress(self.grammar, states, window, len(window)) == len(window):
                return list(marks)
        return None

    def _begins_clause(self, states: list[int], index: int) -> bool:
        """Whether the token is a keyword of the block that the stack ends with, first on its line: a place to
        go on from, even if the rest of the clause is wrong as well."""
        kind = self.lexed.kinds[index] % LINE_END
        is_keyword = kind in self.grammar.row(states[-1]) and self.tokens.spelling(index)[:1].isalpha()
        return is_keyword and kind not in self.plain and self.tokens.first_on_line(index)

    def _closing(self, states: list[int]) -> list[str] | None:
        """The marks that end everything that is open; a head without a block gets an empty one."""
        states = states[:]
        closing: list[str] = []
        while not self.grammar.accepts(states, 0):
            block = ("{",) if not self.grammar.accepts(states, self.grammar.kinds["NUMBER"]) else ()
            for mark in (*_CLOSING, *block):
                if self.grammar.accepts(states, self.literals[mark]):
                    self.grammar.feed(states, self.literals[mark])
                    closing.append(mark)
                    break
            else:
                return None
        return closing

    def _cut(self, stack: Stack, depth: int, index: int, bridge: list[str]) -> None:
        del stack.states[depth:], stack.values[depth - 1 :]
        before = self.tokens.span(index - 1)[1] if index else 0
        self.lexed.kinds[index:index] = [self.literals[mark] for mark in bridge]
        self.lexed.values[index:index] = [(before, before, mark) for mark in bridge]
        stack.index = self.resumed = index

    # --- saying so ---

    def _complain(self, mistake: Mistake) -> None:
        """One message for a line, and none for what only follows from the line before."""
        index = mistake.index
        diagnostic = complain(mistake)
        line = self.tokens.line(index)
        silent = line in self.broken_lines or self.tokens.line_at(diagnostic.start) in self.broken_lines
        if not silent and self.resumed and index - self.resumed < 2 and line - 1 in self.broken_lines:
            silent = mistake.repair is None and not self._looks_like_clause(mistake)
        if mistake.new_line and not mistake.place.between and index:
            silent = silent or self.tokens.line(index - 1) in self.broken_lines
        if mistake.at_end and not silent:
            opening = unclosed_brace(mistake)
            # A brace that a repair put in has no width, and its own message already.
            silent = opening is not None and (
                opening[0] == opening[1] or self.tokens.line_at(opening[0]) in self.broken_lines
            )
        self.broken_lines.add(line)
        if not silent:
            self.report(diagnostic)

    def _looks_like_clause(self, mistake: Mistake) -> bool:
        """A word and a value, rather than the prose of a text that lost its quotes."""
        if find(mistake.place.block, mistake.place.clause) is not None:
            return True
        if not mistake.is_word or not mistake.new_line:
            return False
        return self.tokens.line_end(mistake.index) - mistake.index <= 2 and not mistake.spelling[0].isupper()
