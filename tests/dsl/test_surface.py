from __future__ import annotations

import pytest

from judgeflow.dsl.check.base import (
    CallableSurface,
    ConstantSurface,
    ModelSurface,
    NamedSurface,
    SuiteSurface,
    TypeSurface,
)
from judgeflow.dsl.check.surface import surface_of
from judgeflow.dsl.mentions import read
from judgeflow.dsl.parse import parse_chunk
from judgeflow.dsl.shapes import Float, Int, ListOf, Literal, ParamInfo, Record, Text, Union, Unknown


def surface(text: str):
    node, found = parse_chunk(text)
    assert node is not None
    assert not found
    return surface_of(node, read(node))


def test_a_model() -> None:
    found = surface('model m "v/m" via proxy { kind decision  price $1 in, $2 out  fallback [a, "v/b"] }')
    assert found == ModelSurface("m", "v/m", "decision", "proxy", True, ("a", "v/b"))
    assert found.family == "v"


@pytest.mark.parametrize(
    ("slug", "family"),
    [
        ("openai/gpt-6", "openai"),
        ("a/b/c", "a"),
        ("gpt-6", None),
        ("script/x", None),
        ("echo/x", None),
        ("local/x", None),
    ],
)
def test_a24_a25_a_family_is_what_stands_before_the_first_slash(slug, family) -> None:
    assert surface(f'model m "{slug}"').family == family


def test_an_agent() -> None:
    found = surface(
        'agent a(x: text, y: int? = 3, z) -> B[] "Does" { model m  prompt "p"  judges [j, k(x)] }'
    )
    assert found == CallableSurface(
        kind="agent",
        name="a",
        params=(
            ParamInfo("x", Text()),
            ParamInfo("y", Int(), optional=True, has_default=True),
            ParamInfo("z", Text()),
        ),
        result=ListOf(Record("B")),
        description="Does",
        models=("m",),
        judges=("j", "k"),
    )


@pytest.mark.parametrize(
    ("text", "form", "code", "models"),
    [
        ('code judge j { require true else "x" }', "code", True, ()),
        ('code judge j { python "a.py:b" }', "python", True, ()),
        ('judge j { model m  ask "x" }', "ask", False, ("m",)),
        ('judge j { model "v/m"  rate quality }', "rate", False, ("v/m",)),
        ('judge j { model ""  ask "x" }', "ask", False, ()),
        (
            'judge j { model m  decide { a: condition "x" }  require a.value else "x" }',
            "decide",
            False,
            ("m",),
        ),
    ],
)
def test_a_judge(text, form, code, models) -> None:
    found = surface(text)
    assert (found.form, found.code, found.models) == (form, code, models)
    assert found.params == (ParamInfo("reply", Text()),)


def test_a_judge_names_the_tools_whose_calls_it_reads() -> None:
    rules = (
        'let a = calls(b)  require some c in calls(d.e): c.tool == text(calls()) else "{{ len(calls(f)) }}"'
    )
    text = f"code judge j {{ {rules} }}"
    assert surface(text).calls == ("b", "d.e", "f")


def test_a_decision() -> None:
    found = surface(
        'choice c(hidden k: text) { model m  ask "x"  options { a  b "B" }  confidence at least 0.5 }'
    )
    assert (found.kind, found.options, found.confident, found.params[0].hidden) == (
        "choice",
        ("a", "b"),
        True,
        True,
    )
    assert dict(found.result.fields)["choice"] == Union((Literal("a"), Literal("b")))


def test_a_flow_and_a_gate_name_what_they_call() -> None:
    text = "flow f(x: text) { a = g(len(x))  b = best of 2: h(a) picked by i  if j(b) { k(b) } }"
    assert surface(text).calls == ("g", "len", "i", "h", "j", "k")
    assert surface("gate g(input) { scorers { s }  judge j(input) }").calls == ("j",)


def test_types_constants_tools_and_names() -> None:
    assert surface("type T = A | B").alias == Union((Record("A"), Record("B")))
    assert surface("type T extends S { x: int(1..5) }").info.extends == "S"
    assert surface("type T { x: float(0.5..)? }").info.fields[0].shape == Float("0.5", None)
    assert surface('let l = ["a", "b"]') == ConstantSurface("l", ListOf(Text()))
    assert surface("let l = other") == ConstantSurface("l", Unknown(), ("other",))
    assert surface('tool t { mcp "x" only [a] }').functions == ("a",)
    assert surface('tool t { mcp "x" }').functions == ("*",)
    assert surface('scorer s contains "x"') == NamedSurface("scorer", "s")
    assert surface('suite s for f { cases "c.jsonl"  checks [j, k(1)] }') == SuiteSurface(
        "suite", "s", "f", ("j", "k")
    )
    assert surface("provider p { api openai }") == NamedSurface("provider", "p")
    assert isinstance(surface("type T { }"), TypeSurface)
    assert surface('test "t" for f { expect true }') is None
    assert surface("memory { history 3 }") is None


def test_a_body_that_changes_leaves_the_surface_as_it_was() -> None:
    head = "agent a(x: text) -> B"
    assert surface(head + ' { model m  prompt "one" }') == surface(head + ' {\n  model m\n  prompt "two"\n}')


def test_bounds_that_cannot_be_read_are_open() -> None:
    found = surface(f"type T {{ a: text(1e99..)  b: int(..{10**40})  c: int(1e3..) }}")
    assert [field.shape for field in found.info.fields] == [Text(), Int(), Int(1000)]
