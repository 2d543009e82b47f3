"""Quick fixes: what the checker offers for what it found, and all of it at once."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from ...dsl.analysis import Analysis
from ...dsl.diagnostics import Diagnostic, Edit


class Action(NamedTuple):
    title: str
    edits: tuple[Edit, ...]
    diagnostics: tuple[Diagnostic, ...]
    preferred: bool
    """The one that an editor may apply without asking which."""


def quick_fixes(analysis: Analysis, start: int, end: int) -> list[Action]:
    """The fixes of what is found in a stretch of the text."""
    return [
        Action(fix.title, fix.edits, (found,), len(found.fixes) == 1)
        for found in analysis.diagnostics
        if found.start <= end and found.end >= start
        for fix in found.fixes
    ]


def fix_all(analysis: Analysis) -> Action | None:
    """Every finding with exactly one fix, fixed; of two fixes that touch the same text the first."""
    edits: list[Edit] = []
    fixed: list[Diagnostic] = []
    for found in analysis.diagnostics:
        if len(found.fixes) == 1 and not _touches(found.fixes[0].edits, edits):
            edits.extend(found.fixes[0].edits)
            fixed.append(found)
    if not edits:
        return None
    return Action("Fix everything that has one fix", tuple(sorted(edits, key=_place)), tuple(fixed), False)


def _place(edit: Edit) -> tuple[int, int]:
    return edit.start, edit.end


def _touches(edits: Iterable[Edit], others: Iterable[Edit]) -> bool:
    return any(a.start <= b.end and b.start <= a.end for a in edits for b in others)
