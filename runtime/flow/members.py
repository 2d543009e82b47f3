"""What an earlier process of the run has settled among things that ran at once.

A member whose outcome is known goes first, because it may be the one that ends the others: then they are not asked
again, and what they had cost stays in the record.
"""

from __future__ import annotations

from collections.abc import Iterator

from ..run import Run, is_over
from ..store.records import StepRecord


class PastMembers:
    """The members of one `parallel`, `each` or `race`, by their place. `base` is where their paths begin."""

    def __init__(self, run: Run, base: str) -> None:
        self._run = run
        self._found: dict[int, list[tuple[str, StepRecord]]] = {}
        for at, rest, record in _of(run, base):
            self._found.setdefault(at, []).append((rest, record))

    def is_settled(self, at: int) -> bool:
        """Whether all that the member itself did is over; what it did is not done again."""
        own = [record for rest, record in self._found.get(at, ()) if not set(rest) & set("/[.")]
        return bool(own) and all(map(is_over, own))

    def keep(self, at: int) -> None:
        """The member is not gone into in this process: its steps stay in the record as they were."""
        for _, record in self._found.get(at, ()):
            self._run.keep_past(record)


def past_members(run: Run, base: str) -> PastMembers | None:
    """None where there was no earlier process."""
    return PastMembers(run, base) if run.past else None


def _of(run: Run, base: str) -> Iterator[tuple[int, str, StepRecord]]:
    start = f"{base}["
    for id, record in run.past.items():
        if id.startswith(start):
            at, _, rest = id[len(start) :].partition("].")
            if at.isdigit():
                yield int(at), rest, record
