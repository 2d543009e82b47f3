"""Where a parse stopped: the block and the clause around it, and what could really have come next."""

from __future__ import annotations

from bisect import bisect_right
from functools import cache

import msgspec

from .. import ast
from ..syntax.lalr import Grammar, Stack, load_grammar
from ..syntax.lexer import LINE_END, Lexed, Value
from ..syntax.texts import indent_of

LISTS = {
    "provider_clauses": "provider",
    "model_clauses": "model",
    "tool_clauses": "tool",
    "agent_clauses": "agent",
    "judge_clauses": "judge",
    "rules": "case",
    "question_list": "decide",
    "gate_clauses": "gate",
    "entry_list": "scorers",
    "decision_clauses": "condition",
    "limit_list": "limits",
    "memory_clauses": "memory",
    "overrides": "profile",
    "suite_clauses": "suite",
    "test_clauses": "test",
    "statements": "flow",
    "tasks": "parallel",
    "cases": "switch",
    "call_list": "calls",
    "fields": "type",
    "option_list": "options",
}
"""The lists of the grammar, with the name of the block that they fill."""
OPENING = {"LBRACE": "{", "LPAR": "(", "TLP": "(", "LSQB": "[", "TLSQB": "["}


class Place(msgspec.Struct, frozen=True):
    expected: frozenset[int]
    """The terminals that can stand here, beyond doubt."""
    block: str
    """The innermost block, as in `clauses.CLAUSES`; empty in a head."""
    clause: str
    """The keyword of the clause or statement that is under way; empty between clauses."""
    between: bool
    """Whether a new clause or statement could begin here."""
    before: str
    """The keyword or mark that the parser took last, where it asks for something."""
    bracket: str
    """The bracket that is open here within the clause: `(`, `[`, `{`, or none."""


class Tokens:
    """The tokens of a text with their places and lines."""

    def __init__(self, text: str, lexed: Lexed) -> None:
        self.text = text
        self.kinds, self.values = lexed.kinds, lexed.values
        self.line_starts = [0, *(end for _, end in lexed.gaps)]

    def span(self, index: int) -> tuple[int, int]:
        return span_of(self.values[index])

    def spelling(self, index: int) -> str:
        start, end = self.span(index)
        return self.text[start:end]

    def line(self, index: int) -> int:
        """A number that two tokens share where they stand on one line. The end is on the last token's
        line."""
        if self.kinds[index] == 0 and index:
            index -= 1
        return self.line_at(self.span(index)[0])

    def line_at(self, offset: int) -> int:
        return bisect_right(self.line_starts, offset)

    def first_on_line(self, index: int) -> bool:
        if index == 0 or self.kinds[index] == 0:
            return index == 0
        before = self.line_at(self.span(index - 1)[0])
        return before < len(self.line_starts) and self.line_starts[before] <= self.span(index)[0]

    def indent(self, index: int) -> int:
        """How far a token's line is indented, in characters."""
        return self.indent_at(self.span(index)[0])

    def indent_at(self, at: int) -> int:
        return len(indent_of(self.text, at))

    def line_end(self, index: int) -> int:
        """The index behind the last token of a token's line."""
        line = self.line(index)
        while index < len(self.kinds) and self.kinds[index] and self.line(index) == line:
            index += 1
        return index


def span_of(value: Value) -> tuple[int, int]:
    return (value.start, value.end) if isinstance(value, ast.Node) else value[:2]


@cache
def _symbols() -> tuple[str, ...]:
    """By state, the symbol through which it is entered."""
    grammar = load_grammar()
    tables = grammar.tables
    symbols = [""] * grammar.count
    for rows, names in ((tables.actions, tables.terminals), (tables.gotos, tables.nonterminals)):
        for row in rows:
            for symbol, action in zip(row[::2], row[1::2], strict=True):
                if 0 <= action < grammar.count:
                    symbols[action] = names[symbol]
    return tuple(symbols)


def symbol(state: int) -> str:
    """The name of the terminal or nonterminal that a state stands for."""
    return _symbols()[state]


def place_of(grammar: Grammar, stack: Stack) -> Place:
    states = stack.states
    possible = grammar.expected(states)
    before = keyword_at(grammar, stack, len(states) - 1)
    bracket = ""
    for level in range(len(states) - 1, 0, -1):
        name = symbol(states[level])
        if name in LISTS:
            block = keyword_at(grammar, stack, 1) if name == "decision_clauses" else LISTS[name]
            between = not bracket and grammar.tables.literals["}"] in possible
            return Place(possible, block, keyword_at(grammar, stack, level + 1), between, before, bracket)
        bracket = bracket or OPENING.get(name, "")
    return Place(possible, "", keyword_at(grammar, stack, 1), False, before, bracket)


def settle(grammar: Grammar, stack: Stack) -> None:
    """Begins the empty list behind a brace that was just opened; the driver waits for the first token of
    it."""
    while True:
        actions = set(grammar.row(stack.states[-1]).values())
        rule = ~actions.pop() if len(actions) == 1 else -1
        if not 0 <= rule < len(grammar.rules) or grammar.rules[rule][1] != 0:
            return
        nonterminal, _, build = grammar.rules[rule]
        target = grammar.goto(stack.states[-1], nonterminal)
        if build is None or target >= grammar.count:
            return
        stack.values.append(build())
        stack.states.append(target)


def keyword_at(grammar: Grammar, stack: Stack, level: int) -> str:
    """The keyword or mark that a level of the stack stands for, if it is one."""
    if not 0 < level < len(stack.states) or symbol(stack.states[level]) not in _literal_names():
        return ""
    value = stack.values[level - 1]
    return str(value[2]) if isinstance(value, tuple) else ""


@cache
def _literal_names() -> frozenset[str]:
    tables = load_grammar().tables
    return frozenset(tables.terminals[kind] for kind in tables.literals.values()) - {"PRIM"}


def kind_of(kinds: list[int], index: int) -> int:
    return kinds[index] % LINE_END
