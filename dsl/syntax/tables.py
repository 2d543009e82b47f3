"""The parser's tables: made by Lark from `grammar.lark`, stored in `grammar.json`, read without Lark.

`python -m judgeflow.dsl.syntax.tables` writes the file anew. States are numbered in the order in which they are
reached, so that the same grammar always gives the same file. One state is one line: `[t, a, t, a, …]` for
terminals and `[n, a, n, a, …]` for nonterminals, where an action is

* `0 <= a < len(states)`: go to state `a`;
* `a >= len(states)`: the state behind it could only reduce rule `a - len(states)`, so reduce at once;
* `a < 0`: reduce rule `~a`.
"""

from __future__ import annotations

import os
import sys
from binascii import crc32
from operator import itemgetter
from typing import TYPE_CHECKING, cast

import msgspec

if TYPE_CHECKING:
    from lark import Lark
    from lark.grammar import Rule
    from lark.parsers.grammar_analysis import State
    from lark.parsers.lalr_parser import LALR_Parser

_FOLDER = os.path.dirname(__file__)
GRAMMAR_PATH = os.path.join(_FOLDER, "grammar.lark")
TABLES_PATH = os.path.join(_FOLDER, "grammar.json")
STARTS = ("declaration", "expression")
END = "$END"


class RuleRow(msgspec.Struct, frozen=True, array_like=True):
    """A rule: its nonterminal, how many symbols it replaces, and the action's name (empty: the one child is
    the value)."""

    nonterminal: int
    size: int
    action: str


class Tables(msgspec.Struct, frozen=True):
    sha256: str
    checksum: int
    """CRC-32 of the grammar: what is compared at start-up, where hashlib would cost more than the parse."""
    terminals: tuple[str, ...]
    literals: dict[str, int]
    """Keywords and punctuation as typed, with their terminals."""
    nonterminals: tuple[str, ...]
    rules: tuple[RuleRow, ...]
    starts: dict[str, int]
    ends: dict[str, int]
    actions: tuple[tuple[int, ...], ...]
    gotos: tuple[tuple[int, ...], ...]


def _bytes(path: str) -> bytes:
    with open(path, "rb") as file:
        return file.read()


def load_tables() -> Tables:
    """The stored tables, or fresh ones (from Lark, a third of a second) while the grammar is being
    changed."""
    grammar = _bytes(GRAMMAR_PATH)
    if os.path.exists(TABLES_PATH):
        tables = msgspec.json.decode(_bytes(TABLES_PATH), type=Tables)
        if tables.checksum == crc32(grammar):
            return tables
    return build_tables(grammar)


def analyse(grammar: str, debug: bool = False) -> Lark:
    """Lark's reading of the grammar; with `debug` it logs every shift/reduce conflict."""
    from lark import Lark  # noqa: PLC0415
    from lark.lexer import Lexer, LexerState  # noqa: PLC0415

    class NoLexer(Lexer):
        """Lark's lexer is never used."""

        def __init__(self, lexer_conf: object) -> None:
            pass

        def lex(self, lexer_state: LexerState, parser_state: object) -> object:  # type: ignore[override]
            raise NotImplementedError

    return Lark(
        grammar, parser="lalr", lexer=NoLexer, start=list(STARTS), debug=debug, maybe_placeholders=False
    )


