"""Which of a file's cases are run, and in which order. The same seed gives the same ones."""

from __future__ import annotations

from collections.abc import Sequence
from random import Random

import attrs

from ..evaluate.cases import Case


@attrs.frozen(kw_only=True)
class Selection:
    """First `sample` cases by chance, in the order of the file, then `shuffle`, then the first `limit`."""

    limit: int | None = None
    sample: int | None = None
    shuffle: bool = False
    seed: int = 0

    def of(self, cases: Sequence[Case]) -> list[Case]:
        chance = Random(self.seed)
        chosen = list(cases)
        if self.sample is not None and self.sample < len(chosen):
            kept = sorted(chance.sample(range(len(chosen)), self.sample))
            chosen = [chosen[at] for at in kept]
        if self.shuffle:
            chance.shuffle(chosen)
        return chosen if self.limit is None else chosen[: self.limit]
