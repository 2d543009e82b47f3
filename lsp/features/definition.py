"""Where a thing is declared: `textDocument/definition`, and the type of a value for `typeDefinition`."""

from __future__ import annotations

from collections.abc import Callable
from typing import NamedTuple

from ...dsl import ast
from ...dsl.check.fit import element, options_of, resolve, without_null
from ...dsl.graph import target_of
from ...dsl.shapes import Record, Shape
from ...dsl.workspace.analysis import Analysis
from ..meaning import Named, named_at, names_in
from ..occurrences import Target, declared
from ..seen import look, scope_of
from ..tree import spot_at

AnalysisOf = Callable[[str], Analysis | None]
"""The analysis of a file by its path, None where there is no such file."""


class Place(NamedTuple):
    """A stretch of a file, in its offsets."""

    path: str
    start: int
    end: int


def definition(analysis: Analysis, offset: int, analysis_of: AnalysisOf) -> list[Place]:
    """Where what is named at an offset is declared. In the text of an import or a hook it is the file
    itself."""
    target = linked_file(analysis, offset)
    if target is not None:
        return [target]
    named = named_at(analysis, offset)
    return [] if named is None else defining(named, analysis, analysis_of)


def type_definition(analysis: Analysis, offset: int, analysis_of: AnalysisOf) -> list[Place]:
    """Where the types of the value at an offset are declared."""
    spot = spot_at(analysis, offset)
    if spot is None or spot.item.node is None:
        return []
    seen = look(spot.item.node, analysis)
    shapes = [shape for node in reversed(spot.path) if (shape := seen.shape(node)) is not None]
    if not shapes:
        return definition(analysis, offset, analysis_of)
    return [
        place
        for name in records(shapes[0], analysis)
        for place in find(declared(name), analysis, analysis_of)
    ]


def records(shape: Shape, analysis: Analysis) -> list[str]:
    """The types that a shape is made of; of a list, those of its items."""
    scope = scope_of(analysis)
    known = without_null(resolve(shape, scope))
    known = without_null(resolve(element(known) or known, scope))
    return [option.name for option in options_of(known) if isinstance(option, Record)]


def defining(named: Named, analysis: Analysis, analysis_of: AnalysisOf) -> list[Place]:
    target = named.target
    if target.kind == "local":
        found = [
            one
            for one in names_in(named.item, analysis, fields=False)
            if one.target == target and one.defines
        ]
        return [Place(analysis.path, one.start, one.end) for one in found[:1]]
    return find(target, analysis, analysis_of)


def find(target: Target, analysis: Analysis, analysis_of: AnalysisOf) -> list[Place]:
    """Where a declaration, or something that belongs to one, is declared, as one file sees it."""
    place = analysis.declaration(target.owner or target.name)
    if place is None:
        return []
    path, item = place
    home = analysis if path == analysis.path else analysis_of(path)
    if home is None:
        return []
    found = [one for one in names_in(item, home, fields=False) if one.target == target and one.defines]
    return [Place(path, one.start, one.end) for one in found[:1]]


def linked_file(analysis: Analysis, offset: int) -> Place | None:
    """The imported file whose path stands at an offset."""
    spot = spot_at(analysis, offset)
    if spot is None or not isinstance(spot.item.node, ast.Import) or not isinstance(spot.node, ast.Text):
        return None
    written = spot.node.plain
    return Place(target_of(analysis.path, written), 0, 0) if written else None