def build_tables(grammar: bytes) -> Tables:
    """The tables of a grammar. Raises `lark.exceptions.GrammarError` for one that is not LALR(1)."""
    import hashlib  # noqa: PLC0415

    from lark.lexer import PatternStr  # noqa: PLC0415

    lark = analyse(grammar.decode())
    rules = sorted(lark.rules, key=lambda rule: (rule.origin.name, rule.order, str(rule)))
    terminals = (END, *sorted({str(item.name) for rule in rules for item in rule.expansion if item.is_term}))
    nonterminals = tuple(sorted({str(rule.origin.name) for rule in rules}))
    terminal_ids, nonterminal_ids = _numbered(terminals), _numbered(nonterminals)
    states = _States(lark, rules)
    actions = [states.row(state, terminal_ids) for state in states.order]
    gotos = [states.row(state, nonterminal_ids) for state in states.order]
    for number in states.ends.values():
        actions[number] = {0: number}
    reducing = {
        number: len(actions) + ~next(iter(row.values()))
        for number, row in enumerate(actions)
        if len(set(row.values())) == 1 and next(iter(row.values())) < 0 and not gotos[number]
    }
    return Tables(
        sha256=hashlib.sha256(grammar).hexdigest(),
        checksum=crc32(grammar),
        terminals=terminals,
        literals={
            terminal.pattern.value: terminal_ids[terminal.name]
            for terminal in sorted(lark.terminals, key=lambda terminal: terminal.name)
            if isinstance(terminal.pattern, PatternStr)
        },
        nonterminals=nonterminals,
        rules=tuple(
            RuleRow(nonterminal_ids[rule.origin.name], len(rule.expansion), _action(rule)) for rule in rules
        ),
        starts=states.starts,
        ends=states.ends,
        actions=tuple(_flat(row, reducing) for row in actions),
        gotos=tuple(_flat(row, reducing) for row in gotos),
    )


class _States:
    """Lark's states, numbered in the order in which they are reached from the starts."""

    def __init__(self, lark: Lark, rules: list[Rule]) -> None:
        self.table = cast("LALR_Parser", lark.parser.parser)._parse_table
        self.rules = {rule: number for number, rule in enumerate(rules)}
        self.order = [self.table.start_states[start] for start in STARTS]
        seen = set(self.order)
        for state in self.order:
            for _symbol, (kind, target) in sorted(self.table.states[state].items(), key=itemgetter(0)):
                if kind.name == "Shift" and target not in seen:
                    seen.add(target)
                    self.order.append(target)
        self.numbers = {state: number for number, state in enumerate(self.order)}
        self.starts = {start: self.numbers[self.table.start_states[start]] for start in STARTS}
        self.ends = {start: self.numbers[self.table.end_states[start]] for start in STARTS}

    def row(self, state: State, symbols: dict[str, int]) -> dict[int, int]:
        """A state's actions, for some symbols."""
        return {
            symbols[symbol]: self.numbers[target] if kind.name == "Shift" else ~self.rules[target]
            for symbol, (kind, target) in self.table.states[state].items()
            if symbol in symbols
        }


def _numbered(names: tuple[str, ...]) -> dict[str, int]:
    return {name: number for number, name in enumerate(names)}


def _action(rule: Rule) -> str:
    if rule.alias:
        return str(rule.alias)
    return "" if len(rule.expansion) == 1 else str(rule.origin.name)


def _flat(row: dict[int, int], reducing: dict[int, int]) -> tuple[int, ...]:
    return tuple(number for key in sorted(row) for number in (key, reducing.get(row[key], row[key])))


def render(tables: Tables) -> str:
    """The file's text: one state, rule or name list a line, so that a change of the grammar gives a readable
    diff."""
    lines = []
    for name in tables.__struct_fields__:
        value = getattr(tables, name)
        if name in ("rules", "actions", "gotos"):
            rows = ",\n".join(msgspec.json.encode(row).decode() for row in value)
            lines.append(f'"{name}":[\n{rows}\n]')
        else:
            lines.append(f'"{name}":{msgspec.json.encode(value).decode()}')
    return "{\n" + ",\n".join(lines) + "\n}\n"


def main() -> None:
    tables = build_tables(_bytes(GRAMMAR_PATH))
    with open(TABLES_PATH, "w", encoding="utf-8", newline="\n") as file:
        file.write(render(tables))
    sys.stdout.write(f"{TABLES_PATH}: {len(tables.actions)} states, {len(tables.rules)} rules\n")


if __name__ == "__main__":
    main()
