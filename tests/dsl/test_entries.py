"""Declarations in blocks: the same as a plain list of them, after any edits."""

from __future__ import annotations

import random
from bisect import bisect_left

import pytest

from judgeflow.dsl import ast
from judgeflow.dsl.check.document import Stretch, joined
from judgeflow.dsl.check.entries import BLOCK, Entries, in_blocks
from judgeflow.dsl.check.entry import Entry, EntryCache

TEXTS = [
    "let a = 1",
    "let b = a",
    "let a = 2",
    'model m "x/y"',
    "let broken = = 1",
    "# nothing but a comment",
    'import "a.judge"',
    'agent w { model "x/z"  prompt "Write." }',
    'judge v(reply: text) { model ["x/z", "x/q"]\n  ask "Good?" }',
    "flow f(x: text) -> text { return x }",
]


def check_same(found: Entries, entries: list[Entry], starts: list[int]) -> None:
    assert list(found) == entries
    assert list(found.starts()) == starts
    assert len(found) == len(found.chunks) == len(entries)
    assert [found[index] for index in range(len(entries))] == entries
    assert [found.start(index) for index in range(len(entries))] == starts
    ends = [start + len(entry.text) for entry, start in zip(entries, starts, strict=True)]
    assert [found.chunks[index] for index in range(len(entries))] == list(zip(starts, ends, strict=True))
    for offset in range(0, 90 * len(entries) + 90, 29):
        assert found.first_ending_at(offset) == bisect_left(ends, offset)
    for name in ("a", "b", "m", "w", "nothing"):
        wanted = [at for at, one in enumerate(entries) if one.surface and one.surface.name == name]
        assert list(found.named(name)) == wanted
        assert [at for one, at in found.named_any({name, "w"}) if one == name] == wanted
    for kind in (ast.Constant, ast.Model, ast.Flow, ast.Import):
        assert list(found.of_kind(kind)) == [
            at for at, one in enumerate(entries) if isinstance(one.node, kind)
        ]
    for slug in ("x/z", "x/q", "x/y"):
        assert list(found.quoting(slug)) == [
            at
            for at, one in enumerate(entries)
            if isinstance(one.node, ast.Agent | ast.Judge) and f'"{slug}"' in one.text
        ]
    few = set(entries[:3])
    assert list(found.among(few)) == [
        (one, start) for one, start in zip(entries, starts, strict=True) if one in few
    ]


@pytest.mark.parametrize("seed", range(8))
def test_blocks_hold_what_a_list_would_hold(seed: int) -> None:
    rng = random.Random(seed)
    cache = EntryCache()
    entries = [cache.entry(rng.choice(TEXTS)) for _ in range(rng.choice((0, 1, BLOCK, 5 * BLOCK)))]
    starts = [90 * index for index in range(len(entries))]
    found = in_blocks(entries, starts)
    for _ in range(30):
        first = rng.randrange(len(entries) + 1)
        last = min(len(entries), first + rng.choice((0, 0, 1, 2, 3, 3 * BLOCK)))
        new = [cache.entry(rng.choice(TEXTS)) for _ in range(rng.choice((0, 1, 1, 2, 3 * BLOCK)))]
        begin = starts[first] if first < len(starts) else (starts[-1] + 90 if starts else 0)
        new_starts = [begin + 90 * index for index in range(len(new))]
        moved = 90 * (len(new) - (last - first))
        earlier = found
        found = found.replaced(first, last, new, new_starts, moved)
        check_same(earlier, entries, starts)
        entries = [*entries[:first], *new, *entries[last:]]
        starts = [*starts[:first], *new_starts, *(start + moved for start in starts[last:])]
        check_same(found, entries, starts)


@pytest.mark.parametrize("size", [1, 5, 3 * BLOCK])
def test_one_declaration_that_changes_is_like_all_of_them_anew(size: int) -> None:
    rng = random.Random(size)
    cache = EntryCache()
    entries = [cache.entry(rng.choice(TEXTS)) for _ in range(size)]
    starts = [90 * index for index in range(len(entries))]
    found = in_blocks(entries, starts)
    for _ in range(30):
        at, moved = rng.randrange(len(entries)), rng.choice((-1, 0, 1, 5))
        earlier, new = found, cache.entry(rng.choice(TEXTS))
        found = found.changed(at, new, moved)
        check_same(earlier, entries, starts)
        entries = [*entries[:at], new, *entries[at + 1 :]]
        starts = [*starts[: at + 1], *(start + moved for start in starts[at + 1 :])]
        check_same(found, entries, starts)


def test_a_text_is_read_once_as_long_as_somebody_holds_it_or_it_is_recent() -> None:
    cache = EntryCache(recent=2)
    held = cache.entry("let a = 1")
    gone = id(cache.entry("let b = 1"))
    assert id(cache.entry("let b = 1")) == gone
    for number in range(5):
        cache.entry(f"let c = {number}")
    assert cache.entry("let a = 1") is held
    assert len(cache) == 3


def spliced(text: str, rng: random.Random) -> tuple[str, Stretch]:
    start = rng.randrange(len(text) + 1)
    end = min(len(text), start + rng.choice((0, 1, 5)))
    new = rng.choice(("", "x", "yyyy"))
    return text[:start] + new + text[end:], (start, end, start + len(new))


def test_edits_in_turn_make_one_that_covers_them() -> None:
    rng = random.Random(1)
    for _ in range(500):
        old = text = "".join(rng.choices("abc", k=rng.randrange(12)))
        whole: Stretch | None = None
        for _ in range(rng.randrange(1, 6)):
            text, stretch = spliced(text, rng)
            whole = stretch if whole is None else joined(whole, stretch)
        assert whole is not None
        start, old_end, new_end = whole
        assert 0 <= start <= min(old_end, new_end)
        assert old[:start] == text[:start]
        assert old[old_end:] == text[new_end:]
