"""A scorer that a gate writes out becomes one with a name, which other gates and suites can use."""

from __future__ import annotations

from collections.abc import Iterator

from ....dsl import ast
from ....dsl.diagnostics import Edit
from ....dsl.workspace.analysis import Analysis
from ...tree import spot_at
from .naming import Refactoring, declare_before, name_from, taken_names


def extract_scorer(analysis: Analysis, start: int, end: int) -> Iterator[Refactoring]:
    """For the unnamed scorer at a place. What it is called in the gate (`as …`) becomes its name."""
    spot = spot_at(analysis, start)
    entry = (
        next((node for node in reversed(spot.path) if isinstance(node, ast.ScorerEntry)), None)
        if spot
        else None
    )
    if spot is None or entry is None or not isinstance(entry.scorer, ast.Check):
        return
    item, check, alias = spot.item, entry.scorer, entry.alias
    written = item.text[check.start : check.end]
    if alias is not None and analysis.surface(alias.text) is None:
        name, last = alias.text, alias.end
    else:
        name, last = name_from(written, "scorer", taken_names(analysis, item)), check.end
    replaced = Edit(item.offset + check.start, item.offset + last, name)
    yield (
        f"Extract this scorer as `{name}`",
        (declare_before(analysis, item, f"scorer {name} {written}"), replaced),
    )
