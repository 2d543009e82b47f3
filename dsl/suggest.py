"""Did-you-mean."""

from __future__ import annotations

from collections.abc import Iterable

_TOO_LONG = 64


def closest(word: str, candidates: Iterable[str]) -> str | None:
    """The candidate that `word` is most likely a slip of, or None. One edit in three letters is a slip: a
    letter missing, added, changed, or swapped with its neighbour. Capitals and underscores do not count;
    words that share their first four letters and half of their length are near enough as well."""
    if len(word) > _TOO_LONG:
        return None
    plain = _plain(word)
    best: tuple[float, str] | None = None
    for candidate in candidates:
        if candidate == word or len(candidate) > _TOO_LONG:
            continue
        score = _score(plain, _plain(candidate))
        if score is not None and (best is None or (score, candidate) < best):
            best = (score, candidate)
    return best[1] if best else None


def _plain(word: str) -> str:
    return word.lower().replace("_", "")


def _score(word: str, candidate: str) -> float | None:
    allowed = max(1, max(len(word), len(candidate)) // 3)
    if min(len(word), len(candidate)) < 2:
        return None
    if abs(len(word) - len(candidate)) <= allowed:
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
