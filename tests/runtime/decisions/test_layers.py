"""Context: four layers, what may be in them, and that nobody else's values are changed."""

from __future__ import annotations

import copy
import datetime
import decimal
import enum
import types
from collections import OrderedDict, namedtuple
from collections.abc import Iterator, Mapping
from typing import Any

import pytest

import judgeflow as jf
from judgeflow.runtime.judge.serialise import REFUSED_KEYS

from .by_hand import QUESTION, YES, Calls, judge


async def sent(*layers: Any) -> Any:
    """What a provider gets: the global layer, scoped ones, and the use's own at the end."""
    first, *scoped, own = layers
    asks, provider = judge(YES, context=first)
    for layer in scoped:
        asks = asks.with_context(layer)
    await asks.boolean(condition=QUESTION, context=own)
    return provider.context


async def test_c33_layers_from_global_over_scoped_and_the_presets_to_the_uses_own() -> None:
    names = ["global", "scoped", "nested", "preset", "own"]
    layers = {name: {f"in_{later}": name for later in names[at:]} for at, name in enumerate(names)}
    asks, provider = judge(YES, context=layers["global"])
    preset = jf.BooleanPreset[int](condition=QUESTION, get_context=lambda args: layers["preset"])
    scoped = asks.with_context(layers["scoped"]).with_context(layers["nested"])
    await scoped.boolean(condition=preset, input=1, context=layers["own"])
    assert provider.context == {f"in_{name}": name for name in names}


async def test_c34_objects_merge_all_the_way_down() -> None:
    low = {"a": {"b": {"c": 1, "d": 2}, "e": 3}, "f": 4}
    assert await sent(low, {"a": {"b": {"c": 9, "new": 5}}}) == {
        "a": {"b": {"c": 9, "d": 2, "new": 5}, "e": 3},
        "f": 4,
    }


@pytest.mark.parametrize(
    ("below", "above"),
    [([1, 2], [3]), ([{"a": 1}], [{"b": 2}]), ("a", 1), ({"a": 1}, "x"), (1, {"a": 1}), (1, False)],
)
async def test_c35_lists_and_scalars_replace(below: Any, above: Any) -> None:
    assert await sent({"x": below}, {"x": above}) == {"x": above}


async def test_c36_what_is_unset_leaves_what_is_below() -> None:
    assert await sent({"a": 1, "o": {"b": 2}}, {"a": jf.UNSET, "o": {"b": jf.UNSET}, "n": jf.UNSET}) == {
        "a": 1,
        "o": {"b": 2},
    }


@pytest.mark.parametrize("context", [{"a": [jf.UNSET]}, {"a": [{"b": jf.UNSET}]}])
async def test_c36_inside_a_list_there_is_nothing_to_leave(context: Any) -> None:
    with pytest.raises(jf.SerializationError, match="UNSET"):
        await sent({}, context)


async def test_c37_null_replaces() -> None:
    assert await sent({"a": {"b": 1}}, {"a": None}) == {"a": None}


@pytest.mark.parametrize("layer", [[1], "text", 1, None, datetime.date(2026, 1, 1), object()])
async def test_c38_a_layer_that_is_no_object_is_refused(layer: Any) -> None:
    asks, provider = judge(YES)
    with pytest.raises(jf.SerializationError, match="a context layer must be an object"):
        await asks.boolean(condition=QUESTION, context=layer)
    with pytest.raises(jf.SerializationError, match="a context layer must be an object"):
        asks.with_context(layer)
    if layer is not None:
        with pytest.raises(jf.SerializationError, match="a context layer must be an object"):
            judge(YES, context=layer)
    preset = jf.BooleanPreset[int](condition=QUESTION, get_context=lambda args: layer)
    with pytest.raises(jf.SerializationError, match="a context layer must be an object"):
        await asks.boolean(condition=preset, input=1)
    assert provider.inputs == []


