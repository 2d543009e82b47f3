"""The LALR driver: walks the tables, decides what each word is, and calls the functions that build the tree.

Two things set it apart from a textbook driver.

* **Soft keywords.** A word is a keyword only where the parser can take that keyword. Rows of merged LALR
  states promise more than is true, so where both readings seem possible the pending reductions are played
  through on a copy of the stack (`accepts`), and where both really are, a short table looks at the next
  token.
* **Chains.** Most reductions of an expression only pass a value on (`or: and`, `and: not`, …). They are
  skipped: where a state, a nonterminal and the next token's kind lead is remembered in `jumps`.
"""

from __future__ import annotations

from collections.abc import Callable
from functools import cache

import msgspec

from .build_tree import ACTIONS
from .lexer import LINE_END, RESERVED, Lexed, Lexer, vocabulary
from .tables import Tables, load_tables

Action = Callable[..., object]

_KEYWORD_BEFORE = {
    "approve": ("TEXT",),
    "best": ("of",),
    "compiles": ("TEXT",),
    "equals": ("TEXT",),
    "fails": ("with",),
    "length": ("NUMBER", "NEG", "MINUS", ".."),
    "race": ("{",),
    "regex": ("TEXT",),
    "schema": ("TEXT", "TYPENAME"),
}
"""Words that are a keyword before these only, where a name could stand as well."""
_NAME_BEFORE = {
    "given": ("replies", "decides", "returns", "."),
    "hidden": (":", ",", ")", "="),
    "loop": ("=", "TLP", "."),
    "parallel": ("=", "TLP", "."),
}
"""Words that are a name before these only."""
_STATE, _NONTERMINAL = 20, 11
"""Bits to shift by in a key of `jumps`; the kind of a token fits into the lowest 11."""


