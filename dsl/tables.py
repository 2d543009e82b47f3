"""The parser's tables: made by Lark from `grammar.lark`, stored in `grammar.json`, read without Lark.

`python -m judgeflow.dsl.tables` writes the file anew. States are numbered in the order in which they are reached, so
that the same grammar always gives the same file. One state is one line: `[t, a, t, a, …]` for terminals and
`[n, a, n, a, …]` for nonterminals, where an action is

* `0 <= a < len(states)`: go to state `a`;
* `a >= len(states)`: the state behind it could only reduce rule `a - len(states)`, so reduce at once;
* `a < 0`: reduce rule `~a`.
"""

from __future__ import annotations

import sys
from binascii import crc32
from pathlib import Path
from typing import TYPE_CHECKING

import msgspec

if TYPE_CHECKING:
    from lark import Lark

_FOLDER = Path(__file__).parent
GRAMMAR_PATH = _FOLDER / "grammar.lark"
TABLES_PATH = _FOLDER / "grammar.json"
STARTS = ("declaration", "expression")
END = "$END"


class RuleRow(msgspec.Struct, frozen=True, array_like=True):
    """A rule: its nonterminal, how many symbols it replaces, and the action's name (empty: the one child is the value)."""

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


def load_tables() -> Tables:
    """The stored tables, or fresh ones (from Lark, a third of a second) while the grammar is being changed."""
    grammar = GRAMMAR_PATH.read_bytes()
    if TABLES_PATH.exists():
        tables = msgspec.json.decode(TABLES_PATH.read_bytes(), type=Tables)
        if tables.checksum == crc32(grammar):
            return tables
    return build_tables(grammar)


def analyse(grammar: str, debug: bool = False) -> Lark:
    """Lark's reading of the grammar; with `debug` it logs every shift/reduce conflict."""
    from lark import Lark
    from lark.lexer import Lexer, LexerState

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
    import hashlib

    from lark.lexer import PatternStr
    from lark.parsers.lalr_analysis import Shift

    lark = analyse(grammar.decode())
    table = lark.parser.parser._parse_table  # type: ignore[attr-defined]
    used = {str(symbol.name) for rule in lark.rules for symbol in rule.expansion if symbol.is_term}
    terminals = (END, *sorted(used))
    terminal_ids = {name: number for number, name in enumerate(terminals)}
    nonterminals = tuple(sorted({str(rule.origin.name) for rule in lark.rules}))
    nonterminal_ids = {name: number for number, name in enumerate(nonterminals)}
    rules = sorted(lark.rules, key=lambda rule: (rule.origin.name, rule.order, str(rule)))
    rule_ids = {rule: number for number, rule in enumerate(rules)}

    order = _reachable(table.states, [table.start_states[start] for start in STARTS], Shift)
    numbers = {state: number for number, state in enumerate(order)}
    ends = {start: numbers[table.end_states[start]] for start in STARTS}
    actions: list[dict[int, int]] = []
    gotos: list[dict[int, int]] = []
    for state in order:
        actions.append({})
        gotos.append({})
        for symbol, (kind, target) in table.states[state].items():
            value = numbers[target] if kind is Shift else ~rule_ids[target]
            if symbol in terminal_ids:
                actions[-1][terminal_ids[symbol]] = value
            elif not symbol.startswith("$root_"):
                gotos[-1][nonterminal_ids[symbol]] = value
    for number in ends.values():
        actions[number] = {0: number}

    reducing = {
        number: len(order) + ~next(iter(row.values()))
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
        starts={start: numbers[table.start_states[start]] for start in STARTS},
        ends=ends,
        actions=tuple(_flat(row, reducing) for row in actions),
        gotos=tuple(_flat(row, reducing) for row in gotos),
    )


def _reachable(states, starts, shift):  # type: ignore[no-untyped-def]
    order = list(starts)
    seen = set(order)
    for state in order:
        for _symbol, (kind, target) in sorted(states[state].items(), key=lambda entry: str(entry[0])):
            if kind is shift and target not in seen:
                seen.add(target)
                order.append(target)
    return order


def _action(rule) -> str:  # type: ignore[no-untyped-def]
    if rule.alias:
        return str(rule.alias)
    return "" if len(rule.expansion) == 1 else str(rule.origin.name)


def _flat(row: dict[int, int], reducing: dict[int, int]) -> tuple[int, ...]:
    return tuple(number for key in sorted(row) for number in (key, reducing.get(row[key], row[key])))


def render(tables: Tables) -> str:
    """The file's text: one state, rule or name list a line, so that a change of the grammar gives a readable diff."""
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
    tables = build_tables(GRAMMAR_PATH.read_bytes())
    TABLES_PATH.write_text(render(tables), encoding="utf-8")
    sys.stdout.write(f"{TABLES_PATH}: {len(tables.actions)} states, {len(tables.rules)} rules\n")


if __name__ == "__main__":
    main()
