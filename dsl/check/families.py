"""Which model families meet where: a model judges answers of its own family too kindly."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import msgspec

from .base import CallableSurface, ModelSurface, Scope

NO_CHANGE: Mapping[str, str] = {}


class Clash(msgspec.Struct, frozen=True):
    """A judge's model and an agent's of one family; the slugs say which."""

    judge_slug: str
    agent_slug: str
    family: str


def slugs(names: Sequence[str], scope: Scope, changed: Mapping[str, str] = NO_CHANGE) -> Iterator[str]:
    """The slugs that a list of models stands for, fallbacks included. `changed` gives models other slugs."""
    waiting = list(names)
    seen: set[str] = set()
    for name in waiting:
        if name in seen:
            continue
        seen.add(name)
        model = scope.find(name)
        if isinstance(model, ModelSurface):
            yield changed.get(name, model.slug)
            waiting += model.fallback
        elif model is None:
            yield name


def clash(
    judge: Sequence[str], agent: Sequence[str], scope: Scope, changed: Mapping[str, str] = NO_CHANGE
) -> Clash | None:
    """The first pair of models of one family."""
    judged = {family: slug for slug in slugs(agent, scope, changed) if (family := family_of(slug))}
    for slug in slugs(judge, scope, changed):
        family = family_of(slug)
        if family in judged:
            return Clash(slug, judged[family], family)
    return None


def family_of(slug: str) -> str:
    """The vendor of a slug; empty where it has none to speak of."""
    return ModelSurface(slug, slug).family or ""


def reachable(start: str, scope: Scope) -> Iterator[CallableSurface]:
    """Everything that may be called once `start` is called, itself first: what flows, gates and decisions
    mention, and the judges of agents."""
    waiting = [start]
    seen: set[str] = set()
    for name in waiting:
        if name in seen:
            continue
        seen.add(name)
        found = scope.find(name)
        if isinstance(found, CallableSurface):
            yield found
            waiting += (*found.calls, *found.judges)


REMEDY = "Give the judge a model of another vendor, or let a code judge check what code can."


def family_message(judge: str, agent: str, found: Clash, where: str) -> str:
    return (
        f"{where}, `{judge}` ({found.judge_slug}) judges `{agent}`, "
        f"whose model {found.agent_slug} is of the same family ({found.family})"
    )
