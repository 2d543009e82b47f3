"""Every place that names the same thing: `textDocument/references`, `documentHighlight`, `rename`."""

from __future__ import annotations

import re
from collections.abc import Iterable
from typing import NamedTuple

from ...dsl import ast
from ...dsl.check.base import TypeSurface
from ...dsl.check.builtins import FUNCTIONS
from ...dsl.diagnostics import Edit
from ...dsl.syntax.lexer import RESERVED
from ...dsl.workspace.analysis import Analysis
from ..meaning import Named, home_of, named_at, names_in, same
from ..occurrences import Target

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
    edits: dict[str, list[Edit]] = {}
    for one in everywhere(named, analysis, others):
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
