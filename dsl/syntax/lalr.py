"""The LALR driver: walks the tables, decides what each word is, and calls the functions that build the tree.

Two things set it apart from a textbook driver.

* **Soft keywords.** A word is a keyword only where the parser can take that keyword. Rows of merged LALR
  states promise more than is true, so where both readings seem possible the pending reductions are played
  through on a copy of the stack (`accepts`), and where both really are, a short table looks at the next
  token.
* **Chains.** Most reductions of an expression only pass a value on (`or: and`, `and: not`, …). They are
  skipped: where a state, a nonterminal and the next token's kind lead, and to what, is remembered in `jumps`.
"""

from __future__ import annotations

from collections.abc import Callable, Mapping
from functools import cache, cached_property
from typing import Any, NamedTuple

import msgspec

from .build_tree import ACTIONS
from .lexer import HELD, LINE_END, Lexed, Lexer, vocabulary
from .soft_keywords import breaks_off, looks_of, readings_of
from .tables import Tables, load_tables

Action = Callable[..., object]
Rule = tuple[int, int, "Action | None", int]
"""How many states it takes off the stack, how many values, what builds the new one (None: the one value is it), and
its nonterminal, as part of a key of `jumps`."""
Jump = tuple[int, "int | None"]
"""The state that a reduction leads to, or -1 where no state is pushed, and what is done next, if that is certain."""

_NONTERMINAL = 12
"""Bits to shift by in a key of `jumps`; the kind of a token fits into the lowest 12."""


class Course(NamedTuple):
    """What a drive goes by."""

    rows: list[dict[int, int]]
    """What is looked into first: by state, every kind of token whose action is beyond doubt."""
    jumps: list[dict[int, Jump]]
    """By state, where a reduction over it leads, for each nonterminal and kind of the next token."""
    rules: list[Rule]
    """First those that find all their symbols on the stack, then those whose last one was not pushed."""
    certain: Callable[[int, int], int | None]
    """The action that a state has for a kind of token, where it is beyond doubt."""
    decide: Callable[[Lexed, list[int], int], int | None]
    """The action where a row has none."""


