"""Many words, to be found by slips of them."""

from __future__ import annotations

import math
from bisect import bisect_left, bisect_right
from collections.abc import Iterable
from itertools import repeat

from .edits import distance

Near = tuple[float, str]
"""How far a candidate is from a word, and the candidate: the lesser of two is rather meant."""
NOTHING: Near = (math.inf, "")
TOO_LONG = 64
SAME_START = 4
"""Letters that two words share at their beginning, at least, that are near for that."""
_BYTES = bytes(range(256))
_GONE = 255
"""Stands for the length of a word that is no more, so that it is near none."""


def plain_word(word: str) -> str:
    """The word without what does not count, capitals and underscores."""
    return word.lower().replace("_", "")


class Index:
    """Words that many others are compared with. A letter has a row with a byte for every word, 1 if the letter is in
    it (and another row that says whether it is there twice, and so on). A row is a single number, so that the sum of a
    few says of all words at once how many letters they share with another, and few are compared one by one."""

    def __init__(self, words: Iterable[str]) -> None:
        self._words: list[str] = []
        self._plain: list[str] = []
        self._lengths = bytearray()
        self._places: dict[str, int] = {}
        self._rows = _Rows(self._plain)
        self._starts: _Starts | None = None
        for word in sorted(set(words)):
            self.add(word)
        self._in_order = len(self._words)
        """Where the words end that are in the order of the alphabet."""

    def __len__(self) -> int:
        return len(self._places)

    @property
    def is_worn(self) -> bool:
        """Whether more words are gone than there."""
        return len(self._words) > 2 * len(self._places) + 100

    def add(self, word: str) -> None:
        plain = plain_word(word)
        if len(plain) < 2 or len(word) > TOO_LONG or word in self._places:
            return
        place = self._places[word] = len(self._words)
        self._words.append(word)
        self._plain.append(plain)
        self._lengths.append(len(plain))
        for mark in _marks(plain) if self._rows else ():
            if mark in self._rows:
                self._rows[mark] += 1 << 8 * place
        if self._starts is not None:
            self._starts.add(plain, word)

    def discard(self, word: str) -> None:
        place = self._places.pop(word, None)
        if place is not None:
            self._lengths[place] = _GONE
            if self._starts is not None:
                self._starts.remove(self._plain[place], word)

    def closest(self, word: str) -> Near:
        """The nearest by the rules of `suggest.closest`."""
        plain = plain_word(word)
        size = len(plain)
        if size < 2:
            return NOTHING
        shared = sum(map(self._rows.__getitem__, _marks(plain)))
        most = size // 3 or 1
        best = self._slip_of(word, plain, shared, size, range(most + 1), NOTHING)
        if best[0] > most and size // 2 > most:
            # Only longer words may take that many edits.
            best = self._slip_of(word, plain, shared, _GONE, range(most + 1, size // 2 + 1), best)
        if best[0] > most and size >= SAME_START:
            if self._starts is None:
                self._starts = _Starts((self._plain[place], word) for word, place in self._places.items())
            best = self._starts.closest(word, plain, best)
        return best

    def _slip_of(
        self, word: str, plain: str, shared: int, floor: int, edits: Iterable[int], best: Near
    ) -> Near:
        """The nearest of those that take one of these numbers of edits at least, or what was better already: each
        letter that only one of two words has costs one. `shared` are their letters in common, and `floor` stands for
        the length of those that are not longer than the word."""
        behind = len(plain) + 1
        longer = self._lengths.translate(bytes((floor,)) * behind + _BYTES[behind:])
        least = (int.from_bytes(longer, "little") - shared).to_bytes(len(longer), "little")
        for number in edits:
            at = least.find(number) if number <= best[0] else -1
            while at >= 0:
                candidate, other = self._words[at], self._plain[at]
                if (number, candidate) > best:
                    # Those that follow in the alphabet are not better either.
                    at = max(at, self._in_order - 1)
                elif number <= (slips := longer[at] // 3 or 1) and candidate != word:
                    found = distance(plain, other, min(slips, best[0]))
                    if found <= slips:
                        best = min(best, (found, candidate))
                at = least.find(number, at + 1)
        return best


class _Rows(dict[str, int]):
    """The rows that were needed, by the letter, as often as it has to be in a word."""

    def __init__(self, words: list[str]) -> None:
        self._words = words

    def __missing__(self, mark: str) -> int:
        counts = bytes(map(str.count, self._words, repeat(mark[0])))
        enough = counts.translate(bytes(len(mark)) + b"\1" * (256 - len(mark)))
        row = self[mark] = int.from_bytes(enough, "little")
        return row


class _Starts:
    """Words by what they begin with: by the first letters and the length of the plain word, plain words in order, and
    the words beside them."""

    def __init__(self, words: Iterable[tuple[str, str]]) -> None:
        self._groups: dict[str, dict[int, tuple[list[str], list[str]]]] = {}
        for plain, word in words:
            self.add(plain, word)

    def add(self, plain: str, word: str) -> None:
        if len(plain) >= SAME_START:
            group = self._groups.setdefault(plain[:SAME_START], {}).setdefault(len(plain), ([], []))
            at = bisect_left(group[0], plain)
            group[0].insert(at, plain)
            group[1].insert(at, word)

    def remove(self, plain: str, word: str) -> None:
        if len(plain) >= SAME_START:
            plains, words = self._groups[plain[:SAME_START]][len(plain)]
            at = words.index(word, bisect_left(plains, plain))
            del plains[at], words[at]

    def closest(self, word: str, plain: str, best: Near) -> Near:
        """The first in the alphabet of those that share half of their letters with a word, or what was better."""
        for length, (plains, words) in self._groups.get(plain[:SAME_START], {}).items():
            longer = max(len(plain), length)
            half, score = (longer + 1) // 2, (longer // 3 or 1) + 0.5
            low = (
                bisect_left(plains, plain[:half]) if score <= best[0] and half <= len(plain) else len(plains)
            )
            if low < len(plains) and plains[low].startswith(plain[:half]):
                high = bisect_right(plains, plain[:half], low, key=lambda other: other[:half])
                near = [one for one in words[low:high] if one != word]
                best = min(best, (score, min(near))) if near else best
        return best


def _marks(plain: str) -> Iterable[str]:
    """Its letters, one that is there for the second time as two, and so on."""
    if len(set(plain)) == len(plain):
        return plain
    return [letter * (plain.count(letter, 0, at) + 1) for at, letter in enumerate(plain)]
