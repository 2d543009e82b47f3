"""The grammar is LALR(1) without a conflict, its tables are fresh, and nothing in it is dead."""

import hashlib
import logging
from collections.abc import Callable
from pathlib import Path

import lark
import pytest

from judgeflow.dsl import ast, clauses
from judgeflow.dsl.declarations import DECLARATIONS
from judgeflow.dsl.mistakes.place import LISTS, symbol
from judgeflow.dsl.parse import parse, parse_chunk, read_texts
from judgeflow.dsl.source import Source
from judgeflow.dsl.syntax.build_tree import ACTIONS
from judgeflow.dsl.syntax.chunks import split
from judgeflow.dsl.syntax.lalr import Grammar, Stack, drive, load_grammar
from judgeflow.dsl.syntax.lexer import RESERVED
from judgeflow.dsl.syntax.tables import GRAMMAR_PATH, TABLES_PATH, analyse, build_tables, load_tables, render

PROGRAMS = sorted((Path(__file__).parent / "programs").glob("*.judge"))


def test_the_grammar_has_no_conflict(caplog: pytest.LogCaptureFixture) -> None:
    lark.logger.propagate = True
    try:
        with caplog.at_level(logging.DEBUG, logger=lark.logger.name):
            analyse(Path(GRAMMAR_PATH).read_text(encoding="utf-8"), debug=True)
    finally:
        lark.logger.propagate = False
    assert [line for line in caplog.messages if "onflict" in line or "collision" in line] == []


def test_a_conflict_would_be_seen(caplog: pytest.LogCaptureFixture) -> None:
    grammar = Path(GRAMMAR_PATH).read_text(encoding="utf-8")
    ambiguous = grammar.replace('    | or "or" and -> binary', '    | or "or" or -> binary', 1)
    assert ambiguous != grammar
    lark.logger.propagate = True
    try:
        with caplog.at_level(logging.DEBUG, logger=lark.logger.name):
            analyse(ambiguous, debug=True)
    finally:
        lark.logger.propagate = False
    assert any("Shift/Reduce" in line for line in caplog.messages)


def test_the_stored_tables_are_those_of_the_grammar() -> None:
    grammar = Path(GRAMMAR_PATH).read_bytes()
    tables = build_tables(grammar)
    assert load_tables().sha256 == hashlib.sha256(grammar).hexdigest()
    assert Path(TABLES_PATH).read_text(encoding="utf-8") == render(tables), (
        "run python -m judgeflow.dsl.syntax.tables"
    )


def test_every_action_of_the_grammar_is_a_function_and_every_function_is_used() -> None:
    assert {rule.action for rule in load_tables().rules if rule.action} == set(ACTIONS)


@pytest.mark.parametrize("program", PROGRAMS, ids=lambda path: path.stem)
def test_the_programs_parse(program: Path) -> None:
    module = parse(Source(program.name, program.read_text(encoding="utf-8")))
    assert module.diagnostics == ()
    assert all(item.node for item in module.items)


def test_the_programs_use_every_rule_that_builds_something() -> None:
    used: set[str] = set()

    def recorded(name: str, build: Callable[..., object]) -> Callable[..., object]:
        def record(*children: object) -> object:
            used.add(name)
            return build(*children)

        return record

    grammar = Grammar(load_tables(), {name: recorded(name, build) for name, build in ACTIONS.items()})
    for program in PROGRAMS:
        text = program.read_text(encoding="utf-8")
        for start, end in split(text):
            lexed = grammar.lexer.lex(text[start:end])
            read_texts(grammar, text[start:end], lexed, [])
            assert drive(grammar, lexed, Stack([grammar.tables.starts["declaration"]], []))
    assert set(ACTIONS) - used == set()


def keywords_of(block: str) -> set[str]:
    """The words that can begin a clause in a block, according to the tables."""
    grammar = load_grammar()
    terminals = {kind: word for word, kind in grammar.tables.literals.items()}
    states = [state for state in range(grammar.count) if LISTS.get(symbol(state)) == block]
    words = {terminals[kind] for state in states for kind in grammar.row(state) if kind in terminals}
    return {word for word in words if word[0].isalpha()}


DECISIONS = ("condition", "choice", "scale")


@pytest.mark.parametrize(
    "block", [block for block in clauses.CLAUSES if block not in (*DECISIONS, "scorers")]
)
def test_the_table_of_clauses_says_what_the_grammar_takes(block: str) -> None:
    assert {clause.keyword.split()[0] for clause in clauses.CLAUSES[block]} == keywords_of(block)


def test_decisions_share_their_grammar() -> None:
    assert {clause.keyword for kind in DECISIONS for clause in clauses.CLAUSES[kind]} == keywords_of(
        "condition"
    )


def test_the_table_of_statements_says_what_the_grammar_takes() -> None:
    assert {clause.keyword for clause in clauses.STATEMENTS} | {"try"} == keywords_of("flow")


def test_the_table_of_declarations_says_what_the_grammar_takes() -> None:
    grammar = load_grammar()
    terminals = {kind: word for word, kind in grammar.tables.literals.items()}
    row = grammar.row(grammar.tables.starts["declaration"])
    assert {terminals[kind] for kind in row} == {kind.keyword.split()[0] for kind in DECLARATIONS}


def test_every_reserved_word_is_a_keyword() -> None:
    assert set(load_grammar().tables.literals) >= RESERVED


@pytest.mark.parametrize("kind", DECLARATIONS, ids=lambda kind: kind.keyword)
def test_the_examples_of_declarations_parse(kind: object) -> None:
    assert parse_chunk(kind.example)[1] == ()  # type: ignore[attr-defined]


WRAPPED = {
    "provider": "provider a {{ {} }}",
    "model": 'model a "b" {{ {} }}',
    "tool": "tool a {{ {} }}",
    "agent": "agent a {{ {} }}",
    "judge": "judge a {{ {} }}",
    "case": "code judge a {{ case B {{ {} }} }}",
    "gate": "gate a(b) {{ {} }}",
    "condition": "condition a(b) {{ {} }}",
    "choice": "choice a(b) {{ {} }}",
    "scale": "scale a(b) {{ {} }}",
    "limits": "limits {{ {} }}",
    "memory": "memory {{ {} }}",
    "profile": "profile a {{ {} }}",
    "suite": "suite a for b {{ {} }}",
    "test": 'test "a" for b {{ {} }}',
}
EXAMPLES = [(block, clause) for block in WRAPPED for clause in clauses.CLAUSES[block]]


@pytest.mark.parametrize(("block", "clause"), EXAMPLES, ids=lambda item: getattr(item, "keyword", item))
def test_the_examples_of_clauses_parse(block: str, clause: clauses.Clause) -> None:
    node, found = parse_chunk(WRAPPED[block].format(clause.example))
    assert found == ()
    written = getattr(node, "clauses", ())
    assert all(item.keyword == clause.keyword for item in written if isinstance(item, ast.Clause))


@pytest.mark.parametrize("clause", [*clauses.STATEMENTS, *clauses.STEPS], ids=lambda clause: clause.keyword)
def test_the_examples_of_statements_parse(clause: clauses.Clause) -> None:
    example = clause.example.replace("…", "f()")
    prefix = "x = " if clause in clauses.STEPS else ""
    example = {"switch": "switch f(x) { case a { } }"}.get(clause.keyword, example)
    assert parse_chunk(f"flow f(x: text) {{ {prefix}{example} }}")[1] == ()
