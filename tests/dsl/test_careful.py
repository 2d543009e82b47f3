"""Stretches that are driven twice end where reading one token at a time ends, with the same stacks."""

import random
from pathlib import Path

import pytest

from judgeflow.dsl.parse import parse_chunk, read_texts
from judgeflow.dsl.syntax.careful import drive_carefully, progress
from judgeflow.dsl.syntax.chunks import split
from judgeflow.dsl.syntax.lalr import Stack, load_grammar
from judgeflow.dsl.syntax.lexer import LINE_END, Lexed
from judgeflow.dsl.syntax.soft_keywords import breaks_off

GRAMMAR = load_grammar()
PROGRAMS = sorted((Path(__file__).parent / "programs").glob("*.judge"))
WORDS = (
    "at model case best of race loop parallel given when picked by judge ask text all any until x Thing if else in "
    'return 3 30s } ) ] , = : . { ( [ " -'
)
ENDING = ("=\n", ".\n", "not\n", "with\n", "stop\n", "by\n", "model\n")
"""What may not end a line, or may only here and there."""
TYPED = [*WORDS.split(), "\n", *ENDING]


def plain_drive(lexed: Lexed, stack: Stack) -> bool:
    while True:
        terminal = GRAMMAR.read(stack.states, lexed.kinds, stack.index)
        if terminal is None or not GRAMMAR.accepts(stack.states, terminal):
            return False
        if lexed.kinds[stack.index] >= LINE_END and breaks_off(
            GRAMMAR.tables.literals, lexed.kinds, stack.index, terminal
        ):
            return False
        GRAMMAR.feed(stack.states, terminal, stack.values, lexed.values[stack.index])
        if terminal == 0:
            return True
        stack.index += 1


def plain_progress(states: list[int], kinds: list[int], limit: int) -> int:
    states, kinds = states[:], [*kinds, 0]
    for index in range(min(limit, len(kinds) - 1)):
        terminal = GRAMMAR.read(states, kinds, index)
        if terminal is None or not GRAMMAR.feed(states, terminal):
            return index
        if terminal == 0:
            return limit
    return min(limit, len(kinds) - 1)


def mistyped(chance: random.Random) -> str:
    text = chance.choice(PROGRAMS).read_text(encoding="utf-8")
    start, end = chance.choice(split(text))
    text = text[start:end]
    for _ in range(chance.randrange(1, 4)):
        at = chance.randrange(len(text) + 1)
        text = f"{text[:at]} {chance.choice(TYPED)} {text[at + chance.randrange(3) :]}"
    return text


def lexed(text: str) -> Lexed:
    found = GRAMMAR.lexer.lex(text)
    read_texts(GRAMMAR, text, found, [])
    return found


@pytest.mark.parametrize("seed", range(20))
def test_a_careful_parse_is_that_of_one_token_at_a_time(seed: int) -> None:
    chance = random.Random(seed)
    for _ in range(15):
        text = mistyped(chance)
        fast, plain = (Stack([GRAMMAR.tables.starts["declaration"]], []) for _ in range(2))
        done = drive_carefully(GRAMMAR, lexed(text), fast)
        assert done == plain_drive(lexed(text), plain), text
        if done:
            assert fast.values[0] == plain.values[0], text
        else:
            assert fast == plain, text


@pytest.mark.parametrize("seed", range(20))
def test_what_a_repair_carries_over_is_what_one_token_at_a_time_does(seed: int) -> None:
    chance = random.Random(seed)
    for _ in range(15):
        text = mistyped(chance)
        stack = Stack([GRAMMAR.tables.starts["declaration"]], [])
        drive_carefully(GRAMMAR, lexed(text), stack)
        kinds = GRAMMAR.lexer.lex(text).kinds[stack.index :]
        for candidate in (kinds, kinds[1:], [chance.choice(list(GRAMMAR.ids.values())), *kinds]):
            limit = chance.randrange(1, 12)
            assert progress(GRAMMAR, stack.states, candidate, limit) == plain_progress(
                stack.states, candidate, limit
            ), text


@pytest.mark.parametrize("seed", range(20))
def test_what_is_expected_is_every_terminal_that_is_accepted(seed: int) -> None:
    chance = random.Random(seed)
    for _ in range(15):
        text = mistyped(chance)
        stack = Stack([GRAMMAR.tables.starts["declaration"]], [])
        drive_carefully(GRAMMAR, lexed(text), stack)
        accepted = {kind for kind in GRAMMAR.ids.values() if GRAMMAR.accepts(stack.states, kind)}
        if GRAMMAR.accepts(stack.states, 0):
            accepted.add(0)
        assert GRAMMAR.expected(stack.states) == accepted, text


def test_a_statement_before_the_mistake_is_not_blamed() -> None:
    _, found = parse_chunk("flow main(a: text) -> text {\n  x = a\n  at = f(x)\n  y = = 3\n  return x\n}")
    assert [error.message for error in found] == ["I expected a value after `=`, not `=`"]