class Grammar:
    """The tables in the form that the driver walks; rows are unpacked when a parse first comes to their
    state."""

    def __init__(self, tables: Tables) -> None:
        self.tables = tables
        self.lexer = Lexer(vocabulary(tables))
        self.count = len(tables.actions)
        self.kinds = self.lexer.vocabulary.kinds
        self.rules: list[tuple[int, int, Action | None, int]] = [
            (
                rule.nonterminal,
                rule.size,
                ACTIONS[rule.action] if rule.action else None,
                rule.nonterminal << _NONTERMINAL,
            )
            for rule in tables.rules
        ]
        self.rows: list[dict[int, int]] = [{} for _ in tables.actions]
        """What the driver looks into first: every kind of token whose action is beyond doubt."""
        self.whole: list[dict[int, int]] = [{} for _ in tables.actions]
        self.gotos: list[dict[int, int]] = [{} for _ in tables.actions]
        self.jumps: dict[int, int] = {}
        self.ends = frozenset(tables.ends.values())
        self.readings = self._readings()
        self.looks = self._looks()
        self.before_plain_texts = frozenset(
            {**self.kinds, **tables.literals}[name]
            for name in ("{", ",", "[", "TLSQB", "model", "with", "case")
        )
        """What stands before texts that are keys, labels or slugs, among others."""

    def _readings(self) -> dict[int, tuple[int, ...]]:
        """By a token's kind, the terminals that it may stand for, the most special first."""
        name, word, environment = (self.kinds[kind] for kind in ("NAME", "WORD", "ENVNAME"))
        readings: dict[int, tuple[int, ...]] = {
            kind: (kind, word, environment) if text in RESERVED else (kind, name, word, environment)
            for text, kind in self.lexer.vocabulary.words.items()
        }
        readings[name] = (name, word, environment)
        readings[self.kinds["TYPENAME"]] = (self.kinds["TYPENAME"], word, environment)
        readings[self.kinds["MINUS"]] = (self.kinds["MINUS"], self.kinds["NEG"])
        return readings

    def _looks(self) -> dict[int, tuple[bool, frozenset[int]]]:
        """By a keyword: whether it is one, if the next token is one of these."""
        ids = {**self.kinds, **self.tables.literals}
        table = ((True, _KEYWORD_BEFORE), (False, _NAME_BEFORE))
        return {
            ids[word]: (is_keyword, frozenset(ids[mark] for mark in marks))
            for is_keyword, words in table
            for word, marks in words.items()
        }

    def row(self, state: int) -> dict[int, int]:
        """The table's own row of a state."""
        row = self.whole[state]
        if not row:
            flat = self.tables.actions[state]
            row.update(zip(flat[::2], flat[1::2], strict=True))
        return row

    def goto(self, state: int, nonterminal: int) -> int:
        row = self.gotos[state]
        if not row:
            flat = self.tables.gotos[state]
            row.update(zip(flat[::2], flat[1::2], strict=True))
        return row[nonterminal]

    def certain(self, state: int, kind: int) -> int | None:
        """What the driver may do in a state without thinking, remembered in `rows`: the action where every
        reading of the token that the row knows has the same one."""
        whole = self.row(state)
        if len(whole) == 1 and state in self.ends:
            return None
        possible = {whole[reading] for reading in self.readings.get(kind, (kind,)) if reading in whole}
        if len(possible) != 1:
            return None
        action = self.rows[state][kind] = possible.pop()
        return action

    def jump(self, state: int, nonterminal: int, kind: int) -> int:
        """Where a reduction to `nonterminal` over `state` leads when `kind` comes next, chains played
        through."""
        key = (state << _STATE) + (nonterminal << _NONTERMINAL) + kind
        while True:
            target = self.goto(state, nonterminal)
            if target >= self.count:
                rule = target - self.count
            else:
                action = self.certain(target, kind)
                rule = -1 if action is None else ~action
            if rule < 0 or self.rules[rule][1] != 1 or self.rules[rule][2] is not None:
                self.jumps[key] = target
                return target
            nonterminal = self.rules[rule][0]

    # --- one token at a time ---

    def feed(
        self, states: list[int], terminal: int, values: list[object] | None = None, token: object = None
    ) -> bool:
        """Shifts a terminal onto a stack of states, after the reductions that it calls for; with `values`,
        onto the stack of values as well. False: it cannot stand there, and the stacks are spoilt (ask
        `accepts` first)."""
        while True:
            action = self.row(states[-1]).get(terminal)
            if action is None:
                return False
            if action >= 0 and values is not None:
                values.append(token)
            if 0 <= action < self.count:
                states.append(action)
                return True
            shifted = action >= self.count
            self._reduce(states, action - self.count if shifted else ~action, int(shifted), values)
            if shifted:
                return True

    def _reduce(self, states: list[int], rule: int, missing: int, values: list[object] | None) -> None:
        while True:
            nonterminal, size, build, _ = self.rules[rule]
            if size > missing:
                del states[missing - size :]
            if build is not None and values is not None:
                children = values[len(values) - size :]
                del values[len(values) - size :]
                values.append(build(*children))
            target = self.goto(states[-1], nonterminal)
            if target < self.count:
                states.append(target)
                return
            rule, missing = target - self.count, 1

    def accepts(self, states: list[int], terminal: int) -> bool:
        """Whether a terminal can really stand behind what the stack holds."""
        action = self.row(states[-1]).get(terminal)
        return action is not None and (action >= 0 or self.feed(states[:], terminal))

    def read(self, states: list[int], kinds: list[int], index: int) -> int | None:
        """The terminal that the token at `index` is, behind a stack of states; None where it cannot stand."""
        kind = kinds[index] % LINE_END
        row = self.row(states[-1])
        readings = [reading for reading in self.readings.get(kind, (kind,)) if reading in row]
        if len(readings) > 1 and len({row[reading] for reading in readings}) > 1:
            readings = [reading for reading in readings if self.accepts(states, reading)]
        if not readings:
            return None
        if len(readings) > 1 and kind in self.looks:
            is_keyword, marks = self.looks[kind]
            if (kinds[index + 1] % LINE_END in marks) != is_keyword:
                return readings[1]
        return readings[0]


