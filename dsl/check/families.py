"""Which model families meet where: a model judges answers of its own family too kindly."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence

import msgspec

from .. import ast
from .base import CallableSurface, ModelSurface, Related, Report, Scope

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


def flow_reaching(name: str, scope: Scope) -> str | None:
    """A flow that may call what is named: `main` before others."""
    seen: set[str] = set()
    for flow in sorted(scope.callables("flow"), key=lambda other: other != "main"):
        waiting = [flow]
        for each in waiting:
            # What another flow has reached in vain is not followed again.
            found = None if each in seen else scope.find(each)
            seen.add(each)
            if type(found) is CallableSurface:
                if each == name:
                    return flow
                waiting += found.calls
                waiting += found.judges
    return None


class Meeting(msgspec.Struct, frozen=True):
    """A judge that meets the answers of an agent of its own family: in which flow, and maybe under a profile."""

    judge: str
    agent: str
    clash: Clash
    flow: str | None = None
    profile: str | None = None

    def report(self, at: ast.Node, label: str, related: tuple[Related, ...], report: Report) -> None:
        places = (f"in `{self.flow}`" if self.flow else "", f"under `{self.profile}`" if self.profile else "")
        where = " ".join(filter(None, places))
        where = f"{where[:1].upper()}{where[1:]}, " if where else ""
        found = self.clash
        report.add(
            "judge.same-model-family",
            at,
            f"{where}`{self.judge}` ({found.judge_slug}) judges `{self.agent}`, whose model "
            f"{found.agent_slug} is of the same family ({found.family}): give the judge a model of another vendor",
            label=label,
            related=related,
            help="A model judges its own family's answers too kindly. What code can check, a code judge may judge.",
            severity="warning",
        )
