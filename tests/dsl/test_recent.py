from __future__ import annotations

import random

from judgeflow.dsl.recent import Recent


def test_the_older_half_goes_when_there_is_too_much() -> None:
    recent: Recent[str, int] = Recent(30, len)
    for number in range(10, 21):
        recent.put(f"k{number}", number)
    assert [recent.get(f"k{number}") for number in range(10, 21)] == [*[None] * 6, *range(16, 21)]
    assert len(recent) == 5


def test_a_key_that_is_put_again_has_its_last_value_and_counts_once() -> None:
    recent: Recent[str, int] = Recent(2, len)
    for number in range(5):
        recent.put("a", number)
    recent.put("b", 2)
    assert recent.get("a") == 4
    assert len(recent) == 2


def test_what_is_too_large_is_kept_until_the_next_comes() -> None:
    recent: Recent[str, int] = Recent(10, len)
    recent.put("a" * 100, 1)
    assert recent.get("a" * 100) == 1
    recent.put("b", 2)
    assert recent.get("a" * 100) is None
    assert recent.get("b") == 2


def test_however_much_comes_no_more_than_the_limit_stays() -> None:
    chance = random.Random(1)
    recent: Recent[str, None] = Recent(1000, len)
    for _ in range(2000):
        recent.put(chance.choice("abc") * chance.randrange(1, 300), None)
        assert sum(map(len, recent._kept)) <= 1000
