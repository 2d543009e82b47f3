"""Did-you-mean."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterable
from functools import cached_property, lru_cache

_TOO_LONG = 64
_SAME_START = 4
"""Letters that two words share at their beginning, at least, that are near for that."""


def closest(word: str, *candidates: Iterable[str]) -> str | None:
    """The candidate that `word` is most likely a slip of, or None. One edit in three letters is a
    slip: a letter missing, added, changed, or swapped with its neighbour. Capitals and underscores do not count;
    words that share their first four letters and half of their length are near enough as well."""
    if len(word) > _TOO_LONG:
        return None
    groups = (group if isinstance(group, Names) else Names(group) for group in candidates)
    _, best = min(group.closest(word) for group in groups)
    return best or None


class Names(tuple[str, ...]):
    """Candidates that are made ready when a word is first compared with them. Of a thousand, few are ever looked at
    letter by letter."""

    def closest(self, word: str) -> tuple[float, str]:
        """As `closest` has it, with how far it is from the word: infinitely far, and empty, where there is none."""
        plain, letters = _known(word)
        size = len(plain)
        best: tuple[float, str] = (math.inf, "")
        if size < 2:
            return best
        for least, candidate, other in self._alike(size, letters):
            if least > best[0]:
                break
            edits = distance(plain, other)
            if edits <= _slips(size, len(other)) and edits < len(other) and candidate != word:
                best = min(best, (edits, candidate))
        for length, group in self._by_start.get(plain[:_SAME_START], {}).items():
            score = _slips(size, length) + 0.5
            if score <= best[0]:
                half = (max(size, length) + 1) // 2
                near = [one for one, other in group if other[:half] == plain[:half] and one != word]
                best = min(best, (score, min(near))) if near else best
        return best

    def only(self, key: frozenset[str], is_one: Callable[[str], bool]) -> Names:
        """Those of a sort, which the key names; found once."""
        found = self._sorts.get(key)
        if found is None:
            found = self._sorts[key] = Names(filter(is_one, self))
        return found

    def _alike(self, size: int, letters: int) -> list[tuple[int, str, str]]:
        """Those that a word may be a slip of by its length and its letters, the most alike first: each letter that
        only one of two words has costs an edit. Every one with the edits that it takes at least."""
        found: list[tuple[int, str, str]] = []
        for length, group in self._by_length.items():
            longer, slips = max(size, length), _slips(size, length)
            if abs(size - length) <= slips:
                enough = longer - slips
                found += [
                    (longer - shared, candidate, other)
                    for others, candidate, other in group
                    if (shared := (letters & others).bit_count()) >= enough
                ]
        found.sort()
        return found

    @cached_property
    def _by_length(self) -> dict[int, list[tuple[int, str, str]]]:
        """Letters, word and plain word of each, by the length of the plain word."""
        found: dict[int, list[tuple[int, str, str]]] = {}
        for word in self:
            plain, letters = _known(word)
            if len(plain) > 1 and len(word) <= _TOO_LONG:
                found.setdefault(len(plain), []).append((letters, word, plain))
        return found

    @cached_property
    def _by_start(self) -> dict[str, dict[int, list[tuple[str, str]]]]:
        """Word and plain word of each, by the first letters and the length of the plain word."""
        found: dict[str, dict[int, list[tuple[str, str]]]] = {}
        for length, group in self._by_length.items():
            for _, word, plain in group if length >= _SAME_START else ():
                found.setdefault(plain[:_SAME_START], {}).setdefault(length, []).append((word, plain))
        return found

    @cached_property
    def _sorts(self) -> dict[frozenset[str], Names]:
        return {}


def _slips(size: int, length: int) -> int:
    """The edits that may make one word another, by their lengths."""
    return max(1, max(size, length) // 3)


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


def distance(left: str, right: str) -> int:
    """The number of edits between two words; a swap of neighbours is one (restricted Damerau–Levenshtein)."""
    left, right = _differing(left, right)
    if not left or not right:
        return len(left) + len(right)
    # A column of the usual table at a time, its rows the bits of a number: `up` and `down` say where a cell is one more
    # or less than the one above it (Hyyrö, "A bit-vector algorithm for computing Levenshtein and Damerau edit
    # distances", 2003).
    rows: dict[str, int] = {}
    for at, letter in enumerate(left):
        rows[letter] = rows.get(letter, 0) | 1 << at
    full, last = (1 << len(left)) - 1, 1 << len(left) - 1
    edits, up, down, equal, before = len(left), full, 0, 0, 0
    for letter in right:
        same = rows.get(letter, 0)
        swapped = ((~equal & same) << 1) & before
        equal = ((((same & up) + up) ^ up) | same | down | swapped) & full
        more, less = down | (full & ~(equal | up)), equal & up
        edits += 1 if more & last else -1 if less & last else 0
        more = (more << 1 | 1) & full
        up, down = (less << 1 | ~(equal | more)) & full, more & equal
        before = same
    return edits


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
