"""Did-you-mean: near words are found, far ones are not."""

import random
from collections.abc import Callable, Iterable

import pytest

from judgeflow.dsl.edits import distance
from judgeflow.dsl.near_words import Index
from judgeflow.dsl.suggest import Names, Sorts, closest

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


def by_the_rules(word: str, candidates: Iterable[str]) -> str | None:
    """What `closest` promises, one candidate after the other."""
    found = []
    plain = word.lower().replace("_", "")
    for candidate in candidates:
        other = candidate.lower().replace("_", "")
        if candidate == word or min(len(plain), len(other)) < 2 or max(len(word), len(candidate)) > 64:
            continue
        longer = max(len(plain), len(other))
        edits = distance(plain, other)
        shared = next((at for at in range(longer) if plain[at : at + 1] != other[at : at + 1]), longer)
        if edits <= max(1, longer // 3) and edits < len(other):
            found.append((edits, candidate))
        elif shared >= 4 and 2 * shared >= longer:
            found.append((max(1, longer // 3) + 0.5, candidate))
    return min(found)[1] if found else None


STEMS = ("finder", "find_thing", "good", "Thing", "run", "writer", "rater", "x", "ab", "finality", "é", "İ")
NATURAL = [
    "billing",
    "support",
    "answer",
    "customer",
    "reply",
    "summarise",
    "summary",
    "translate_text",
    "order",
    "refund",
    "polite",
    "Tone",
    "Length",
    "grammar",
    "check_facts",
    "facts",
    "policy",
    "writer",
    "editor",
    "Reviewer",
    "planner",
    "search",
    "open_ticket",
    "close_ticket",
    "route",
    "escalate",
    "classify",
]


def numbered(rng: random.Random) -> str:
    return rng.choice(STEMS) + rng.choice(("", "_1", "_12", "s", "_final", str(rng.randrange(300))))


def natural(rng: random.Random) -> str:
    return "_".join(rng.choices(NATURAL, k=rng.randrange(1, 4)))


def odd(rng: random.Random) -> str:
    return "".join(rng.choices("aabB_é0", k=rng.choice((0, 1, 2, 3, 4, 5, 6, 9, 63, 70))))


KINDS = pytest.mark.parametrize("name", [numbered, natural, odd], ids=lambda name: name.__name__)


def slipped(word: str, rng: random.Random) -> str:
    letters = list(word)
    for _ in range(rng.randrange(5)):
        at = rng.randrange(len(letters) + 1)
        letters[at : at + rng.randrange(2)] = rng.choice(("", "q", "e", "_", "1", "er", "new"))
        if rng.random() < 0.3:
            letters[at : at + 2] = reversed(letters[at : at + 2])
    return "".join(letters)


@KINDS
@pytest.mark.parametrize("seed", range(8))
def test_of_many_the_one_that_the_rules_say_is_found(name: Callable[[random.Random], str], seed: int) -> None:
    rng = random.Random(seed)
    candidates = [name(rng) for _ in range(rng.choice((3, 60, 250)))]
    names = Names(candidates)
    for _ in range(40):
        written = slipped(rng.choice([*candidates, name(rng)]), rng)
        meant = by_the_rules(written, candidates)
        assert closest(written, names) == closest(written, candidates) == meant, written
        assert closest(written, candidates[::2], Index(candidates[1::2])) == meant, written
        few = [one for one in candidates if len(one) % 2]
        only = names.only(frozenset({"few"}), lambda one: len(one) % 2 == 1)
        assert closest(written, only) == by_the_rules(written, few)
        assert names.only(frozenset({"few"}), lambda one: False) is only


@KINDS
@pytest.mark.parametrize("seed", range(4))
def test_sorts_are_kept_up_as_names_come_and_go(name: Callable[[random.Random], str], seed: int) -> None:
    rng = random.Random(seed)
    kinds = {name(rng): rng.choice("ab") for _ in range(80)}
    sorts = Sorts()
    for step in range(300):
        for _ in range(rng.randrange(3)):
            gone, came, turned = rng.choice(list(kinds)), name(rng), rng.choice(list(kinds))
            del kinds[gone]
            kinds[came] = rng.choice("ab")
            if turned in kinds:
                kinds[turned] = rng.choice("ab")
            sorts.change({gone, came, turned})
        kind = rng.choice("ab")
        if step % 3 == 0:
            names = Names(list(kinds), sorts=sorts)
            found = names.only(frozenset({kind}), lambda one, kind=kind: kinds.get(one) == kind)
            written = slipped(rng.choice(list(kinds)), rng)
            assert closest(written, found) == by_the_rules(
                written, [one for one in kinds if kinds[one] == kind]
            )


@KINDS
@pytest.mark.parametrize("seed", range(4))
def test_words_that_come_and_go_leave_an_index_as_if_it_were_new(
    name: Callable[[random.Random], str], seed: int
) -> None:
    rng = random.Random(seed)
    words = {name(rng) for _ in range(20)}
    index = Index(words)
    for _ in range(200):
        came, gone = slipped(name(rng), rng), rng.choice(sorted(words))
        index.add(came)
        index.discard(gone)
        index.discard(gone)
        words = (words | {came}) - {gone}
        written = slipped(rng.choice([*sorted(words), came, gone]), rng)
        assert closest(written, index) == by_the_rules(written, words), written


def test_an_index_whose_words_are_mostly_gone_is_made_anew() -> None:
    sorts, now = Sorts(), "name_0"

    def found() -> Index:
        return sorts.of(frozenset({"a"}), [now], lambda one: one == now)

    first = found()
    for number in range(1, 200):
        sorts.change({now, f"name_{number}"})
        now = f"name_{number}"
        assert len(found()) == 1
    assert found() is not first
    assert closest("nmae_199", found()) == "name_199"


def test_names_that_come_and_go_for_days_are_not_remembered_where_nobody_asks() -> None:
    sorts, kept = Sorts(), frozenset({"a"})
    sorts.of(kept, ["name"], lambda one: one == "name")
    for number in range(1000):
        sorts.change({f"name_{number}"})
        assert sum(map(len, sorts._changed.values())) <= 102
    assert closest("nmae_1000", sorts.of(kept, ["name", "name_1000"], lambda one: True)) == "name_1000"


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
        edits, most = by_table(left, right), rng.randrange(9)
        assert distance(left, right) == edits, (left, right)
        within = distance(left, right, most)
        assert within == edits if edits <= most else most < within <= edits, (left, right)
