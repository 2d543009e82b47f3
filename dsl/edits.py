"""How many edits make one word another."""

from __future__ import annotations

import math


def distance(left: str, right: str, most: float = math.inf) -> int:
    """The number of edits between two words; a swap of neighbours is one (restricted Damerau–Levenshtein). Where they
    are more than `most`, some number that is."""
    left, right = _differing(left, right)
    if len(left) < len(right):
        left, right = right, left
    if not right:
        return len(left)
    # A column of the usual table at a time, its rows the bits of a number: `up` and `down` say where a cell is one more
    # or less than the one above it (Hyyrö, "A bit-vector algorithm for computing Levenshtein and Damerau edit
    # distances", 2003).
    rows: dict[str, int] = {}
    for at, letter in enumerate(left):
        rows[letter] = rows.get(letter, 0) | 1 << at
    full, last = (1 << len(left)) - 1, 1 << len(left) - 1
    edits, up, down, equal, before = len(left), full, 0, 0, 0
    left_over = len(right)
    for letter in right:
        same = rows.get(letter, 0)
        swapped = ((~equal & same) << 1) & before
        equal = ((((same & up) + up) ^ up) | same | down | swapped) & full
        more, less = down | (full & ~(equal | up)), equal & up
        edits += 1 if more & last else -1 if less & last else 0
        left_over -= 1
        if edits - left_over > most:
            return edits - left_over
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
