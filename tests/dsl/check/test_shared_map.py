"""A map that shares what it can with the one that it came from, against plain dictionaries."""

from __future__ import annotations

import random

from judgeflow.dsl.check.shared_map import SharedMap, shared_map

NAMES = [f"n{number}" for number in range(200)]


def test_random_changes_give_what_copies_of_a_dictionary_give() -> None:
    chance = random.Random(7)
    versions: list[tuple[SharedMap[int], dict[str, int]]] = [(shared_map({"a": 1, "b": 2}), {"a": 1, "b": 2})]
    for number in range(600):
        known, plain = chance.choice(versions[-5:])
        name = chance.choice(NAMES)
        if chance.random() < 0.8:
            versions.append((known.having(name, number), {**plain, name: number}))
        else:
            versions.append((known.without(name), {key: each for key, each in plain.items() if key != name}))
    for known, plain in versions:
        assert dict(known) == plain
        assert len(known) == len(plain)
        assert bool(known) is bool(plain)
        assert [known.get(name) for name in NAMES] == [plain.get(name) for name in NAMES]
        assert [name in known for name in NAMES] == [name in plain for name in NAMES]


def test_what_differs_from_an_earlier_map_is_found_by_name() -> None:
    chance = random.Random(8)
    for _ in range(50):
        before = shared_map({name: object() for name in chance.sample(NAMES, 150)})
        now, changed = before, set()
        for name in chance.sample(NAMES, 5):
            now = now.having(name, object()) if chance.random() < 0.7 else now.without(name)
            changed |= {name} if name in before or name in now else set()
        assert set(now.differing(before)) == changed
    assert list(before.differing(before)) == []


def test_names_stand_in_the_order_in_which_they_came() -> None:
    known = shared_map({}).having("z", 1).having("a", 2).having("m", 3).having("z", 4)
    assert list(known.items()) == [("z", 4), ("a", 2), ("m", 3)]


def test_one_more_name_copies_a_small_part_of_a_large_map() -> None:
    large = shared_map(dict.fromkeys(map(str, range(10_000)), 0))
    rows = zip(large._rows, large.having("17", 1)._rows, strict=True)
    assert sum(row is not other for row, other in rows) == 1
    assert max(map(len, large._rows)) <= 32
