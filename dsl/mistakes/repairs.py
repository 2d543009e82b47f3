"""One token put in, exchanged or left out, so that a parse that has stopped goes on: which one would do?"""

from __future__ import annotations

from collections.abc import Iterator
from functools import lru_cache

from ..suggest import Names, closest
from ..syntax.careful import progress
from ..syntax.lalr import Grammar, Stack, load_grammar
from ..syntax.lexer import LINE_END, Lexed
from .mistake import Repair
from .name_errors import shape_meant
from .place import LISTS, Place, Tokens, symbol

_FAR = 8
"""Tokens that are played through to see whether a repair holds."""
_MARKS = (",", ")", "]", "}", ":", "{", "=", "->", "..")
_WORDS = (
    "then",
    "else",
    "in",
    "of",
    "at",
    "most",
    "least",
    "times",
    "once",
    "by",
    "for",
    "with",
    "per",
    "when",
    "keep",
)


@lru_cache(maxsize=512)
def _keywords(kinds: frozenset[int]) -> Names:
    """The keywords among some terminals: the same places ask for the same ones again and again."""
    spellings = load_grammar().spellings
    words = (spellings[kind] for kind in sorted(kinds) if kind in spellings)
    return Names([word for word in words if word[0].isalpha()])


class Repairs:
    """Looks for the repair of a mistake by playing the tokens that follow through on a copy of the stack."""

    def __init__(self, grammar: Grammar, lexed: Lexed, tokens: Tokens) -> None:
        self.grammar, self.lexed, self.tokens = grammar, lexed, tokens
        self.literals = grammar.tables.literals

    def find(self, stack: Stack, place: Place) -> Repair | None:
        """The repair that carries furthest; None where none carries past the line."""
        index, kinds = stack.index, self.lexed.kinds
        if kinds[index] >= LINE_END:
            return self._line_break(stack)
        repair = self._misread(stack) or self._branch(stack) or self._meant(stack, place)
        if repair is not None:
            return repair
        needed = self._needed(index)
        best: tuple[int, int, Repair] | None = None
        for rank, candidate in enumerate(self._candidates(stack, place)):
            reach = self._reach(stack.states, candidate, index)
            if reach >= needed and (best is None or (reach, -rank) > best[:2]):
                best = (reach, -rank, candidate)
        return best[2] if best else None

    def _line_break(self, stack: Stack) -> Repair | None:
        """What belongs to the last token of a line stands on the next one, or nowhere."""
        index = stack.index
        kind = self.lexed.kinds[index] - LINE_END
        window = [kind, *self.lexed.kinds[index + 1 : index + _FAR + 2]]
        needed = min(_FAR, self._needed(index + 1) + 1)
        return Repair("join", kind) if progress(self.grammar, stack.states, window, _FAR) >= needed else None

    def _misread(self, stack: Stack) -> Repair | None:
        """A misspelt keyword at the start of a clause or statement passes for a name at first."""
        index, states = stack.index, stack.states
        if len(states) < 3 or symbol(states[-1]) not in ("NAME", "name", "dotted", "path", "scorer_ref"):
            return None
        if symbol(states[-2]) not in (*LISTS, "negation") or self.lexed.kinds[index] == self.literals["="]:
            return None
        word = self.tokens.spelling(index - 1)
        spelt = closest(word, _keywords(frozenset(self.grammar.row(states[-2]))))
        if spelt is None:
            return None
        window = [self.literals[spelt], *self.lexed.kinds[index : index + _FAR + 1]]
        if progress(self.grammar, states[:-1], window, 3) < min(3, len(self.lexed.kinds) - index):
            return None
        return Repair("reread", self.literals[spelt], spelt)

    def _branch(self, stack: Stack) -> Repair | None:
        """A misspelt `else` passes for the name of the next statement; the `if` before it is over by then."""
        index, kinds = stack.index, self.lexed.kinds
        if index < 2 or kinds[index - 2] != self.literals["}"] or symbol(stack.states[-1]) != "NAME":
            return None
        if kinds[index] not in (self.literals["{"], self.literals["if"]):
            return None
        spelt = closest(self.tokens.spelling(index - 1), ("else", "uncertain"))
        return Repair("respell", self.literals[spelt], spelt) if spelt is not None else None

    def _meant(self, stack: Stack, place: Place) -> Repair | None:
        """A word in the wrong case or a reserved one is still the name; a misspelt keyword is still the
        keyword."""
        index, names = stack.index, self.grammar.kinds
        kind, word = self.lexed.kinds[index] % LINE_END, self.tokens.spelling(index)
        if kind not in self.grammar.readings or not word[:1].isalpha():
            return None
        shape = shape_meant(word) if names["PRIM"] in place.expected and word[0].islower() else None
        if shape is not None:
            return Repair("replace", names["PRIM"], shape)
        spelt = closest(word, _keywords(place.expected))
        if spelt is not None:
            repair = Repair("replace", self.literals[spelt], spelt)
            reach = self._reach(stack.states, repair, index)
            alone = Repair("delete", kind)
            if self._is_unfinished(index) and self._reach(stack.states, alone, index) > reach:
                return alone
            if reach >= 2:
                return repair
        in_expression = names["NUMBER"] in place.expected
        for wanted in ("NAME", "TYPENAME"):
            repair = Repair("replace", names[wanted])
            needed = self._needed(index) if in_expression else 2
            if names[wanted] in place.expected and self._reach(stack.states, repair, index) >= needed:
                return repair
        return None

    def _is_unfinished(self, index: int) -> bool:
        """A word alone on its line may still lack its value, which is not the keyword of the next line."""
        return self.tokens.first_on_line(index) and self.tokens.first_on_line(index + 1)

    def _candidates(self, stack: Stack, place: Place) -> Iterator[Repair]:
        kind = self.lexed.kinds[stack.index]
        for mark in (*_MARKS, *_WORDS):
            if self.literals[mark] in place.expected and (mark != "}" or self._may_close(stack)):
                yield Repair("insert", self.literals[mark], mark)
        if kind == 0:
            return
        yield Repair("delete", kind)
        if kind in self.literals.values():
            for mark in _MARKS:
                if self.literals[mark] in place.expected:
                    yield Repair("replace", self.literals[mark], mark)

    def _may_close(self, stack: Stack) -> bool:
        """Whether the indentation allows that the innermost block ends before the next token."""
        index = stack.index
        braces = [level for level, state in enumerate(stack.states) if symbol(state) == "LBRACE"]
        opening = stack.values[braces[-1] - 1] if braces else None
        if self.lexed.kinds[index] == 0 or not isinstance(opening, tuple):
            return True
        return self.tokens.first_on_line(index) and self.tokens.indent(index) <= self.tokens.indent_at(
            opening[0]
        )

    def _needed(self, index: int) -> int:
        """How far a repair must carry: past the end of the line, within reason."""
        return max(2, min(_FAR, self.tokens.line_end(index) - index + 2))

    def _reach(self, states: list[int], repair: Repair, index: int) -> int:
        """How many tokens of the text a repair carries the parse over."""
        window = self.lexed.kinds[index : index + _FAR + 2]
        if repair.what == "insert":
            return progress(self.grammar, states, [repair.terminal, *window], _FAR + 1) - 1
        if repair.what == "replace":
            return progress(self.grammar, states, [repair.terminal, *window[1:]], _FAR)
        return progress(self.grammar, states, window[1:], _FAR - 1) + 1
