"""What declarations mention and call: the same as a plain walk over their trees finds."""

from __future__ import annotations

import random
from collections.abc import Iterator
from pathlib import Path
from types import NoneType, UnionType
from typing import Any, Literal, get_args, get_origin, get_type_hints

import pytest

from judgeflow.dsl import ast
from judgeflow.dsl.check.entry import Entry
from judgeflow.dsl.check.surface import clause_of, dotted, surface_of
from judgeflow.dsl.mentions import callers_in, mentions, read
from judgeflow.dsl.syntax.chunks import split

PROGRAMS = sorted(
    [
        *(Path(__file__).parent / "programs").glob("*.judge"),
        *Path(__file__).parents[2].glob("examples/*.judge"),
    ]
)
TEXTS = [path.read_text(encoding="utf-8") for path in PROGRAMS]
CHUNKS = [text[start:end] for text in TEXTS for start, end in split(text)]
TYPED = "abcXYZ019_ \n\t{}[]()\"'`.,:;=<>|?!#-+*/%$\\é"
WORDS = ("a", "B", "get_order", "browse.open", "calls", "v/m-1.5", "")
HINTS: dict[type, dict[str, Any]] = {
    kind: {name: hint for name, hint in get_type_hints(kind).items() if name in kind.__struct_fields__}
    for kind in vars(ast).values()
    if isinstance(kind, type) and issubclass(kind, ast.Node) and kind is not ast.Node
}
OWN_NAMES = {
    (ast.Field, "name"),
    (ast.Arg, "name"),
    (ast.Pair, "key"),
    (ast.Param, "name"),
    (ast.TypeField, "name"),
    (ast.Quantified, "name"),
    (ast.Comprehension, "name"),
    (ast.Let, "name"),
    (ast.Bind, "name"),
    (ast.Each, "name"),
    (ast.Option, "name"),
    (ast.Question, "name"),
    (ast.ScorerEntry, "alias"),
    *((kind, "name") for kind in get_args(ast.Declaration) if kind is not ast.Workflow),
}


def nodes(tree: object, *, own_names: bool = True) -> Iterator[Any]:
    """Every node of a tree, in order; without `own_names`, those are left out that introduce a name."""
    if isinstance(tree, tuple):
        for part in tree:
            yield from nodes(part, own_names=own_names)
    elif isinstance(tree, ast.Node):
        yield tree
        for field in tree.__struct_fields__:
            if own_names or (type(tree), field) not in OWN_NAMES:
                yield from nodes(getattr(tree, field), own_names=own_names)


def plain_mentions(node: object) -> set[str]:
    found = set()
    for each in nodes(node, own_names=False):
        match each:
            case ast.Ident(text=text):
                found.add(text.partition(".")[0])
            case ast.Name(id=name) | ast.TypeRef(name=name) | ast.ModelRef(text=name):
                found.add(name)
    return found


def plain_callers(tree: object) -> list[Any]:
    return [node for node in nodes(tree) if isinstance(node, ast.Call | ast.Best | ast.Ask | ast.GateJudge)]


def plain_calls(tree: object) -> tuple[str, ...]:
    found: dict[str, None] = {}
    for node in plain_callers(tree):
        match node:
            case ast.Call(callee=name) | ast.Best(picker=name) | ast.Ask(agent=name):
                found[name.text] = None
            case ast.GateJudge(use=use):
                found[use.name.text] = None
    return tuple(found)


def plain_tools(tree: object) -> tuple[str, ...]:
    calls = [node for node in plain_callers(tree) if isinstance(node, ast.Call)]
    read = [dotted(call.args[0].value) for call in calls if call.callee.text == "calls" and call.args]
    return tuple(dict.fromkeys(filter(None, read)))


def check_same(node: Any) -> None:
    found = read(node)
    assert found.names == mentions(node) == plain_mentions(node)
    body = getattr(node, "body", getattr(node, "clauses", None))
    if body is not None:
        assert found.callers == callers_in(body) == plain_callers(body)
    surface = surface_of(node, found)
    match node:
        case ast.Flow() | ast.Gate():
            assert surface.calls == plain_calls(body)
        case ast.Judge():
            assert surface.calls == plain_tools(body)
        case ast.Decision():
            assert surface.calls == plain_calls(clause_of(node.clauses, "context"))
        case ast.Constant():
            assert surface.mentions == tuple(sorted(plain_mentions(node)))


def grown(hint: Any, rng: random.Random, depth: int) -> Any:
    """Any value that a field of this type may have."""
    if hint in (ast.Name, ast.TypeRef):
        return hint(3, 3, rng.choice(WORDS).partition(".")[0])
    if hint is ast.Bounds:
        return ast.Bounds(3, 3, rng.choice(("1", "2.5", None)), None)
    if hint in HINTS:
        fields = {name: grown(inner, rng, depth - 1) for name, inner in HINTS[hint].items()}
        return hint(**fields)
    if get_origin(hint) is Literal:
        return rng.choice(get_args(hint))
    if get_origin(hint) is tuple:
        return tuple(
            grown(get_args(hint)[0], rng, depth - 1) for _ in range(rng.randrange(3) if depth > 0 else 0)
        )
    if isinstance(hint, UnionType) or get_args(hint):
        options = get_args(hint)
        if depth <= 0:
            small = [
                option
                for option in options
                if option in (NoneType, ast.Name, ast.Text, ast.TypeRef, ast.Ident)
            ]
            return grown(rng.choice(small or options), rng, depth)
        return grown(rng.choice(options), rng, depth)
    return {str: rng.choice(WORDS), bool: rng.random() < 0.5, float: 1.5, int: 3, NoneType: None}[hint]


@pytest.mark.parametrize("kind", get_args(ast.Declaration), ids=lambda kind: kind.__name__)
def test_whatever_tree_there_is_one_walk_finds_what_a_plain_one_finds(kind: type) -> None:
    rng = random.Random(kind.__name__)
    for _ in range(60):
        check_same(grown(kind, rng, 7))


def test_every_field_that_may_hold_a_name_is_looked_at() -> None:
    rng = random.Random(5)
    seen: set[tuple[type, str]] = set()
    for kind, hints in HINTS.items():
        for field in hints:
            for _ in range(12):
                node = grown(kind, rng, 3)
                assert mentions(node) == plain_mentions(node)
                if plain_mentions(getattr(node, field)) and (kind, field) not in OWN_NAMES:
                    seen.add((kind, field))
    assert len(seen) > 100


def test_what_real_programs_mention_and_call_whole_and_broken() -> None:
    rng = random.Random(11)
    assert len(CHUNKS) > 40
    for chunk in [*CHUNKS, *(slipped(rng.choice(CHUNKS), rng) for _ in range(200))]:
        node = Entry(chunk).node
        if node is not None:
            check_same(node)


def slipped(text: str, rng: random.Random) -> str:
    for _ in range(rng.randrange(1, 4)):
        at = rng.randrange(len(text) + 1)
        text = text[:at] + rng.choice(("", *TYPED)) + text[at + rng.randrange(3) :]
    return text


def test_a_call_in_a_default_is_mentioned_and_no_call_of_the_flow() -> None:
    entry = Entry("flow f(x: text = g(1)) -> text { return h(x) }")
    assert entry.mentions == {"g", "h", "x"}
    assert entry.surface is not None
    assert entry.surface.calls == ("h",)
