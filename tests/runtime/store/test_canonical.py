from __future__ import annotations

import datetime as dt
import enum
import hashlib
import json
import subprocess
import sys
from decimal import Decimal
from typing import Any, NamedTuple

import pytest

from judgeflow.runtime.store.canonical import (
    UNSET,
    NonJsonValueError,
    canonical_hash,
    canonical_json,
    comparable,
    drifted,
    short_hash,
)


class Colour(str, enum.Enum):  # noqa: UP042  (what is tested is a subclass of str, whatever its spelling)
    RED = "red"


class Pair(NamedTuple):
    left: int


class Thing:
    pass


def test_f39_a_hash_is_sha256_over_the_canonical_text() -> None:
    assert canonical_json({"b": [1, True, None], "a": "é"}) == '{"a":"é","b":[1,true,null]}'.encode()
    assert canonical_hash({"b": 1}) == hashlib.sha256(b'{"b":1}').hexdigest()


def test_f40_keys_are_ordered_by_utf16_code_units() -> None:
    # The example of RFC 8785, section 3.2.3: the emoji is a surrogate pair and so comes before U+FB33.
    keys = ["\u20ac", "\r", "\ufb33", "1", "\U0001f600", "\u0080", "\u00f6"]
    ordered = list(json.loads(canonical_json(dict.fromkeys(keys, 0))))
    assert ordered == ["\r", "1", "\u0080", "\u00f6", "\u20ac", "\U0001f600", "\ufb33"]


@pytest.mark.parametrize(
    ("number", "text"),
    [
        (0.0, "0"),
        (-0.0, "0"),
        (1.0, "1"),
        (333333333.33333329, "333333333.3333333"),
        (1e30, "1e+30"),
        (4.50, "4.5"),
        (2e-3, "0.002"),
        (1e-27, "1e-27"),
        (5e-324, "5e-324"),
        (1.7976931348623157e308, "1.7976931348623157e+308"),
        (1e21, "1e+21"),
        (999999999999999900000.0, "999999999999999900000"),
        (1e-6, "0.000001"),
        (1e-7, "1e-7"),
        (2**53 - 1, "9007199254740991"),
    ],
)
def test_f41_numbers_are_written_as_ecmascript_writes_them(number: float, text: str) -> None:
    assert canonical_json(number) == text.encode()


def test_f42_x14_an_unset_property_is_left_out() -> None:
    assert canonical_hash({"a": 1, "b": UNSET, "c": {"d": UNSET}}) == canonical_hash({"a": 1, "c": {}})


def test_f43_another_process_with_another_locale_and_hash_seed_gives_the_same_hash() -> None:
    value = {"é": 1.5, "e": [True, {"z": "ß", "A": None}]}
    program = (
        "import sys, json; from judgeflow.runtime.store.canonical import canonical_hash as h;"
        "print(h(json.loads(sys.argv[1])))"
    )
    for seed, locale in (("1", "C"), ("2", "tr_TR.UTF-8")):
        done = subprocess.run(
            [sys.executable, "-c", program, json.dumps(value)],
            env={"PYTHONHASHSEED": seed, "LC_ALL": locale},
            capture_output=True,
            text=True,
            check=True,
        )
        assert done.stdout.strip() == canonical_hash(value)


@pytest.mark.parametrize("number", [float("nan"), float("inf"), float("-inf")])
def test_f44_a_number_that_is_none_names_its_path(number: float) -> None:
    with pytest.raises(NonJsonValueError) as caught:
        canonical_hash({"judge": {"bars": [0.5, number]}})
    assert caught.value.path == "$.judge.bars[1]"


@pytest.mark.parametrize(
    "value",
    [
        {1, 2},
        frozenset(),
        dt.datetime(2026, 1, 1, tzinfo=dt.UTC),
        dt.date(2026, 1, 1),
        Thing(),
        Thing,
        Colour.RED,
        Pair(1),
        b"bytes",
        Decimal("0.1"),
        1j,
    ],
    ids=lambda value: type(value).__name__,
)
def test_f45_what_is_no_json_type_names_its_path(value: object) -> None:
    with pytest.raises(NonJsonValueError) as caught:
        canonical_hash({"a": [0, 1, value]})
    assert caught.value.path == "$.a[2]"


