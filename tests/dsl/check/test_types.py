from __future__ import annotations

import pytest


@pytest.mark.parametrize(
    "text",
    [
        'type Job { title: text(1..120) "the title"  pay: int(0..)?  share: float(0.5..1)  tags: text[](..5) }',
        'type A { level: "junior" | "senior"  more: json?  on: bool }',
        "type A { b: B? }\ntype B { a: A? }",
        "type Tree { children: Tree[] }",
        "type A { x: int }\ntype B extends A { y: int }\ntype C extends B { z: int }",
        "type A { x: int }\ntype B { y: int }\ntype C = A | B\ntype D = C[]\ntype E = (A | B)[](1..)",
        "type A { next: A | End }\ntype End { why: text }",
        "type T { int: int  type: text  In: bool }",
    ],
)
def test_a_sound_type_is_accepted(check, text) -> None:
    assert check(text + "\n").short == []


@pytest.mark.parametrize(
    ("text", "code", "at", "message"),
    [
        ("type A { b: Jbo }\ntype Job { x: int }", "name.unknown", "Jbo", "There is no type `Jbo`"),
        ("type A { b: Integer }", "name.unknown", "Integer", "There is no type `Integer`"),
        ("type A { x: int  x: text }", "name.duplicate", "x", "There are two fields `x`"),
        (
            "type A { x: int }\ntype B extends A { x: int }",
            "name.duplicate",
            "x",
            "`x` is a field of A already, which B extends",
        ),
        (
            "type A { x: int }\ntype B extends A { y: int }\ntype C extends B { x: int }",
            "name.duplicate",
            "x",
            "`x` is a field of A already, which C extends",
        ),
        ("type A extends A { x: int }", "shape.mismatch", "A", "`A` extends itself"),
        (
            "type B extends A { x: int }\ntype A extends B { y: int }",
            "shape.mismatch",
            "B",
            "These types extend each other: A extends B extends A",
        ),
        (
            "type A = B\ntype B { x: int }\ntype C extends A { y: int }",
            "shape.mismatch",
            "A",
            "`A` is a name for B, and only types with fields are extended",
        ),
        ("type C extends Base { y: int }", "name.unknown", "Base", "There is no type `Base`"),
        ("type A = A[]", "shape.mismatch", "A[]", "`A` stands for itself: A = … A"),
        (
            "type A = B | C\ntype B = A[]\ntype C { x: int }",
            "shape.mismatch",
            "B | C",
            "`A` stands for itself: A = … B = … A",
        ),
        (
            "type A { next: A }",
            "shape.mismatch",
            "A",
            "No A can be written: each needs another one in `next`",
        ),
        (
            "type A { next: B }\ntype B = A",
            "shape.mismatch",
            "B",
            "No A can be written: each needs another one in `next`",
        ),
        ("type A { x: text(5..1) }", "value.range", "5..1", "Nothing lies between 5 and 1"),
        ("type A { x: text(-1..) }", "value.range", "-1..", "There are never -1 characters"),
        ("type A { x: text[](..-1) }", "value.range", "..-1", "There are never -1 items"),
        (
            "type A { x: int(0.5..) }",
            "value.range",
            "0.5..",
            "0.5 is no whole number, and int holds whole ones",
        ),
        (
            "type A { x: text(1..2.5) }",
            "value.range",
            "1..2.5",
            "2.5 is no whole number, and characters are counted in whole ones",
        ),
        ("type A { x: bool(0..1) }", "value.range", "0..1", "bool has no range"),
        ("type A { x: float(..) }", "value.range", "..", "A range has at least one end"),
        ("type A { x: text(..1e30) }", "value.range", "..1e30", "1e30 is too large for a range"),
        ('type A { x: "a" | "a" }', "name.duplicate", '"a"', '"a" stands twice in one union'),
        (
            'type A { x: "{{ a }}" }',
            "text.not-a-template",
            "a",
            "A fixed text is not a template, so `{{ }}` cannot stand in it",
        ),
        (
            'type A { x: int "{{ a }}" }',
            "text.not-a-template",
            "a",
            "A description is not a template, so `{{ }}` cannot stand in it",
        ),
    ],
)
def test_what_is_wrong_with_a_type(check, text, code, at, message) -> None:
    only = check(text + "\n").only
    assert (only.code, only.at, only.message) == (code, at, message)


def test_two_types_that_need_each_other_are_each_impossible(check) -> None:
    found = check("type A { b: B }\ntype B { a: A }\n")
    assert found.short == [("shape.mismatch", "B"), ("shape.mismatch", "A")]


def test_a_range_that_is_turned_round_is_shown_the_right_way(check) -> None:
    assert check("type A { x: text(5..1) }\n").only.help == "Write `(1..5)`."
