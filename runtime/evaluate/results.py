"""What went wrong, counted by cause: nothing is dropped without being told."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from .checks import CheckResult
from .statistics import Kappa, fleiss_kappa


class Cause(msgspec.Struct, frozen=True):
    """Why some cases have no result. `cases` are their names, in order."""

    cause: str
    cases: tuple[str, ...]

    @property
    def count(self) -> int:
        return len(self.cases)


def causes_of(results: Iterable[tuple[str, CheckResult]]) -> tuple[Cause, ...]:
    """The causes of missing judgements, the most frequent first."""
    return gathered(
        (name, result.error or f"{result.check}: its model's reply could not be read")
        for name, result in results
        if result.state in ("error", "unreadable")
    )


def gathered(found: Iterable[tuple[str, str]]) -> tuple[Cause, ...]:
    groups: dict[str, list[str]] = {}
    for name, cause in found:
        groups.setdefault(cause, []).append(name)
    ordered = sorted(groups.items(), key=lambda group: -len(group[1]))
    return tuple(Cause(cause, tuple(names)) for cause, names in ordered)


def juries_of(checks: Iterable[CheckResult]) -> tuple[tuple[str, Kappa], ...]:
    """How far the members of each jury agree, from the votes in their verdicts."""
    ballots: dict[str, list[list[bool]]] = {}
    for check in checks:
        jury = check.metrics.get("jury")
        if isinstance(jury, dict):
            votes = [vote for vote in jury["votes"].values() if vote is not None]
            ballots.setdefault(check.check, []).append(votes)
    return tuple((name, fleiss_kappa(each)) for name, each in ballots.items())
