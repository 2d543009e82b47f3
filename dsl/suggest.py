"""Did-you-mean."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator
from functools import cached_property, lru_cache
from itertools import chain

from .edits import distance
from .near_words import NOTHING, SAME_START, TOO_LONG, Index, Near, plain_word


def closest(word: str, *candidates: Iterable[str] | Index) -> str | None:
    """The candidate that `word` is most likely a slip of, or None. One edit in three letters is a
    slip: a letter missing, added, changed, or swapped with its neighbour. Capitals and underscores do not count;
    words that share their first four letters and half of their length are near enough as well."""
    if len(word) > TOO_LONG:
        return None
    best = NOTHING
    for group in candidates:
        near = group.closest(word) if isinstance(group, Names | Index) else _closest_of_few(word, group)
        best = min(best, near)
    return best[1] or None


class Sorts:
    """Of each sort of names that was asked for, an index that is kept up as names come and go: while somebody types
    the name of a declaration, all the others are not looked at again."""

    def __init__(self) -> None:
        self._found: dict[frozenset[str], Index] = {}
        self._changed: dict[frozenset[str], set[str]] = {}

    def change(self, names: Iterable[str]) -> None:
        """These came, went, or may be of another sort from now on."""
        for key, changed in list(self._changed.items()):
            changed.update(names)
            if len(changed) > 2 * len(self._found[key]) + 100:
                # Nobody has asked for so long that it had better be made anew.
                del self._found[key], self._changed[key]

    def of(self, key: frozenset[str], names: Iterable[str], is_one: Callable[[str], bool]) -> Index:
        """The names of the sort that the key stands for. `is_one` knows them, and no name that went is one."""
        found = self._found.get(key)
        if found is None or found.is_worn:
            found = self._found[key] = Index(filter(is_one, names))
        else:
            for name in self._changed[key]:
                found.discard(name)
                if is_one(name):
                    found.add(name)
        self._changed[key] = set()
        return found


class Names:
    """Candidates, each once and in order, that are made ready when a word is first compared with them, or with those
    of a sort. The groups that they come from never change; `sorts` outlive them."""

    def __init__(self, *groups: Iterable[str], sorts: Sorts | None = None) -> None:
        self._groups = groups
        self._sorts = sorts or Sorts()

    def __iter__(self) -> Iterator[str]:
        return iter(self._words)

    def closest(self, word: str) -> Near:
        """As `closest` has it, with how far it is from the word."""
        return self._index.closest(word)

    def only(self, key: frozenset[str], is_one: Callable[[str], bool]) -> Index:
        """Those of a sort, which the key names."""
        return self._sorts.of(key, self, is_one)

    @cached_property
    def _words(self) -> dict[str, None]:
        return dict.fromkeys(chain(*self._groups))

    @cached_property
    def _index(self) -> Index:
        return Index(self)


def _closest_of_few(word: str, candidates: Iterable[str]) -> Near:
    """The nearest of candidates that are seen once, one after the other."""
    plain, letters = _known(word)
    size, start = len(plain), plain[:SAME_START]
    best = NOTHING
    for candidate in candidates if size > 1 else ():
        other, others = _known(candidate)
        longer = max(size, len(other))
        slips = longer // 3 or 1
        if len(other) < 2 or len(candidate) > TOO_LONG or candidate == word:
            continue
        # Each letter that only one of two words has costs an edit.
        most = min(slips, best[0])
        if longer - (letters & others).bit_count() <= most:
            edits = distance(plain, other, most)
            if edits <= slips:
                best = min(best, (edits, candidate))
        if len(start) == SAME_START and other[:SAME_START] == start:
            half = (longer + 1) // 2
            if other[:half] == plain[:half]:
                best = min(best, (slips + 0.5, candidate))
    return best


@lru_cache(maxsize=8192)
def _known(word: str) -> tuple[str, int]:
    """The plain word, and its letters as bits, the second of a kind in the second row of bits and so on. Letters that
    share a bit, as no two of a name do, only make two words look more alike than they are."""
    plain = plain_word(word)
    letters = 0
    for letter in plain:
        bit = 1 << (ord(letter) % 38)
        while letters & bit:
            bit <<= 38
        letters |= bit
    return plain, letters
