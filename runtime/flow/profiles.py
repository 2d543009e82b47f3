"""A profile laid over a Plan: only agents, judges and models differ, never flows, limits or types."""

from __future__ import annotations

import msgspec

from ...dsl.plan import Plan
from ..judge.errors import ConfigurationError


def with_profile(plan: Plan, name: str | None) -> Plan:
    """The Plan under a profile. `ConfigurationError` names the profiles that there are."""
    if name is None:
        return plan
    profile = plan.profiles.get(name)
    if profile is None:
        known = ", ".join(plan.profiles) or "none"
        raise ConfigurationError(f"there is no profile `{name}`; there are: {known}", code="profile.unknown")
    return msgspec.structs.replace(
        plan,
        agents={**plan.agents, **{agent.name: agent for agent in profile.agents}},
        judges={**plan.judges, **{judge.name: judge for judge in profile.judges}},
        models={**plan.models, **{model.name: model for model in profile.models}},
    )
