"""Did-you-mean."""

from __future__ import annotations

from collections.abc import Iterable
from functools import lru_cache

_TOO_LONG = 64


def closest(word: str, candidates: Iterable[str]) -> str | None:
    """The candidate that `word` is most likely a slip of, or None. One edit in three letters is a slip: a
    letter missing, added, changed, or swapped with its neighbour. Capitals and underscores do not count;
    words that share their first four letters and half of their length are near enough as well."""
    return _closest(word, tuple(candidates))


@lru_cache(maxsize=32)
def _closest(word: str, candidates: tuple[str, ...]) -> str | None:
    """A name that is not known is often written more than once: what was found for it is kept."""
    if len(word) > _TOO_LONG:
        return None
    plain, letters = _known(word)
    start, size = plain[:4], len(plain)
    best: tuple[float, str] | None = None
    most = float(_TOO_LONG)
    for candidate in candidates:
        other, others = _known(candidate)
        # Each letter that only one of two words has costs an edit: of a thousand names most end here.
        missing = (letters & ~others).bit_count()
        extra = (others & ~letters).bit_count()
        missing = max(missing, extra)
        too_far = missing > most or (3 * missing > size and 3 * missing > len(other))
        if too_far and missing > 1 and other[:4] != start:
            continue
        if candidate == word or len(candidate) > _TOO_LONG:
            continue
        score = _score(plain, other, missing)
        if score is not None and (best is None or (score, candidate) < best):
            best = (score, candidate)
            most = score
    return best[1] if best else None


@lru_cache(maxsize=8192)
def _known(word: str) -> tuple[str, int]:
    """The word without capitals and underscores, and its letters as bits, the second of a kind in the second
    row of bits and so on. Letters that share a bit only make two words look more alike than they are."""
    plain = word.lower().replace("_", "")
    letters = 0
    for letter in plain:
        bit = 1 << (ord(letter) & 63)
        while letters & bit:
            bit <<= 64
        letters |= bit
    return plain, letters


def _score(word: str, candidate: str, least: int) -> float | None:
    """`least` is known to be no more than their distance."""
    allowed = max(1, max(len(word), len(candidate)) // 3)
    if min(len(word), len(candidate)) < 2:
        return None
    if max(least, abs(len(word) - len(candidate))) <= allowed:
        edits = distance(word, candidate)
        if edits <= allowed and edits < len(candidate):
            return edits
    shared = 0
    for letter, other in zip(word, candidate, strict=False):
        if letter != other:
            break
        shared += 1
    return allowed + 0.5 if shared >= 4 and 2 * shared >= max(len(word), len(candidate)) else None


def distance(left: str, right: str) -> int:
    """The number of edits between two words; a swap of neighbours is one (restricted Damerau–Levenshtein)."""
    left, right = _differing(left, right)
    if not left or not right:
        return len(left) + len(right)
    before: list[int] = []
    row = list(range(len(right) + 1))
    for i, letter in enumerate(left, 1):
        before, last, row = row, before, [i]
        for j, other in enumerate(right, 1):
            cost = min(before[j] + 1, row[j - 1] + 1, before[j - 1] + (letter != other))
            if i > 1 and j > 1 and letter == right[j - 2] and left[i - 2] == other:
                cost = min(cost, last[j - 2] + 1)
            row.append(cost)
    return row[-1]


def _differing(left: str, right: str) -> tuple[str, str]:
    """Two words without the beginning and the end that they share."""
    shorter = min(len(left), len(right))
    start = 0
    while start < shorter and left[start] == right[start]:
        start += 1
    end = 0
    while end < shorter - start and left[-1 - end] == right[-1 - end]:
        end += 1
    return left[start : len(left) - end], right[start : len(right) - end]
