"""Who calls whom: flows and gates call agents, agents are judged by judges and call tools, all ask models."""

from __future__ import annotations

from collections.abc import Iterable
from typing import NamedTuple

from ...dsl.check.base import CallableSurface, ModelSurface
from ...dsl.workspace.analysis import Analysis
from ..meaning import home_of, named_at, names_in
from ..occurrences import declared, name_of
from .definition import AnalysisOf
from .symbols import Symbol, symbol_of


class Member(NamedTuple):
    """A declaration in a hierarchy, in the file that declares it."""

    path: str
    symbol: Symbol


class Relation(NamedTuple):
    """The other side of a call, and the places of the caller where it stands, in the caller's file."""

    member: Member
    places: tuple[tuple[int, int], ...]


def member_at(analysis: Analysis, offset: int, analysis_of: AnalysisOf) -> Member | None:
    """The callable or model that is named at an offset."""
    named = named_at(analysis, offset)
    if named is None or named.target.kind != "declaration":
        return None
    return member(named.target.name, analysis)


def member(name: str, analysis: Analysis) -> Member | None:
    place = analysis.declaration(name)
    if place is None or not isinstance(analysis.surface(name), CallableSurface | ModelSurface):
        return None
    symbol = symbol_of(place[1])
    return None if symbol is None else Member(place[0], symbol)


def outgoing(name: str, analysis: Analysis) -> list[Relation]:
    """What a declaration of this file calls, asks or is judged by."""
    found: dict[Member, list[tuple[int, int]]] = {}
    items = [item for item in analysis.module.items if item.node is not None and name_of(item.node) == name]
    for one in (one for item in items for one in names_in(item, analysis, fields=False)):
        is_mention = one.target.kind == "declaration" and not one.defines
        other = member(one.target.name, analysis) if is_mention else None
        if other is not None:
            found.setdefault(other, []).append((one.start, one.end))
    return [Relation(other, tuple(places)) for other, places in found.items()]


def incoming(name: str, home: str, analyses: Iterable[Analysis]) -> list[Relation]:
    """Who calls the declaration of that name in the file `home`."""
    target = declared(name)
    found: list[Relation] = []
    for analysis in analyses:
        if home_of(target, analysis) != home:
            continue
        for item in analysis.module.items:
            symbol = symbol_of(item) if name in item.text else None
            if symbol is None or symbol.name == name:
                continue
            places = [one for one in names_in(item, analysis, fields=False) if one.target == target]
            if places:
                spans = tuple((one.start, one.end) for one in places)
                found.append(Relation(Member(analysis.path, symbol), spans))
    return found
