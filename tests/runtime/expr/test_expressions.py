"""Expressions at run time: every operator and function, missing data, and the bounds."""

from __future__ import annotations

from datetime import UTC, datetime
from typing import Any

import pytest

from judgeflow.dsl import ast
from judgeflow.dsl.parse import parse_chunk
from judgeflow.dsl.plan import Origin
from judgeflow.dsl.shapes import FieldInfo, Int, TypeInfo
from judgeflow.runtime.expr import Compiler, ExpressionError, Record, Scope

ORIGIN = Origin("rules.judge", 0, 3)
TYPES = {
    "Offer": TypeInfo("Offer", (FieldInfo("salary", Int()),)),
    "Senior": TypeInfo("Senior", (), extends="Offer"),
    "Refusal": TypeInfo("Refusal", ()),
}
NOW = datetime(2026, 3, 1, 12, 0, tzinfo=UTC)


def value(text: str, steps: int = 1_000_000, **names: Any) -> Any:
    node, faults = parse_chunk(f"let value = {text}")
    assert not faults, faults
    assert isinstance(node, ast.Constant)
    return Compiler(TYPES, {"bar": 0.7}, lambda: NOW).compile(node.value, ORIGIN)(
        Scope(dict(names), None, steps)
    )


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ("1 + 2 * 3 - 4 / 2", 5.0),
        ("-x + 1", -6),
        ("mean([0.7, 0.7, 0.7])", 0.7),
        ("mean([0.1, 0.2, 0.3])", 0.2),
        ("sum([0.1, 0.2, 0.3])", 0.6),
        ("sum([1, 2])", 3),
        ("mean([])", None),
        ("7 % 4", 3),
        ('"a" + "b"', "ab"),
        ("[1] + [2]", [1, 2]),
        ("1 == 1.0", True),
        ("true == 1", False),
        ("[1, 2] == [1.0, 2.0]", True),
        ("{ a: 1 } == { a: 1 }", True),
        ("2 in [1, 2]", True),
        ("3 not in [1, 2]", True),
        ('"b" in "abc"', True),
        ('"abc" contains "B"', False),
        ('"abc" starts with "ab" and "abc" ends with "bc"', True),
        ('"order 66" matches r"\\d+"', True),
        ('"abc" matches r"^b"', False),
        ("if x > 3 then 1 else 2", 1),
        ("every i in [1, 2]: i > 0", True),
        ("some i in [1, 2]: i > 2", False),
        ("[i * i for i in [1, 2, 3] if i > 1]", [4, 9]),
        ("not (x > 3) or x == 7", True),
        ("[10, 20][1]", 20),
        ("[10, 20][9]", None),
        ('({ in: 1 })["in"]', 1),
        ('"{{ x }} of {{ [1, 2] }}"', "7 of [1,2]"),
        ('"{{ 3.0 }}{{ null }}{{ true }}"', "3true"),
        ("bar", 0.7),
    ],
)
def test_operators_and_literals(text: str, expected: Any) -> None:
    assert value(text, x=7) == expected


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('len("añ😀")', 3),
        ("count([1, 2, 1], 1)", 2),
        ('count("banana", "an")', 2),
        ('trim("  a ")', "a"),
        ('lower("A") + upper("b")', "aB"),
        ('words("a  b\\nc")', ["a", "b", "c"]),
        ('lines("a\\nb")', ["a", "b"]),
        ('len(sentences("One. Two! 3.5 is a number. Done"))', 4),
        ('sentences("...")', []),
        ("[first([4, 5]), last([4, 5]), first([])]", [4, 5, None]),
        ("[sum([1, 2]), min([3, 1]), max(3, 1), mean([1, 2])]", [3, 1, 3, 1.5]),
        ("[min([]), mean([])]", [None, None]),
        ("[round(2.567, 2), round(2.4)]", [2.57, 2]),
        ('json("{\\"a\\": [1]}").a[0]', 1),
        ('json("nonsense")', None),
        ("text([1])", "[1]"),
        ("keys({ a: 1, b: 2 })", ["a", "b"]),
        ("values({ a: 1, b: 2 })", [1, 2]),
        ("unique([1, 1.0, 2, 1])", [1, 2]),
        ('sort(["b", "a"])', ["a", "b"]),
        ('join(["a", 1], "-")', "a-1"),
        ('split("a-b", "-")', ["a", "b"]),
        ('replace("aXa", "X", "-")', "a-a"),
        ("abs(-3)", 3),
        ('similarity("abc", "abc")', 1.0),
        ("default(null, 5)", 5),
        ("flat([[1], 2, [3]])", [1, 2, 3]),
        ("today()", "2026-03-01"),
        ("now()", "2026-03-01T12:00:00+00:00"),
    ],
)
def test_functions(text: str, expected: Any) -> None:
    assert value(text) == expected


