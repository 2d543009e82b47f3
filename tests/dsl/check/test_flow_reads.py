"""What an expression reads and calls, found in one walk, against the plain rules."""

from __future__ import annotations

import random
from collections.abc import Iterator

import pytest

from judgeflow.dsl import ast
from judgeflow.dsl.check.flow_reads import reads
from judgeflow.dsl.parse import parse
from judgeflow.dsl.source import Source

NAMES = ("a", "b", "c", "item")


def expression(chance: random.Random, depth: int = 0) -> str:
    def inner() -> str:
        return expression(chance, depth + 1)

    name = chance.choice(NAMES)
    if depth > 4:
        return name
    return chance.choice(
        [
            lambda: name,
            lambda: "3",
            lambda: f"{name}.field",
            lambda: f"{name}[{inner()}]",
            lambda: f"call({inner()}, key: {inner()})",
            lambda: f"(not {inner()})",
            lambda: f"(-{inner()})",
            lambda: f"({inner()} {chance.choice(['and', 'or', '+', '==', 'in'])} {inner()})",
            lambda: f"({inner()} is Thing)",
            lambda: f"(if {inner()} then {inner()} else {inner()})",
            lambda: f"({chance.choice(['every', 'some'])} {name} in {inner()}: {inner()})",
            lambda: f"[{inner()}, {inner()}]",
            lambda: f"[{inner()} for {name} in {inner()}]",
            lambda: f"[{inner()} for {name} in {inner()} if {inner()}]",
            lambda: f"{{ x: {inner()}, y: {inner()} }}",
            lambda: f'"{{{{ {name}.field }}}} and {{{{ call({name}) }}}}"',
        ]
    )()


def parsed(text: str) -> ast.Expr:
    [item] = parse(Source("main.judge", f"let x = {text}\n")).items
    assert isinstance(item.node, ast.Constant), text
    assert item.diagnostics == (), text
    return item.node.value


def inside(node: object) -> Iterator[ast.Expr]:
    """The expressions right inside a node, in the order of its fields."""
    for field in getattr(node, "__struct_fields__", ()):
        value = getattr(node, field)
        for part in value if isinstance(value, tuple) else (value,):
            if isinstance(part, ast.Arg | ast.Pair):
                yield part.value
            elif isinstance(part, ast.Node) and not isinstance(part, ast.Ident):
                yield part  # type: ignore[misc]


def free_names(node: ast.Expr, own: frozenset[str] = frozenset()) -> Iterator[tuple[str, int]]:
    if isinstance(node, ast.Name):
        if node.id not in own:
            yield node.id, node.start
    elif isinstance(node, ast.Quantified | ast.Comprehension):
        yield from free_names(node.source, own)
        for part in inside(node):
            if part is not node.source:
                yield from free_names(part, own | {node.name.text})
    else:
        for part in inside(node):
            yield from free_names(part, own)


def unsure_calls(node: ast.Expr, unsure: bool = False) -> Iterator[int]:
    if isinstance(node, ast.Call) and unsure:
        yield node.start
    for index, part in enumerate(inside(node)):
        later = isinstance(node, ast.IfExpr) or (isinstance(node, ast.Binary) and node.op in ("and", "or"))
        here = isinstance(node, ast.Text | ast.Quantified | ast.Comprehension) or (later and index > 0)
        yield from unsure_calls(part, unsure or here)


def test_one_walk_finds_the_names_and_the_calls_that_the_rules_tell() -> None:
    chance = random.Random(11)
    for _ in range(150):
        expr = parsed(expression(chance))
        names, calls = reads(expr)
        assert [(name.id, name.start) for name in names] == list(free_names(expr))
        assert sorted(call.start for call, _ in calls) == sorted(unsure_calls(expr))
        assert sorted(call.start for call, _ in reads(expr, "there")[1]) == sorted(unsure_calls(expr, True))


@pytest.mark.parametrize(
    ("text", "place"),
    [
        ('"{{ call(a) }}"', "in a template"),
        ("a or call(a)", "right of `or`"),
        ("if a then call(a) else b", "after `then`"),
        ("if a then b else call(a)", "after `else`"),
        ("every x in call(a): x", "in `every`"),
        ("[b for x in a if call(x)]", "in a comprehension"),
        ("if a then [call(x) for x in b] else b", "after `then`"),
    ],
)
def test_a_call_that_may_not_run_exactly_once_has_the_outermost_place_that_says_so(
    text: str, place: str
) -> None:
    assert [found for _, found in reads(parsed(text))[1]] == [place]
