"""The serialisation boundary under any value at all, and the laws of merging layers."""

from __future__ import annotations

import json
import math
from collections.abc import Iterator, Mapping, Sequence
from typing import Any

import pytest
from hypothesis import given, settings
from hypothesis import strategies as st

from judgeflow.runtime.judge.errors import SerializationError
from judgeflow.runtime.judge.serialise import REFUSED_KEYS, merge_layers, sendable, sendable_layer
from judgeflow.runtime.store.canonical import UNSET

texts = st.text(max_size=4).filter(lambda text: text not in REFUSED_KEYS)
scalars = st.one_of(
    st.none(),
    st.booleans(),
    st.integers(-(2**53) + 1, 2**53 - 1),
    st.floats(allow_nan=False, allow_infinity=False),
    texts,
)
values = st.recursive(
    scalars,
    lambda inner: st.lists(inner, max_size=3) | st.dictionaries(texts, inner, max_size=3),
    max_leaves=8,
)
layers = st.dictionaries(texts, st.one_of(values, st.just(UNSET)), max_size=3)
wild = st.recursive(
    st.one_of(
        scalars,
        st.floats(),
        st.integers(),
        st.binary(max_size=2),
        st.just(UNSET),
        st.just(object),
        st.complex_numbers(),
    ),
    lambda inner: (
        st.lists(inner, max_size=3)
        | st.dictionaries(
            st.one_of(texts, st.integers(), st.sampled_from(sorted(REFUSED_KEYS))), inner, max_size=3
        )
        | st.tuples(inner)
    ),
    max_leaves=8,
)


@settings(max_examples=60, deadline=None)
@given(values)
def test_c43_json_comes_through_as_it_is_and_as_a_copy(value: Any) -> None:
    copied = sendable(value)
    assert copied == value
    assert json.loads(json.dumps(copied)) == json.loads(json.dumps(value))
    if isinstance(value, list | dict):
        assert copied is not value


@settings(max_examples=60, deadline=None)
@given(wild)
def test_c44_c45_c46_c47_c48_c49_whatever_it_is_it_is_json_or_refused_with_a_path(value: Any) -> None:
    refused = None
    try:
        copied = sendable(value)
    except SerializationError as error:
        refused = error
    if refused is not None:
        assert str(refused).startswith(refused.path)
        assert refused.path.startswith("$")
        return
    assert json.loads(json.dumps(copied, allow_nan=False)) == copied


def said(layers: Sequence[Mapping[str, Any]]) -> dict[str, Any]:
    """What the layers say, key by key: the highest word, or all objects above the last word that is none."""
    result = {}
    for key in {key for layer in layers for key in layer}:
        words = [layer[key] for layer in layers if layer.get(key, UNSET) is not UNSET]
        last = max((at for at, word in enumerate(words) if not isinstance(word, dict)), default=-1)
        if words:
            result[key] = words[-1] if last == len(words) - 1 else said(words[last + 1 :])
    return result


@settings(max_examples=60, deadline=None)
@given(st.lists(layers, max_size=4))
def test_c33_to_c37_each_key_is_what_its_highest_layers_say(given_layers: list[Any]) -> None:
    assert merge_layers(given_layers) == said(given_layers)


@given(values)
@settings(max_examples=30, deadline=None)
def test_c34_a_layer_over_itself_changes_nothing(value: Any) -> None:
    layer = {"v": value}
    assert merge_layers([layer, layer]) == merge_layers([layer]) == layer


def test_c46_a_cycle_anywhere_is_refused_where_it_closes() -> None:
    inner: dict[str, Any] = {}
    inner["up"] = [{"again": inner}]
    with pytest.raises(SerializationError) as caught:
        sendable({"a": inner})
    assert caught.value.path == "$.a.up[0].again"


class Endless(Mapping[str, Any]):
    """An object that has another one inside, for ever."""

    def __getitem__(self, key: str) -> Any:
        return Endless()

    def __iter__(self) -> Iterator[str]:
        return iter(["more"])

    def __len__(self) -> int:
        return 1


def test_depth_is_bounded_for_what_is_made_as_it_is_read() -> None:
    with pytest.raises(SerializationError, match="nested more than 200 deep"):
        sendable(Endless())
    deep: Any = 1
    for _ in range(200):
        deep = [deep]
    assert sendable(deep) == deep


@pytest.mark.parametrize(
    ("key", "path"),
    [("plain", "$.plain"), ("a b", '$["a b"]'), ('"', '$["\\""]'), ("", '$[""]'), ("é", '$["é"]')],
)
def test_a_path_can_be_read(key: str, path: str) -> None:
    with pytest.raises(SerializationError) as caught:
        sendable({key: math.nan})
    assert caught.value.path == path


def test_a_long_key_does_not_make_a_long_message() -> None:
    with pytest.raises(SerializationError) as caught:
        sendable({"k" * 100_000: object()})
    assert len(str(caught.value)) < 300


def test_what_is_unset_stays_unset_in_a_layer_and_is_gone_once_merged() -> None:
    layer = {"a": UNSET, "b": {"c": UNSET, "d": 1}}
    assert sendable_layer(layer) == layer
    assert merge_layers([layer]) == {"b": {"d": 1}}
    with pytest.raises(SerializationError, match="only a property may be left out"):
        sendable(UNSET)
    with pytest.raises(SerializationError, match=r"\$\.a\[0\] is UNSET"):
        merge_layers([{"a": [UNSET]}])