class Grammar:
    """The tables in the form that the driver walks; rows are unpacked when a parse first comes to their
    state."""

    def __init__(self, tables: Tables, actions: Mapping[str, Action] = ACTIONS) -> None:
        self.tables = tables
        self.lexer = Lexer(vocabulary(tables))
        self.count = len(tables.actions)
        self.kinds = self.lexer.vocabulary.kinds
        self.ids = {**self.kinds, **tables.literals}
        """Every terminal, by its name or as it is typed."""
        self.spellings = {kind: text for text, kind in tables.literals.items()}
        self.rules = [
            (rule.nonterminal, rule.size, actions[rule.action] if rule.action else None)
            for rule in tables.rules
        ]
        self.whole: list[dict[int, int]] = [{} for _ in tables.actions]
        self.gotos: list[dict[int, int]] = [{} for _ in tables.actions]
        self.parts: list[tuple[frozenset[int], list[tuple[int, frozenset[int]]]] | None] = [None] * self.count
        rules: list[Rule] = [
            (size - missing, size, build, nonterminal << _NONTERMINAL)
            for missing in (0, 1)
            for nonterminal, size, build in self.rules
        ]
        self.usual = Course(_rows(tables), _rows(tables), rules, self.agreed, self._hesitate)
        self.ends = frozenset(tables.ends.values())
        self.readings = readings_of(self.lexer.vocabulary)
        self.looks = looks_of(self.ids)
        self.before_plain_texts = frozenset(
            self.ids[name] for name in ("{", ",", "[", "TLSQB", "model", "with", "case")
        )
        """What stands before texts that are keys, labels or slugs, among others."""

    @cached_property
    def sure(self) -> Course:
        """For a parse that goes on while a state knows one reading of the next token alone."""
        tables, rules = self.tables, self.usual.rules
        return Course(_rows(tables), _rows(tables), rules, self.only, self._only)

    @cached_property
    def unsure(self) -> list[set[int]]:
        """By state, the kinds of tokens that have no action in `sure`."""
        return [set() for _ in range(self.count)]

    @cached_property
    def barren(self) -> Course:
        """As `sure`, for a parse that builds nothing."""
        return self.sure._replace(
            rules=[(states, size, None, offset) for states, size, _, offset in self.usual.rules]
        )

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

    def known(self, state: int, kind: int) -> list[int]:
        """The readings of a kind of token that a state has an action for."""
        row, readings = self.row(state), self.readings.get(kind)
        if readings is None:
            return [kind] if kind in row else []
        return [reading for reading in readings if reading in row]

    def agreed(self, state: int, kind: int) -> int | None:
        """The action that every reading of a kind of token has that a state knows."""
        row = self.row(state)
        possible = {row[reading] for reading in self.known(state, kind)} if state not in self.ends else ()
        return possible.pop() if len(possible) == 1 else None

    def only(self, state: int, kind: int) -> int | None:
        """The action for a kind of token of which a state knows a single reading."""
        known = self.known(state, kind) if state not in self.ends else ()
        return self.row(state)[known[0]] if len(known) == 1 else None

    def jump(self, course: Course, state: int, offset: int, kind: int) -> Jump:
        """Where a reduction over `state` leads when `kind` comes next, chains played through."""
        nonterminal = offset >> _NONTERMINAL
        while True:
            target = self.goto(state, nonterminal)
            if target >= self.count:
                rule = target - self.count
                jump: Jump = -1, ~(len(self.rules) + rule)
            else:
                action = course.certain(target, kind)
                rule = -1 if action is None else ~action
                jump = target, action
            if rule < 0 or self.rules[rule][1] != 1 or self.rules[rule][2] is not None:
                course.jumps[state][offset + kind] = jump
                return jump
            nonterminal = self.rules[rule][0]

    def _hesitate(self, lexed: Lexed, states: list[int], index: int) -> int | None:
        """The action where the row gives none: it was never asked for, a word has to be read twice, a line ends
        too early, the end is reached, or the token cannot stand there."""
        state, kind = states[-1], lexed.kinds[index]
        if state in self.ends or kind >= HELD:
            return None
        if kind < LINE_END:
            action = self.agreed(state, kind)
            if action is not None:
                self.usual.rows[state][kind] = action
                return action
        terminal = self.read(states, lexed.kinds, index)
        if terminal is None or (
            kind >= LINE_END and breaks_off(self.tables.literals, lexed.kinds, index, terminal)
        ):
            return None
        return self.row(state)[terminal]

    def _only(self, lexed: Lexed, states: list[int], index: int) -> int | None:
        state, kind = states[-1], lexed.kinds[index]
        unsure = self.unsure[state]
        if kind in unsure:
            return None
        action = self.only(state, kind)
        if action is None:
            unsure.add(kind)
        else:
            self.sure.rows[state][kind] = action
        return action

    # --- one token at a time ---

    def feed(
        self, states: list[int], terminal: int, values: list[object] | None = None, token: object = None
    ) -> bool:
        """Shifts a terminal onto a stack of states, after the reductions that it calls for; with `values`,
        onto the stack of values as well. False: it cannot stand there, and the stacks are spoilt (ask
        `accepts` first)."""
        count = self.count
        while True:
            action = self.row(states[-1]).get(terminal)
            if action is None:
                return False
            if action < 0:
                self.reduce(states, ~action, 0, values)
                continue
            if values is not None:
                values.append(token)
            if action < count:
                states.append(action)
            else:
                self.reduce(states, action - count, 1, values)
            return True

    def reduce(
        self, states: list[int], rule: int, missing: int = 0, values: list[object] | None = None
    ) -> None:
        """Reduces a rule, and those that are certain behind it. `missing` of its symbols have no state on the stack."""
        count, gotos = self.count, self.gotos
        while True:
            nonterminal, size, build = self.rules[rule]
            if size > missing:
                del states[missing - size :]
            if build is not None and values is not None:
                children = values[len(values) - size :]
                del values[len(values) - size :]
                values.append(build(*children))
            target = gotos[states[-1]].get(nonterminal)
            if target is None:
                target = self.goto(states[-1], nonterminal)
            if target < count:
                states.append(target)
                return
            rule, missing = target - count, 1

    def accepts(self, states: list[int], terminal: int) -> bool:
        """Whether a terminal can really stand behind what the stack holds."""
        action = self.row(states[-1]).get(terminal)
        return action is not None and (action >= 0 or self.feed(states[:], terminal))

    def expected(self, states: list[int]) -> frozenset[int]:
        """Every terminal that can really stand behind what the stack holds. A reduction is played once for all the
        terminals that call for it."""
        shifted, reduced = self.parted(states[-1])
        found = set(shifted)
        waiting = [(states, rule, terminals) for rule, terminals in reduced]
        while waiting:
            before, rule, terminals = waiting.pop()
            behind = before[:]
            self.reduce(behind, rule)
            shifted, reduced = self.parted(behind[-1])
            found |= shifted & terminals
            waiting += [(behind, rule, both) for rule, more in reduced if (both := more & terminals)]
        return frozenset(found)

    def parted(self, state: int) -> tuple[frozenset[int], list[tuple[int, frozenset[int]]]]:
        """The terminals that a state shifts, and those that it reduces a rule for, by the rule."""
        parts = self.parts[state]
        if parts is None:
            row = self.row(state)
            reduced: dict[int, set[int]] = {}
            for terminal, action in row.items():
                if action < 0:
                    reduced.setdefault(~action, set()).add(terminal)
            shifted = frozenset(terminal for terminal, action in row.items() if action >= 0)
            groups = [(rule, frozenset(terminals)) for rule, terminals in reduced.items()]
            parts = self.parts[state] = (shifted, groups)
        return parts

    def read(self, states: list[int], kinds: list[int], index: int) -> int | None:
        """The terminal that the token at `index` is, behind a stack of states; None where it cannot stand."""
        kind = kinds[index] % LINE_END
        readings = self.known(states[-1], kind)
        if len(readings) > 1:
            row = self.row(states[-1])
            if len({row[reading] for reading in readings}) > 1:
                readings = [reading for reading in readings if self.accepts(states, reading)]
            if len(readings) > 1 and kind in self.looks:
                is_keyword, marks = self.looks[kind]
                if (kinds[index + 1] % LINE_END in marks) != is_keyword:
                    return readings[1]
        return readings[0] if readings else None


