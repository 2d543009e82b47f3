"""What names stand for, renewed edit by edit: the same as a plain dict."""

from __future__ import annotations

import random

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
