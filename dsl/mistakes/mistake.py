"""A token that cannot stand where it stands, with everything around it that explains why, and words for all
of it."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from .. import ast, clauses
from ..declarations import declaration
from ..diagnostics import Diagnostic, Edit, Fix, Label
from ..syntax.lalr import Grammar, Stack
from ..syntax.lexer import LINE_END
from .place import OPENING, Place, Tokens


class Repair(msgspec.Struct, frozen=True):
    """How the parse goes on: `insert` a terminal, `replace` the token by one, `delete` the token, `join` it
    with the next line, `reread` the word before it as a keyword, or `respell` that word and begin anew."""

    what: str
    terminal: int
    text: str = ""
    """What the token then says, where that is not what was typed."""


class Mistake(msgspec.Struct, frozen=True):
    grammar: Grammar
    tokens: Tokens
    stack: Stack
    place: Place
    repair: Repair | None
    index: int
    kind: int
    span: tuple[int, int]
    spelling: str

    @property
    def at_end(self) -> bool:
        return self.kind == 0

    @property
    def is_word(self) -> bool:
        return self.spelling[:1].isalpha() and self.kind in self.grammar.readings

    @property
    def new_line(self) -> bool:
        return self.at_end or self.tokens.first_on_line(self.index)

    @property
    def in_template(self) -> bool:
        return self.stack.states[0] == self.grammar.tables.starts["expression"]

    def is_a(self, *names: str) -> bool:
        return self.kind in map(self.grammar.ids.__getitem__, names)

    def expects(self, *names: str) -> bool:
        """Whether one of these terminals, by name or as it is typed, could stand here."""
        return not self.place.expected.isdisjoint(map(self.grammar.ids.__getitem__, names))

    def after(self, kind: int) -> frozenset[int]:
        """What could stand behind a terminal, if it stood here."""
        states = self.stack.states[:]
        return self.grammar.expected(states) if self.grammar.feed(states, kind) else frozenset()

    def error(
        self,
        code: str,
        message: str,
        *,
        span: tuple[int, int] | None = None,
        label: str = "",
        labels: tuple[Label, ...] = (),
        help: str = "",
        fixes: tuple[Fix, ...] = (),
    ) -> Diagnostic:
        start, end = span or self.span
        return Diagnostic(code, "error", message, start, end, "", label, labels, help, fixes)

    @property
    def example(self) -> str:
        """A help text for the clause, statement or declaration that is under way."""
        place = self.place
        if not place.block:
            declared = declaration(place.clause)
            return f"For example: {declared.example}" if declared else ""
        known = (*clauses.CLAUSES.get(place.block, ()), *clauses.STATEMENTS, *clauses.STEPS)
        words = (place.clause, place.before)
        found = next(
            (clause for word in words for clause in known if word == clause.keyword.split()[0]), None
        )
        return f"For example: {found.example}" if found else ""

    def open_bracket(self) -> tuple[int, int] | None:
        """The innermost bracket that is open."""
        values = self.stack.values
        for level in range(len(values) - 1, -1, -1):
            value = values[level]
            if isinstance(value, tuple) and len(value) == 3 and value[2] in set(OPENING.values()):
                return value[0], value[1]
        return None


def mistake_at(
    grammar: Grammar, tokens: Tokens, stack: Stack, place: Place, repair: Repair | None
) -> Mistake:
    """The mistake of the token that a parse has stopped before."""
    index = stack.index
    start, end = tokens.span(index)
    kind, spelling = tokens.kinds[index] % LINE_END, tokens.text[start:end]
    return Mistake(grammar, tokens, stack, place, repair, index, kind, (start, end), spelling)


def fix(title: str, start: int, end: int, text: str) -> tuple[Fix, ...]:
    return (Fix(title, (Edit(start, end, text),)),)


def spelt(word: str, meant: str) -> str:
    """What to write for a word: the keyword that it was meant to be, and what has run into it, as in `flowmain`."""
    rest = word.removeprefix(meant)
    ran_into = rest != word and (rest.isdigit() or len(rest) > 2)
    return f"{meant} {rest}" if ran_into else meant


def one_of(items: Iterable[str]) -> str:
    """`a, b or c`."""
    *most, last = items
    return f"{', '.join(most)} or {last}" if most else last


_BLOCK_NAMES = {
    "case": "a case",
    "scorers": "a block of scorers",
    "decide": "a block of questions",
    "parallel": "`parallel`",
    "switch": "`switch`",
    "calls": "a block of calls",
    "options": "a block of options",
    "type": "a type",
}


def block_name(block: str) -> str:
    declared = declaration(block)
    return declared.article if declared else _BLOCK_NAMES.get(block, block)


# --- what was found -----------------------------------------------------------------------------------------


def found(mistake: Mistake) -> str:
    value = mistake.tokens.values[mistake.index]
    if mistake.at_end:
        return "the end"
    if isinstance(value, ast.Text):
        return "a text"
    if isinstance(value, ast.Number):
        return f"the number `{mistake.spelling}`"
    return f"`{mistake.spelling}`"


# --- what was wanted ----------------------------------------------------------------------------------------

_EXPRESSION = tuple(
    "NAME NUMBER MONEY DURATION TEXT true false null ( TLP [ TLSQB EMPTY { NEG not every some if "  # noqa: SIM905
    "try each best race approve".split()
)
_SHAPE = ("TYPENAME", "PRIM", "TEXT", "(", "TLP")
_CONTINUING = tuple(
    "+ MINUS * / % and or == != < <= > >= in is contains starts ends matches not . TLP "  # noqa: SIM905
    "TLSQB ? | EMPTY".split()
)
_CLASSES = (
    ("WORD", "a name"),
    ("NAME", "a name"),
    ("TYPENAME", "a type's name"),
    ("TEXT", "a text in quotes"),
    ("NUMBER", "a number"),
    ("DURATION", "a duration such as `30s`"),
    ("MONEY", "an amount such as `$0.50`"),
    ("ENVNAME", "the name of an environment variable"),
)
_MOST = 6


def wanted(grammar: Grammar, kinds: frozenset[int]) -> str:
    """What a set of terminals asks for, in a few words; empty where that would help nobody."""
    id_of = grammar.ids.__getitem__
    rest = set(kinds)

    def take(names: Iterable[str]) -> None:
        rest.difference_update(map(id_of, names))

    def has(*names: str) -> bool:
        return kinds.issuperset(map(id_of, names))

    parts: list[str] = []
    if has("NAME", "NUMBER", "true"):
        parts.append("a value")
        take(_EXPRESSION)
    elif has("TYPENAME", "PRIM"):
        parts.append("a type")
        take(_SHAPE)
    elif has("NEG", "NUMBER"):
        take(["NEG"])
    for name, words in _CLASSES:
        if grammar.kinds[name] in rest and words not in parts:
            parts.append(words)
    take([name for name, _ in _CLASSES])
    spelt = [kind for kind in sorted(rest) if kind in grammar.spellings]
    continuing = set(map(id_of, _CONTINUING))
    plain = [kind for kind in spelt if kind not in continuing]
    if 0 in rest and not parts and not plain:
        return "the end of the declaration"
    marks = [grammar.spellings[kind] for kind in plain or (spelt if not parts else [])]
    parts += [f"`{mark}`" for mark in sorted(marks, key=lambda mark: mark[0].isalpha())]
    return one_of(parts) if 0 < len(parts) <= _MOST else ""
