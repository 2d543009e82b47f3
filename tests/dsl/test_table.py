"""What names stand for, renewed edit by edit: the same as a plain dict."""

from __future__ import annotations

import random

import pytest

from judgeflow.dsl.check.base import NamedSurface, Surface
from judgeflow.dsl.workspace.table import Table


def test_a_table_renewed_many_times_is_like_one_made_anew() -> None:
    rng = random.Random(1)
    plain: dict[str, Surface] = {f"n{at}": NamedSurface("scorer", f"n{at}") for at in range(100)}
    table = Table(dict(plain))
    for step in range(300):
        earlier, before = table, dict(plain)
        new = {
            name: NamedSurface(f"kind{step}", name) for name in rng.sample(list(plain), rng.choice((1, 2)))
        }
        table = table.renewed(new)
        plain.update(new)
        assert {name: earlier[name] for name in earlier} == before
        assert {name: table[name] for name in table} == plain
        assert list(table) == list(table.names) == list(plain)
    assert table.get("n7") == plain["n7"]
    assert table.get("nothing") is None
    assert "n7" in table
    assert "nothing" not in table
    with pytest.raises(KeyError):
        table["nothing"]


def test_what_stands_beside_the_shared_table_stays_few_however_long_somebody_types() -> None:
    first: dict[str, Surface] = {f"n{at}": NamedSurface("scorer", f"n{at}") for at in range(200)}
    table = Table(first)
    shared = 0
    for step in range(1000):
        name = f"n{step % 200}"
        table = table.renewed({name: NamedSurface(f"kind{step}", name)})
        assert len(table._changed) < 64
        shared += table._first is first
    assert shared == 63


def test_a_name_that_becomes_another_keeps_its_place() -> None:
    rng = random.Random(2)
    names = [f"n{at}" for at in range(30)]
    table = Table({name: NamedSurface("scorer", name) for name in names})
    plain: dict[str, Surface] = {name: table[name] for name in names}
    for step in range(400):
        at, earlier, before = rng.randrange(len(names)), table, list(names)
        old, new = names[at], rng.choice((names[at] + "x", names[at][:-1], f"n{at}", f"m{step}"))
        surface = NamedSurface(f"kind{step}", new)
        if new == old:
            table = table.renewed({old: surface})
        elif new in names or not new:
            continue
        else:
            table = table.renamed(old, surface)
            names[at] = new
            del plain[old]
        plain[new] = surface
        assert list(table) == names
        assert set(table.names) == set(names)
        assert {name: table[name] for name in table} == plain
        assert list(earlier) == before
        assert old == new or (old not in table and table.get(old) is None)
