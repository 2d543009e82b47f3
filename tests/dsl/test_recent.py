from __future__ import annotations

from judgeflow.dsl.recent import Recent


def test_the_older_half_goes_when_there_are_too_many() -> None:
    recent: Recent[str, int] = Recent(10)
    for number in range(11):
        recent.put(f"k{number}", number)
    assert [recent.get(f"k{number}") for number in range(11)] == [*[None] * 5, *range(5, 11)]
    assert len(recent) == 6


def test_a_key_that_is_put_again_has_its_last_value() -> None:
    recent: Recent[str, int] = Recent(2)
    recent.put("a", 1)
    recent.put("a", 2)
    assert recent.get("a") == 2
    assert len(recent) == 1
