"""Models that do not fit where they stand: of the agent's own family, or of the wrong kind."""

from __future__ import annotations

import re
from collections.abc import Iterator
from functools import partial
from itertools import islice

from ....dsl import ast
from ....dsl.check.base import CallableSurface, ModelSurface
from ....dsl.check.families import clash, family_of, reachable, slugs
from ....dsl.diagnostics import Edit
from ....dsl.parse import Item
from ....dsl.workspace.analysis import Analysis
from ...occurrences import name_of
from ..refactoring.models import declaring
from ..writing import closing_brace, into_block
from .place import Offer, Place

MOST = 6
"""Models that are offered at once."""
_NAMED = re.compile(r"`([^`]+)`")


def declared_models(place: Place, kind: str, *, judge: ast.Declaration | None = None) -> list[str]:
    """The models of a kind in sight, at most `MOST`; for a judge those first that its agents are no family
    of."""
    surfaces = [place.analysis.surface(name) for name in place.analysis.names]
    models = [one for one in surfaces if isinstance(one, ModelSurface) and one.kind == kind]
    if judge is not None:
        judged = _families(_models_of_agents(name_of(judge), place.analysis), place)
        models.sort(key=lambda model: model.family in judged)
    return [model.name for model in models[:MOST]]


def same_family(place: Place) -> Iterator[Offer]:
    """Models of other vendors for the judge, in its own declaration; under a profile for what the profile
    changes."""
    override = place.inside(ast.Override)
    if override is not None:
        yield from _in_profile(place, override)
        return
    use = place.at(place.start, ast.Use)
    judge = place.analysis.surface(use.name.text) if use is not None else None
    if not isinstance(judge, CallableSurface):
        return
    judged = _judged_models(place, judge)
    for model in declared_models(place, "chat"):
        if judged and family_of_model(model, place) and clash((model,), judged, place.scope) is None:
            title = f"Let `{judge.name}` judge with `{model}`"
            change = partial(_other_model, judged=_families(judged, place), place=place)
            yield from place.offer_in(judge.name, title, change, model)


def family_of_model(model: str, place: Place) -> bool:
    """Whether a declared model has a family to speak of."""
    return any(family_of(slug) for slug in slugs((model,), place.scope))


def _judged_models(place: Place, judge: CallableSurface) -> tuple[str, ...]:
    """The models of the agents that a judge judges, at the place of the finding."""
    if isinstance(place.node, ast.Suite):
        agents = [one for one in reachable(place.node.flow.text, place.scope) if one.kind == "agent"]
        return tuple(model for agent in agents for model in agent.models)
    agent = place.analysis.surface(name_of(place.node))
    own = agent.models if isinstance(agent, CallableSurface) else ()
    return (*own, *_models_of_agents(judge.name, place.analysis))


def _models_of_agents(judge: str, analysis: Analysis) -> tuple[str, ...]:
    surfaces = (analysis.surface(name) for name in analysis.names)
    return tuple(
        model
        for one in surfaces
        if isinstance(one, CallableSurface) and judge in one.judges
        for model in one.models
    )


def _families(models: tuple[str, ...], place: Place) -> set[str]:
    return {family_of(slug) for slug in slugs(models, place.scope)}


def _other_model(item: Item, model: str, *, judged: set[str], place: Place) -> Iterator[Edit]:
    """The judge's model, or the first member of a jury that is of a family it judges."""
    for clause in getattr(item.node, "clauses", ()):
        value = clause.value if isinstance(clause, ast.Clause) else None
        if isinstance(value, ast.ModelRef):
            yield Edit(value.start, value.end, model)
        elif isinstance(value, ast.Models) and all(member.text != model for member in value.items):
            kin = (member for member in value.items if _families((member.text,), place) & judged)
            yield from (Edit(member.start, member.end, model) for member in islice(kin, 1))


def _in_profile(place: Place, override: ast.Override) -> Iterator[Offer]:
    """Both sides are named by the finding; what the profile gives its side is exchanged."""
    names = _NAMED.findall(place.found.message)
    judge, agent = (place.analysis.surface(name) for name in names[1:3]) if len(names) > 2 else (None, None)
    if not isinstance(judge, CallableSurface) or not isinstance(agent, CallableSurface):
        return
    other = agent if override.kind == "judge" else judge
    for clause in override.clauses:
        if isinstance(clause, ast.Clause) and isinstance(clause.value, ast.ModelRef):
            for model in declared_models(place, "chat"):
                if family_of_model(model, place) and clash((model,), other.models, place.scope) is None:
                    edit = Edit(clause.value.start, clause.value.end, model)
                    yield place.offer(f"Let `{override.name.text}` use `{model}` here", edit)


def wrong_kind(place: Place) -> Iterator[Offer]:
    """Declared models of the right kind; and, where a question needs a decision model, this one declared as
    one."""
    ref = place.at(place.start, ast.ModelRef)
    if ref is None:
        return
    decides = "takes a decision model" in place.found.message
    for model in declared_models(place, "decision" if decides else "chat"):
        yield place.offer(f"Use `{model}`", Edit(ref.start, ref.end, model))
    if decides and ref.quoted:
        yield Offer(*declaring(place.analysis, ref.text, "decision"))
    elif decides:
        yield from place.offer_in(ref.text, f"Declare that `{ref.text}` can decide", _deciding)


def _deciding(item: Item, _: str) -> Iterator[Edit]:
    if not isinstance(item.node, ast.Model):
        return
    brace = closing_brace(item.text, item.node)
    if brace is None:
        yield Edit(item.node.end, item.node.end, " { kind decision }")
    elif not any(clause.keyword == "kind" for clause in item.node.clauses):
        yield into_block(item.text, brace, ["kind decision"])
    else:
        for clause in item.node.clauses:
            if clause.keyword == "kind" and isinstance(clause.value, ast.Ident):
                yield Edit(clause.value.start, clause.value.end, "decision")


def declare_slug(place: Place) -> Iterator[Offer]:
    """A slug in quotes, declared as a model of its own: there its price can stand."""
    ref = place.at(place.start, ast.ModelRef)
    if ref is not None and ref.quoted:
        yield Offer(*declaring(place.analysis, ref.text, "chat"))