@pytest.mark.parametrize("operator", ["<", "<=", ">", ">=", "contains", "starts with", "ends with", "in"])
def test_any_comparison_with_null_but_equality_is_false(operator: str) -> None:
    assert value(f"x {operator} 1" if operator != "in" else "1 in x", x=None) is False


def test_a_field_of_missing_data_is_null_and_equality_asks_for_it() -> None:
    assert value("reply.a.b == null", reply={}) is True
    assert value("reply.a == null", reply=None) is True


def test_a33_is_narrows_by_the_answered_type_and_by_what_it_extends() -> None:
    senior = Record("Senior", {"salary": 1})
    assert value("reply is Offer", reply=senior) is True
    assert value("reply is Refusal", reply=senior) is False
    assert value("item is not Refusal", item={"variant": "Offer", "value": {}}) is True


@pytest.mark.parametrize(
    ("text", "message"),
    [
        ('1 + "a"', "`+` works on two numbers, not int and text"),
        ('1 < "a"', "`<` compares two numbers or two texts, not int and text"),
        ("1 / 0", "division by zero"),
        ("nobody", "`nobody` has no value here"),
        ('"a".b', "text has no field `b`"),
        ("if 1 then 2 else 3", "a condition is true or false, but this is int"),
        ("[i for i in 5]", "only a list can be gone through, but this is int"),
        ("len(5)", "`len` takes a text, a list or an object, but this is an int"),
        ("len()", "`len` does not take these arguments"),
        ('"a" matches "("', "invalid pattern"),
    ],
)
def test_a_type_error_names_the_file_the_line_and_the_mistake(text: str, message: str) -> None:
    with pytest.raises(ExpressionError, match=r"rules\.judge:3") as caught:
        value(text)
    assert message in caught.value.message


def test_a_hostile_comprehension_runs_out_of_steps() -> None:
    many = list(range(100))
    with pytest.raises(ExpressionError, match="too many steps"):
        value("[[a + b for b in xs] for a in xs]", 5000, xs=many)


def test_a_hostile_text_stops_growing() -> None:
    with pytest.raises(ExpressionError, match="grows past"):
        value('replace(x, "a", x)', x="a" * 20_000)


def test_u59_a_hostile_pattern_takes_linear_time() -> None:
    # Whoever wrote it, a pattern may stand in a file: matching takes linear time.
    assert value('x matches r"(a+)+$"', x="a" * 50_000 + "b") is False


def test_a_comprehension_puts_the_name_back_that_it_hid() -> None:
    assert value("[[i for i in [1, 2]], i]", i=9) == [[1, 2], 9]


@pytest.mark.parametrize(
    ("text", "expected"),
    [
        ('{"a": 1}', {"a": 1}),
        ('Here:\n```json\n{"a": 1}\n```\nDone.', {"a": 1}),
        ('It is {"a": 1}, I think.', {"a": 1}),
        ('{"a": 1} or {"a": 2}', None),
        ('{"a": 1', None),
        ('{"a": NaN}', None),
        ('"\\ud800"', "\ufffd"),
        ("[1, 2.5, true, null]", [1, 2.5, True, None]),
    ],
)
def test_d41_json_is_read_as_leniently_as_a_reply(text: str, expected: Any) -> None:
    assert value("json(x)", x=text) == expected
    assert value("json(x)", x=[text]) == [text]


def test_half_a_surrogate_pair_never_breaks_a_text() -> None:
    assert value('"{{ x }}"', x=["a\ud800", {"\udc00": 1}]) == '["a\ufffd",{"\ufffd":1}]'


def test_what_is_nested_too_deeply_is_an_error_and_no_crash() -> None:
    deep: Any = []
    for _ in range(100_000):
        deep = [deep]
    for text in ('"{{ x }}"', "x == x", "x in [x]", "unique([x])"):
        with pytest.raises(ExpressionError, match="nested too deeply"):
            value(text, x=deep)


def test_a_hostile_template_stops_growing_and_spends_its_steps() -> None:
    with pytest.raises(ExpressionError, match="grows past"):
        value('"{{ x }}{{ x }}"', x="a" * 6_000_000)
    with pytest.raises(ExpressionError, match="too many steps"):
        value('[ "{{ x }}" for a in xs ]', 1000, x="a" * 100_000, xs=list(range(50)))
    with pytest.raises(ExpressionError, match="too many steps"):
        value("[ x + x for a in xs ]", 1000, x="a" * 100_000, xs=list(range(50)))


def test_large_whole_numbers_stay_exact() -> None:
    assert value('"{{ json(x) }}"', x="123456789012345678901234567890") == "123456789012345678901234567890"


@pytest.mark.parametrize("text", ["1e308 * 10", "-1e308 - 1e308", "1e308 + 1e308", "sum([1e308, 1e308])"])
def test_a_number_past_the_largest_there_is_is_an_error_and_never_infinite(text: str) -> None:
    with pytest.raises(ExpressionError, match="the number is too large"):
        value(text)
