from __future__ import annotations

import pytest

from judgeflow.dsl.check.fit import answered, describe, element, field_of, fields_of, fits, join, resolve
from judgeflow.dsl.shapes import (
    Bool,
    Float,
    Int,
    Json,
    ListOf,
    Literal,
    Null,
    Nullable,
    Object,
    Record,
    Shape,
    Text,
    Union,
    Unknown,
    Variant,
)

A, B, SUB = Record("A"), Record("B"), Record("Sub")
EITHER = Union((A, B))
DECLARED = """\
type A { x: int  note: text? }
type B { x: float  y: text }
type Sub extends A { z: bool }
type Either = A | B
type Names = text[]
type Loop = Loop
"""


@pytest.fixture
def scope(program):
    return program(DECLARED).scope


@pytest.mark.parametrize(
    ("value", "wanted"),
    [
        (Int(), Float()),
        (Int(3, 5), Int()),
        (Text(1, 5), Text()),
        (Literal("a"), Text()),
        (Literal("a"), Union((Literal("a"), Literal("b")))),
        (SUB, A),
        (A, Record("Either")),
        (Record("Either"), EITHER),
        (ListOf(SUB), ListOf(A, 1, 3)),
        (ListOf(Variant(("A", "B"))), ListOf(Record("Either"))),
        (ListOf(Unknown()), ListOf(A)),
        (ListOf(Text()), Record("Names")),
        (Null(), Nullable(A)),
        (A, Nullable(A)),
        (Nullable(SUB), Nullable(A)),
        (Json(), A),
        (A, Json()),
        (Unknown(), Int()),
        (Object("an object", (("x", Int()),)), A),
        (Object("an object", (("x", Int()), ("note", Null()))), A),
        (Record("Loop"), A),
        (Record("Nowhere"), A),
    ],
)
def test_what_fits(scope, value: Shape, wanted: Shape) -> None:
    assert fits(value, wanted, scope)


@pytest.mark.parametrize(
    ("value", "wanted"),
    [
        (Float(), Int()),
        (Text(), Literal("a")),
        (Literal("c"), Union((Literal("a"), Literal("b")))),
        (A, SUB),
        (A, B),
        (EITHER, A),
        (Record("Either"), B),
        (A, ListOf(A)),
        (ListOf(A), A),
        (ListOf(Variant(("A", "B"))), ListOf(A)),
        (Nullable(A), A),
        (Null(), A),
        (Bool(), Int()),
        (Object("an object", (("y", Int()),)), A),
        (Object("an object", (("x", Text()),)), A),
        (Object("an object", (("x", Int()), ("z", Int()))), A),
        (Object("a gate's value", ()), Text()),
    ],
)
def test_what_does_not_fit(scope, value: Shape, wanted: Shape) -> None:
    assert not fits(value, wanted, scope)


@pytest.mark.parametrize(
    ("one", "other", "joined"),
    [
        (Int(), Float(), Float()),
        (Literal("a"), Literal("b"), Union((Literal("a"), Literal("b")))),
        (Literal("a"), Text(), Text()),
        (SUB, A, A),
        (A, B, EITHER),
        (Null(), A, Nullable(A)),
        (Nullable(Int()), Float(), Nullable(Float())),
        (ListOf(Unknown()), ListOf(A), ListOf(A)),
        (ListOf(A), ListOf(B), ListOf(EITHER)),
        (A, Json(), Json()),
        (A, Unknown(), Unknown()),
        (
            Object("an object", (("a", Int()),)),
            Object("an object", (("a", Float()),)),
            Object("an object", (("a", Float()),)),
        ),
    ],
)
def test_what_two_values_have_in_common(scope, one: Shape, other: Shape, joined: Shape) -> None:
    assert join(one, other, scope) == joined
    assert {*_options(join(other, one, scope))} == {*_options(joined)}


def _options(shape: Shape) -> tuple[str, ...]:
    return tuple(sorted(describe(shape).strip("()[]").split(" | ")))


def test_aliases_are_replaced_all_the_way(scope) -> None:
    assert resolve(ListOf(Nullable(Record("Either"))), scope) == ListOf(Nullable(EITHER))
    assert resolve(Union((Record("Either"), SUB)), scope) == Union((A, B, SUB))
    assert resolve(Record("Loop"), scope) == Unknown()


def test_the_items_of_a_list_of_unions_are_tagged_where_they_are_answered(scope) -> None:
    assert answered(ListOf(Record("Either")), scope) == ListOf(Variant(("A", "B")))
    assert answered(ListOf(A), scope) == ListOf(A)
    assert answered(ListOf(Union((A, Text()))), scope) == ListOf(Union((A, Text())))


def test_fields_are_inherited_and_optional_ones_may_be_null(scope) -> None:
    assert fields_of(SUB, scope) == {"z": Bool(), "x": Int(), "note": Nullable(Text())}
    assert fields_of(EITHER, scope) == {"x": Float()}
    assert fields_of(Nullable(A), scope) == {"x": Nullable(Int()), "note": Nullable(Text())}
    assert fields_of(Json(), scope) is None
    assert fields_of(Text(), scope) == {}


@pytest.mark.parametrize(
    "shape",
    [
        *(A, B, SUB, EITHER, Record("Either"), Record("Nope"), Nullable(SUB), Nullable(EITHER)),
        *(Object("an object", (("x", Int()), ("y", Text()))), Nullable(Object("an object", (("x", A),)))),
        *(Variant(("A", "B")), ListOf(A), Json(), Unknown(), Null(), Text(), Int()),
    ],
)
def test_one_field_alone_has_the_shape_that_it_has_among_all(scope, shape: Shape) -> None:
    known = resolve(shape, scope)
    for name in ("x", "y", "z", "note", "value", "variant", "other"):
        assert field_of(known, name, scope) == (fields_of(known, scope) or {}).get(name)


def test_null_counts_as_an_empty_list(scope) -> None:
    assert element(Nullable(ListOf(A))) == A
    assert element(Text()) is None
    assert element(Json()) == Json()


@pytest.mark.parametrize(
    ("shape", "words"),
    [
        (ListOf(Record("JobReport")), "JobReport[]"),
        (EITHER, "A | B"),
        (ListOf(EITHER), "(A | B)[]"),
        (ListOf(Variant(("A", "B"))), "(A | B)[]"),
        (Nullable(Text()), "text?"),
        (Nullable(EITHER), "(A | B)?"),
        (ListOf(Nullable(Int())), "(int?)[]"),
        (ListOf(ListOf(Int())), "int[][]"),
        (Union((Literal("a"), Literal("b"))), '"a" | "b"'),
        (Unknown(), "anything"),
        (Object("a gate's value", ()), "a gate's value"),
    ],
)
def test_a_shape_in_words(shape: Shape, words: str) -> None:
    assert describe(shape) == words