@pytest.mark.parametrize("key", sorted(REFUSED_KEYS))
async def test_c39_a_dangerous_key_is_refused_where_objects_merge(key: str) -> None:
    for context in ({key: 1}, {"deep": {"er": {key: {}}}}):
        with pytest.raises(jf.SerializationError, match=f"{key} is a refused key"):
            await sent({}, context)
    assert {"__proto__", "prototype", "constructor"} <= REFUSED_KEYS


async def test_c39_in_a_list_nothing_merges_and_a_racing_teams_constructor_is_data() -> None:
    rows = [{"constructor": "Ferrari"}]
    assert await sent({}, {"rows": rows}) == {"rows": rows}


async def test_c40_with_context_gives_another_judge_and_leaves_its_parent() -> None:
    asks, provider = judge(YES, context={"a": 1})
    scoped = asks.with_context({"b": 2})
    await asks.boolean(condition=QUESTION)
    await scoped.boolean(condition=QUESTION)
    await scoped.with_context({"b": 3}).boolean(condition=QUESTION)
    assert [input.context for input in provider.inputs] == [{"a": 1}, {"a": 1, "b": 2}, {"a": 1, "b": 3}]


async def test_c41_a_scope_checks_nothing_as_it_runs() -> None:
    asks, provider = judge(YES)
    scoped: Any = asks.scope(int)
    await scoped.boolean(condition=QUESTION, context={"anything": True})
    assert provider.context == {"anything": True}


async def test_c42_no_value_of_the_application_is_changed_or_shared() -> None:
    inner = {"b": [1, {"c": 2}]}
    layers = [{"a": inner, "x": [1]}, {"a": {"d": 1}}, {"a": {"b": [7]}, "x": inner}]
    before = copy.deepcopy(layers)
    asks, provider = judge(YES, context=layers[0])
    await asks.with_context(layers[1]).boolean(condition=QUESTION, context=layers[2])
    assert layers == before
    # A provider's copy is its own, to spoil as it likes.
    provider.inputs[0].context["x"]["b"].append("spoilt")
    provider.inputs[0].context["a"].clear()
    assert layers == before


async def test_c42_a_layer_is_what_it_was_when_it_was_given() -> None:
    layer = {"list": [1]}
    asks, provider = judge(YES, context=layer)
    layer["list"].append(2)
    await asks.boolean(condition=QUESTION)
    assert provider.context == {"list": [1]}


@pytest.mark.parametrize(
    "value",
    [
        None,
        "",
        "héllo \U0001f426 \x00",
        True,
        False,
        0,
        -(2**53 - 1),
        2**53 - 1,
        1.5,
        -0.0,
        1e308,
        5e-324,
        [],
        {},
        [[], {}],
        {"": {"a b": [1, None, {"ü": "x"}]}},
    ],
)
async def test_c43_u49_json_values_are_sent_as_they_are(value: Any) -> None:
    # A layer is an object: null, false, 0 and "" are values in one, and none may be given at all.
    found = await sent({}, {"value": value})
    assert found == {"value": value}
    assert type(found["value"]) is type(value)


async def test_c43_tuples_and_other_mappings_are_lists_and_objects() -> None:
    proxy = types.MappingProxyType({"b": (1, 2)})
    assert await sent({}, OrderedDict(a=proxy)) == {"a": {"b": [1, 2]}}


class Colour(enum.StrEnum):
    RED = "red"


class Number(enum.IntEnum):
    ONE = 1


class Text(str):
    pass


class Share(float):
    pass


Point = namedtuple("Point", "x y")


class Raises:
    """Reading it is code, and the code fails."""

    def __init__(self, error: type[BaseException] = KeyError) -> None:
        self.error = error


class Broken(Mapping[str, Any]):
    def __init__(self, error: type[Exception]) -> None:
        self.error = error

    def __getitem__(self, key: str) -> Any:
        raise self.error("the password is hunter2")

    def __iter__(self) -> Iterator[str]:
        return iter(["a"])

    def __len__(self) -> int:
        return 1


