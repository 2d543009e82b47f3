"""Every place that names the same thing: `textDocument/references`, `documentHighlight`, `rename`."""

from __future__ import annotations

import re
from collections.abc import Iterable, Mapping
from typing import NamedTuple

from ...dsl import ast
from ...dsl.check.base import TypeSurface
from ...dsl.check.builtins import FUNCTIONS
from ...dsl.diagnostics import Edit
from ...dsl.syntax.lexer import RESERVED
from ...dsl.workspace.analysis import Analysis
from ..meaning import Named, home_of, named_at, names_in, same
from ..occurrences import Target, name_of

_VALUE = re.compile(r"[a-z_][A-Za-z0-9_]*")
_TYPE = re.compile(r"[A-Z][A-Za-z0-9_]*")


class RenameError(Exception):
    """The name cannot be changed, or not to that."""


class Highlight(NamedTuple):
    start: int
    end: int
    writes: bool


def home(analysis: Analysis, offset: int) -> str | None:
    """The file that declares what stands at an offset: the files that see it are the ones to search."""
    named = named_at(analysis, offset)
    return None if named is None else home_of(named.target, analysis)


def references(
    analysis: Analysis, offset: int, others: Iterable[Analysis], *, declaration: bool
) -> list[Named]:
    """Every place in this file and the others that names what stands at an offset."""
    named = named_at(analysis, offset)
    if named is None or named.target.kind == "builtin":
        return []
    found = everywhere(named, analysis, others)
    return [one for one in found if declaration or not one.defines]


def highlights(analysis: Analysis, offset: int) -> list[Highlight]:
    """The places of this file alone; what the language brings is found by its name."""
    named = named_at(analysis, offset)
    if named is None:
        return []
    if named.target.kind == "builtin":
        found = [
            one
            for item in analysis.module.items
            if named.target.name in item.text
            for one in names_in(item, analysis, fields=False)
            if one.target == named.target
        ]
    else:
        found = everywhere(named, analysis, ())
    return [Highlight(one.start, one.end, one.defines) for one in found]


def everywhere(named: Named, analysis: Analysis, others: Iterable[Analysis]) -> list[Named]:
    if named.target.kind == "local":
        return [one for one in names_in(named.item, analysis, fields=False) if one.target == named.target]
    where = home_of(named.target, analysis)
    return [] if where is None else same(named.target, where, (analysis, *others))


# --- rename ------------------------------------------------------------------------------------------------


def renamable(analysis: Analysis, offset: int) -> Named | None:
    """The name at an offset, where it is one that a user chose."""
    named = named_at(analysis, offset)
    if named is None or not _is_declared(named.target, analysis):
        return None
    return named


def _is_declared(target: Target, analysis: Analysis) -> bool:
    """Whether somebody wrote a declaration of it: the `reply` of a judge without parameters comes from nowhere."""
    place = analysis.declaration(target.owner) if target.kind == "param" else None
    if place is None:
        return home_of(target, analysis) is not None
    params: tuple[ast.Param, ...] = getattr(place[1].node, "params", None) or ()
    return any(param.name.text == target.name for param in params)


def rename(analysis: Analysis, offset: int, new: str, others: Iterable[Analysis]) -> dict[str, list[Edit]]:
    """The edits that change a name everywhere, by file. RenameError says why there are none."""
    named = renamable(analysis, offset)
    if named is None:
        raise RenameError("There is no name here that can be changed.")
    others = tuple(others)
    _check(named.target, new, analysis, others)
    places = everywhere(named, analysis, others)
    if new != named.target.name:
        _check_free(named.target, new, places, {one.path: one for one in (analysis, *others)})
    edits: dict[str, list[Edit]] = {}
    for one in places:
        edits.setdefault(one.path, []).append(Edit(one.start, one.end, new))
    return edits


def _check(target: Target, new: str, analysis: Analysis, others: tuple[Analysis, ...]) -> None:
    if target.kind in ("field", "option"):
        if not re.fullmatch(r"[A-Za-z_][A-Za-z0-9_]*", new):
            raise RenameError(f"`{new}` is not a word of letters, digits and `_`.")
        return
    is_type = target.kind == "declaration" and isinstance(analysis.surface(target.name), TypeSurface)
    if not (_TYPE if is_type else _VALUE).fullmatch(new):
        kind = "A type is named in `PascalCase`" if is_type else "Values are named in `snake_case`"
        raise RenameError(f"{kind}, so `{new}` will not do.")
    if new in RESERVED:
        raise RenameError(f"`{new}` is a word of the language.")
    if target.kind == "declaration" and new != target.name:
        if any(one.surface(new) is not None for one in (analysis, *others)):
            raise RenameError(f"There is a `{new}` already.")
        if new in FUNCTIONS:
            raise RenameError(f"`{new}` is a function of the language.")


def _check_free(target: Target, new: str, places: Iterable[Named], analyses: Mapping[str, Analysis]) -> None:
    """Whether the new name means nothing else in the declarations in which it would come to stand."""
    for (path, _), one in {(one.path, one.item.offset): one for one in places}.items():
        known = names_in(one.item, analyses[path], fields=False)
        own = name_of(one.item.node) if one.item.node is not None else ""
        places_here = [each.start for each in known if each.target == target]
        for other in {
            each.target for each in known if each.target.name == new and _clashes(each, target, own)
        }:
            others_here = [each.start for each in known if each.target == other]
            if _meet(target, places_here, other, others_here):
                raise RenameError(f"`{new}` stands for something else there already.")


def _clashes(other: Named, target: Target, own: str) -> bool:
    """Whether what has the new name already, in the declaration `own`, may be taken for the target or the other way
    round. Arguments are looked for among the parameters of what is called, whatever else is in sight."""
    value = other.target.kind == "local" or (other.target.kind == "param" and other.target.owner == own)
    match target.kind:
        case "declaration":
            return value
        case "local" | "param":
            in_sight = value or other.target.kind in ("declaration", "builtin", "question")
            return in_sight and own == target.owner.partition("@")[0]
        case _:
            return other.defines and other.target == target._replace(name=other.target.name)


def _meet(target: Target, mine: list[int], other: Target, theirs: list[int]) -> bool:
    """Whether two names are in sight of each other: one within a list, say, is known in there alone."""
    if _is_inner(target):
        return any(min(mine) <= at <= max(mine) for at in theirs)
    return not _is_inner(other) or any(min(theirs) <= at <= max(theirs) for at in mine)


def _is_inner(target: Target) -> bool:
    return target.kind == "local" and not target.owner.endswith("@0")
