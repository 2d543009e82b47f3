"""What the name at a place stands for, and every place where the same thing is named."""

from __future__ import annotations

from collections.abc import Iterable, Iterator
from typing import NamedTuple

from ..dsl import ast
from ..dsl.check.fit import options_of, resolve, without_null
from ..dsl.parse import Item
from ..dsl.shapes import Record, Shape
from ..dsl.workspace.analysis import Analysis
from .occurrences import Occurrence, Target, occurrences
from .seen import Seen, look, scope_of
from .tree import item_at, walk
from .written import names_written, owner_of


class Named(NamedTuple):
    """A name in a file, in file offsets."""

    path: str
    start: int
    end: int
    target: Target
    defines: bool
    item: Item


def named_at(analysis: Analysis, offset: int) -> Named | None:
    """The name at an offset, or the one that ends there."""
    item = item_at(analysis, offset)
    if item is None:
        return None
    found = [one for one in names_in(item, analysis) if one.start <= offset <= one.end]
    return max(found, key=lambda one: one.start) if found else None


def names_in(item: Item, analysis: Analysis, *, fields: bool = True) -> list[Named]:
    """Every name of a declaration; with `fields`, those after a dot too, which costs checking it again."""
    if item.node is None:
        return []
    found: list[Occurrence] = occurrences(item.node, analysis.surface)
    found.extend(names_written(item.node, scope_of(analysis)))
    if fields:
        found.extend(_fields(item.node, analysis))
    return [_named(one, item, analysis.path) for one in sorted(found)]


def same(target: Target, home: str, analyses: Iterable[Analysis]) -> list[Named]:
    """Every place in these files that names the target. `home` is the file that declares it, or its
    owner: a name that means something else in another file is left alone."""
    found: list[Named] = []
    for analysis in analyses:
        if home_of(target, analysis) == home:
            for item in analysis.module.items:
                if target.name in item.text:
                    fields = target.kind == "field"
                    found += [one for one in names_in(item, analysis, fields=fields) if one.target == target]
    return found


def home_of(target: Target, analysis: Analysis) -> str | None:
    """The file that declares what is meant, as `analysis` sees it; None for what the language brings."""
    if target.kind == "builtin":
        return None
    if target.kind == "local":
        return analysis.path
    place = analysis.declaration(target.owner or target.name)
    return place[0] if place else None


def _named(one: Occurrence, item: Item, path: str) -> Named:
    return Named(path, item.offset + one.start, item.offset + one.end, one.target, one.defines, item)


def _fields(node: ast.Declaration, analysis: Analysis) -> Iterator[Occurrence]:
    selections = [one for one in walk(node) if isinstance(one, ast.Field)]
    if not selections:
        return
    seen = look(node, analysis)
    for selection in selections:
        for owner in _owners(selection, seen, analysis):
            name = selection.name
            yield Occurrence(name.start, name.end, Target("field", owner, name.text))


def _owners(selection: ast.Field, seen: Seen, analysis: Analysis) -> Iterator[str]:
    """The types that declare the field that is selected, more than one for a union."""
    shape = seen.shape(selection.target)
    if shape is not None:
        yield from dict.fromkeys(owners_of(shape, selection.name.text, analysis))


def owners_of(shape: Shape, field: str, analysis: Analysis) -> Iterator[str]:
    scope = scope_of(analysis)
    for option in options_of(without_null(resolve(shape, scope))):
        owner = owner_of(option.name, field, scope) if isinstance(option, Record) else None
        if owner is not None:
            yield owner