CYCLE: list[Any] = []
CYCLE.append({"again": CYCLE})


@pytest.mark.parametrize(
    ("row", "value", "path"),
    [
        ("c44", len, "$.v"),
        ("c44", lambda: 1, "$.v"),
        ("c44", int, "$.v"),
        ("c44", {1: "a"}, "$.v"),
        ("c44", {None: "a"}, "$.v"),
        ("c44", {Text("k"): "a"}, "$.v"),
        ("c44", 2**53, "$.v"),
        ("c44", -(2**53), "$.v"),
        ("c44", {"a": [1, 10**400]}, "$.v.a[1]"),
        ("c44", 1j, "$.v"),
        ("c44", b"bytes", "$.v"),
        ("c45", float("nan"), "$.v"),
        ("c45", [float("inf")], "$.v[0]"),
        ("c45", {"x": -float("inf")}, "$.v.x"),
        ("c46", CYCLE, "$.v[0].again"),
        ("c47", datetime.datetime(2026, 1, 1), "$.v"),
        ("c47", decimal.Decimal(1), "$.v"),
        ("c47", Raises(), "$.v"),
        ("c47", {1, 2}, "$.v"),
        ("c47", iter([1]), "$.v"),
        ("c47", Colour.RED, "$.v"),
        ("c47", Number.ONE, "$.v"),
        ("c47", Text("x"), "$.v"),
        ("c47", Share(0.5), "$.v"),
        ("c47", Point(1, 2), "$.v"),
        ("c48", Broken(KeyError), "$.v"),
        ("c48", Broken(RecursionError), "$.v"),
        ("c43", "half \ud83d", "$.v"),
        ("c43", {"\ud83d": 1}, '$.v["\ud83d"]'),
        ("depth", None, "$.v" + "[0]" * 199),
    ],
)
async def test_c44_c45_c46_c47_c48_c49_what_is_no_json_is_refused_with_its_path_before_the_provider(
    row: str, value: Any, path: str
) -> None:
    if row == "depth":
        for _ in range(250):
            value = [value]
    asks, provider = judge(YES)
    calls = Calls()
    with pytest.raises(jf.SerializationError) as caught:
        await asks.judge_if(condition=QUESTION, context={"ok": 1, "v": value}, **calls.branches)
    assert caught.value.path == path
    assert (provider.inputs, calls.names, caught.value.code) == ([], [], "serialization")
    assert "hunter2" not in str(caught.value)


async def test_c49_a_value_that_cannot_be_sent_is_not_lost_below_another() -> None:
    with pytest.raises(jf.SerializationError, match=r"\$\.when is a value of type date: convert it first"):
        judge(YES, context={"when": datetime.date(2026, 1, 1)})
    asks, provider = judge(YES)
    preset = jf.BooleanPreset[int](condition=QUESTION, get_context=lambda args: {"when": object()})
    with pytest.raises(jf.SerializationError):
        await asks.boolean(condition=preset, input=1, context={"when": "2026-01-01"})
    assert provider.inputs == []


async def test_c50_shared_references_are_fine() -> None:
    shared = {"a": [1]}
    assert await sent({}, {"x": shared, "y": [shared, shared]}) == {
        "x": {"a": [1]},
        "y": [{"a": [1]}, {"a": [1]}],
    }


@pytest.mark.slow
async def test_c50_shared_references_that_grow_without_end_are_refused() -> None:
    bomb: list[Any] = ["x"]
    for _ in range(64):
        bomb = [bomb, bomb]
    with pytest.raises(jf.SerializationError, match="at most 1,000,000"):
        await sent({}, {"bomb": bomb})
    with pytest.raises(jf.SerializationError, match="16,777,216 characters"):
        await sent({}, {"bomb": ["x" * 1_000_000] * 17})
