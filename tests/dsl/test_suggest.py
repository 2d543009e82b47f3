"""Did-you-mean: near words are found, far ones are not."""

import random

import pytest

from judgeflow.dsl.suggest import Names, closest, distance

CLAUSES = ("model", "prompt", "tools", "judges", "retries", "timeout")


@pytest.mark.parametrize(
    ("word", "meant"),
    [
        ("modle", "model"),
        ("Model", "model"),
        ("promt", "prompt"),
        ("judge", "judges"),
        ("time_out", "timeout"),
        ("retry", "retries"),
        ("tool", "tools"),
        ("temperature", None),
        ("x", None),
        ("", None),
        ("m" * 500, None),
    ],
)
def test_a_slip_finds_its_word(word: str, meant: str | None) -> None:
    assert closest(word, CLAUSES) == meant


def test_the_word_itself_is_no_suggestion() -> None:
    assert closest("model", ["model"]) is None


def test_the_nearest_wins_and_ties_go_by_alphabet() -> None:
    assert closest("stat", ["state", "stats", "start"]) == "start"


def test_a_swap_of_neighbours_is_one_edit() -> None:
    assert (distance("agnet", "agent"), distance("abc", "abc"), distance("", "abc")) == (1, 0, 3)


def by_the_rules(word: str, candidates: list[str]) -> str | None:
    """What `closest` promises, one candidate after the other."""
    found = []
    plain = word.lower().replace("_", "")
    for candidate in candidates:
        other = candidate.lower().replace("_", "")
        if candidate == word or min(len(plain), len(other)) < 2:
            continue
        longer = max(len(plain), len(other))
        edits = distance(plain, other)
        shared = next((at for at in range(longer) if plain[at : at + 1] != other[at : at + 1]), longer)
        if edits <= max(1, longer // 3) and edits < len(other):
            found.append((edits, candidate))
        elif shared >= 4 and 2 * shared >= longer:
            found.append((max(1, longer // 3) + 0.5, candidate))
    return min(found)[1] if found else None


STEMS = ("finder", "find_thing", "good", "Thing", "run", "writer", "rater", "x", "ab", "finality", "é")


@pytest.mark.parametrize("seed", range(20))
def test_of_many_the_one_that_the_rules_say_is_found(seed: int) -> None:
    rng = random.Random(seed)
    candidates = [rng.choice(STEMS) + rng.choice(("", "_1", "_12", "s", "_final")) for _ in range(60)]
    names = Names(candidates)
    for _ in range(60):
        word = list(rng.choice(candidates))
        for _ in range(rng.randrange(4)):
            at = rng.randrange(len(word) + 1)
            word[at : at + rng.randrange(2)] = rng.choice(("", "q", "e", "_", "1", "er"))
        written = "".join(word)
        assert closest(written, names) == by_the_rules(written, candidates)
        few = [one for one in candidates if len(one) % 2]
        only = names.only(frozenset({"few"}), lambda one: len(one) % 2 == 1)
        assert closest(written, only) == by_the_rules(written, few)
        assert names.only(frozenset({"few"}), lambda one: False) is only


def by_table(left: str, right: str) -> int:
    """The textbook's table of edits, with swaps."""
    table = {(i, 0): i for i in range(len(left) + 1)} | {(0, j): j for j in range(len(right) + 1)}
    for i in range(1, len(left) + 1):
        for j in range(1, len(right) + 1):
            change = table[i - 1, j - 1] + (left[i - 1] != right[j - 1])
            table[i, j] = min(table[i - 1, j] + 1, table[i, j - 1] + 1, change)
            if i > 1 and j > 1 and left[i - 2 : i] == right[j - 2 : j][::-1]:
                table[i, j] = min(table[i, j], table[i - 2, j - 2] + 1)
    return table[len(left), len(right)]


def test_the_distance_is_that_of_the_textbook() -> None:
    rng = random.Random(3)
    for _ in range(1500):
        letters = rng.choice(("ab", "abc", "abcdefgh"))
        left, right = ("".join(rng.choices(letters, k=rng.randrange(11))) for _ in range(2))
        assert distance(left, right) == by_table(left, right), (left, right)