@pytest.mark.parametrize("value", [2**53, -(2**53), 10**30])
def test_f46_x15_a_whole_number_beyond_a_double_is_refused(value: int) -> None:
    with pytest.raises(NonJsonValueError, match=r"2\^53 - 1") as caught:
        canonical_hash([value])
    assert caught.value.path == "$[0]"


@pytest.mark.parametrize("function", [len, lambda: None, Thing().__init__])
def test_f46_a_function_is_refused(function: object) -> None:
    with pytest.raises(NonJsonValueError, match=r"^\$\.hook: a function is no JSON value$"):
        canonical_hash({"hook": function})


def test_f47_x14_unset_inside_a_list_names_its_path() -> None:
    with pytest.raises(NonJsonValueError) as caught:
        canonical_hash({"a": [1, 2, UNSET]})
    assert caught.value.path == "$.a[2]"


def test_f47_unset_as_the_whole_value_is_refused() -> None:
    with pytest.raises(NonJsonValueError, match=r"^\$: "):
        canonical_hash(UNSET)


@pytest.mark.parametrize(("value", "path"), [({"a": "x\ud800"}, "$.a"), ({"\udfff": 1}, '$["\\udfff"]')])
def test_f48_x16_half_a_character_names_its_path(value: Any, path: str) -> None:
    with pytest.raises(NonJsonValueError) as caught:
        canonical_hash(value)
    assert caught.value.path == path


def test_f49_a_cycle_names_the_place_where_it_closes() -> None:
    value: dict[str, Any] = {"a": {"b": []}}
    value["a"]["b"].append(value["a"])
    with pytest.raises(NonJsonValueError, match="contains itself") as caught:
        canonical_hash(value)
    assert caught.value.path == "$.a.b[0]"


def test_f49_a_value_used_twice_is_no_cycle() -> None:
    shared = {"x": [1]}
    assert canonical_hash([shared, shared]) == canonical_hash([{"x": [1]}, {"x": [1]}])


def test_a_value_nested_beyond_every_reader_is_refused_with_a_path() -> None:
    value: Any = 1
    for _ in range(5000):
        value = [value]
    with pytest.raises(NonJsonValueError, match="nested deeper"):
        canonical_hash(value)


def test_true_is_not_one_and_a_tuple_is_a_list() -> None:
    assert canonical_json([True, 1, False, 0]) == b"[true,1,false,0]"
    assert canonical_json((1, (2,))) == b"[1,[2]]"


def test_a_key_that_is_no_text_is_refused_where_it_stands() -> None:
    with pytest.raises(NonJsonValueError, match=r"^\$\.a: it has the key 1"):
        canonical_hash({"a": {1: "x"}})


def test_a_path_quotes_a_key_that_is_no_plain_name() -> None:
    with pytest.raises(NonJsonValueError) as caught:
        canonical_hash({"top level": {"a.b": float("nan")}})
    assert caught.value.path == '$["top level"]["a.b"]'


def test_the_value_itself_is_left_as_it_was() -> None:
    value = {"a": UNSET, "b": (1, 2)}
    canonical_hash(value)
    assert value == {"a": UNSET, "b": (1, 2)}


def test_f50_x13_a_hash_has_64_characters_and_people_see_8() -> None:
    digest = canonical_hash({})
    assert (len(digest), short_hash(digest)) == (64, digest[:8])


def test_f51_another_hash_of_the_same_kind_is_drift() -> None:
    assert drifted("a" * 64, "b" * 64)
    assert not drifted("a" * 64, "a" * 64)


@pytest.mark.parametrize("stored", ["a" * 12, "", None])
def test_f52_a_hash_of_another_length_is_never_compared(stored: str | None) -> None:
    assert not comparable(stored, "b" * 64)
    assert not comparable("b" * 64, stored)
    assert not drifted(stored, "b" * 64)
