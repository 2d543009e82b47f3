"""Code actions: fixes for what the checker found, all sure ones at once, and refactorings."""

from __future__ import annotations

from collections.abc import Container, Iterable, Mapping
from typing import NamedTuple

from ...dsl.diagnostics import Diagnostic, Edit
from ...dsl.workspace.analysis import Analysis
from .fixes.offers import offers_for
from .fixes.place import Declaring
from .refactoring.constants import extract_constant
from .refactoring.models import declare_model
from .refactoring.scorers import extract_scorer


class Action(NamedTuple):
    """`edits` by path, each in the offsets of its file."""

    title: str
    edits: Mapping[str, tuple[Edit, ...]]
    diagnostics: tuple[Diagnostic, ...] = ()
    preferred: bool = False
    """The one that an editor may apply without asking which."""


def _nowhere(name: str) -> tuple[str, ...]:
    return ()


def quick_fixes(
    analysis: Analysis,
    start: int,
    end: int,
    declaring: Declaring = _nowhere,
    meant: Container[int] = (),
) -> list[Action]:
    """The fixes of what is found in a stretch of the text, those that the checker is sure of first, and of
    what begins at an offset that is `meant`. `declaring` gives the files of the workspace that declare a
    name."""
    return [
        action
        for found in analysis.diagnostics
        if (found.start <= end and found.end >= start) or found.start in meant
        for action in _fixes(analysis, found, declaring)
    ]


def _fixes(analysis: Analysis, found: Diagnostic, declaring: Declaring) -> Iterable[Action]:
    sure = [
        Action(fix.title, {analysis.path: fix.edits}, (found,), len(found.fixes) == 1) for fix in found.fixes
    ]
    yield from sure
    for offer in offers_for(analysis, found, declaring):
        edits = {path: one for path, one in ((analysis.path, offer.edits), *offer.elsewhere) if one}
        if all(edits != action.edits for action in sure):
            yield Action(offer.title, edits, (found,))


def fix_all(analysis: Analysis) -> Action | None:
    """Every finding with exactly one sure fix, fixed; of two that touch the same text the first."""
    edits: list[Edit] = []
    fixed: list[Diagnostic] = []
    for found in analysis.diagnostics:
        if len(found.fixes) == 1 and not _touches(found.fixes[0].edits, edits):
            edits.extend(found.fixes[0].edits)
            fixed.append(found)
    if not edits:
        return None
    return Action(
        "Fix everything that has one fix", {analysis.path: tuple(sorted(edits, key=_place))}, tuple(fixed)
    )


def extractions(analysis: Analysis, start: int, end: int) -> list[Action]:
    """A value or a scorer that gets a name of its own."""
    found = (*extract_scorer(analysis, start, end), *extract_constant(analysis, start, end))
    return [Action(title, {analysis.path: edits}) for title, edits in found]


def rewrites(analysis: Analysis, start: int, end: int) -> list[Action]:
    """A slug in quotes that becomes a declared model."""
    return [Action(title, {analysis.path: edits}) for title, edits in declare_model(analysis, start, end)]


def _place(edit: Edit) -> tuple[int, int]:
    return edit.start, edit.end


def _touches(edits: Iterable[Edit], others: Iterable[Edit]) -> bool:
    return any(a.start <= b.end and b.start <= a.end for a in edits for b in others)