class Stack(msgspec.Struct):
    """Where a parse is: the states, the value above each of them but the first, and the index of the next
    token."""

    states: list[int]
    values: list[object]
    index: int = 0


def drive(grammar: Grammar, lexed: Lexed, stack: Stack) -> bool:  # noqa: PLR0912  # one loop, for speed
    """Goes on until the end is accepted (True; the tree is the one value left) or a token cannot stand
    (False)."""
    rows, rules, jumps, count = grammar.rows, grammar.rules, grammar.jumps, grammar.count
    kinds, tokens = lexed.kinds, lexed.values
    states, values = stack.states, stack.values
    index, state = stack.index, states[-1]
    kind = kinds[index]
    while True:
        action = rows[state].get(kind)
        if action is None:
            action = _hesitate(grammar, lexed, states, index)
            if action is None:
                stack.index = index
                return kind == 0 and state in grammar.ends
        if action >= 0:
            values.append(tokens[index])
            index += 1
            kind = kinds[index]
            if action < count:
                states.append(action)
                state = action
                continue
            rule, missing = action - count, 1
        else:
            rule, missing = ~action, 0
        while True:
            nonterminal, size, build, offset = rules[rule]
            if size > missing:
                del states[missing - size :]
            if build is not None:
                if size == 1:
                    values[-1] = build(values[-1])
                elif size:
                    children = values[-size:]
                    del values[-size:]
                    values.append(build(*children))
                else:
                    values.append(build())
            state = states[-1]
            target = jumps.get((state << 20) + offset + kind)
            if target is None:
                target = grammar.jump(state, nonterminal, kind)
            if target < count:
                break
            rule, missing = target - count, 1
        states.append(target)
        state = target


def drive_carefully(grammar: Grammar, lexed: Lexed, stack: Stack) -> bool:
    """As `drive`, but a token that cannot stand is told before it has caused a reduction: the stack then
    holds all that could be said about what was expected. Several times slower."""
    while True:
        terminal = grammar.read(stack.states, lexed.kinds, stack.index)
        if terminal is None or not grammar.accepts(stack.states, terminal):
            return False
        if lexed.kinds[stack.index] >= LINE_END and breaks_off(grammar, lexed.kinds, stack.index, terminal):
            return False
        grammar.feed(stack.states, terminal, stack.values, lexed.values[stack.index])
        if terminal == 0:
            return True
        stack.index += 1


def _hesitate(grammar: Grammar, lexed: Lexed, states: list[int], index: int) -> int | None:
    """The action where the row gives none: it was never asked for, a word has to be read twice, a line ends
    too early, the end is reached, or the token cannot stand there."""
    state, kind = states[-1], lexed.kinds[index]
    if kind < LINE_END:
        action = grammar.certain(state, kind)
        if action is not None:
            return action
    terminal = grammar.read(states, lexed.kinds, index)
    if terminal is None or state in grammar.ends:
        return None
    if kind >= LINE_END and breaks_off(grammar, lexed.kinds, index, terminal):
        return None
    return grammar.row(state)[terminal]


def breaks_off(grammar: Grammar, kinds: list[int], index: int, terminal: int) -> bool:
    """Whether a token that ends its line is really a keyword, `=` or `.` whose line must go on."""
    if terminal != kinds[index] % LINE_END:
        return False
    literals = grammar.tables.literals
    if terminal == literals["with"]:
        return index == 0 or kinds[index - 1] not in (literals["starts"], literals["ends"])
    if terminal == literals["not"]:
        return kinds[index + 1] != literals["in"] and kinds[index - 1] != literals["is"]
    if terminal == literals["stop"]:
        return index == 0 or kinds[index - 1] != literals["cascade"]
    return True


@cache
def load_grammar() -> Grammar:
    """The grammar of the language, read once."""
    return Grammar(load_tables())