def _rows(tables: Tables) -> list[dict[int, Any]]:
    return [{} for _ in tables.actions]


class Stack(msgspec.Struct):
    """Where a parse is: the states, the value above each of them but the first, and the index of the next
    token."""

    states: list[int]
    values: list[object]
    index: int = 0


def drive(grammar: Grammar, lexed: Lexed, stack: Stack, course: Course | None = None) -> bool:  # noqa: PLR0912  # one loop, for speed
    """Goes on until the end is accepted (True; the tree is the one value left) or a token cannot stand
    (False)."""
    course = course or grammar.usual
    rows, jumps, rules, _, decide = course
    count, behind_shift = grammar.count, len(grammar.rules) - grammar.count
    kinds, tokens = lexed.kinds, lexed.values
    states, values, index = stack.states, stack.values, stack.index
    kind = kinds[index]
    action = rows[states[-1]].get(kind)
    while True:
        if action is None:
            action = decide(lexed, states, index)
            if action is None:
                stack.index = index
                return kind == 0 and states[-1] in grammar.ends
        if action >= 0:
            values.append(tokens[index])
            index += 1
            kind = kinds[index]
            if action < count:
                states.append(action)
                action = rows[action].get(kind)
                continue
            rule = rules[action + behind_shift]
        else:
            rule = rules[~action]
        pushed, size, build, offset = rule
        if pushed > 0:
            del states[-pushed:]
        if build is None:
            pass
        elif size == 1:
            values[-1] = build(values[-1])
        elif size == 2:
            last = values.pop()
            values[-1] = build(values[-1], last)
        elif size == 3:
            last, middle = values.pop(), values.pop()
            values[-1] = build(values[-1], middle, last)
        elif size:
            children = values[-size:]
            del values[-size:]
            values.append(build(*children))
        else:
            values.append(build())
        state = states[-1]
        state, action = jumps[state].get(offset + kind) or grammar.jump(course, state, offset, kind)
        if state >= 0:
            states.append(state)


@cache
def load_grammar() -> Grammar:
    """The grammar of the language, read once."""
    return Grammar(load_tables())
