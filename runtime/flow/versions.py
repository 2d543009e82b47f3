"""Which program ran: hashes of its prompts, its models and the whole Plan, the same on every machine."""

from __future__ import annotations

from typing import Any

import msgspec

from ...dsl.plan import Plan
from ..store.canonical import canonical_hash
from ..store.records import Versions

_PLACES = ("start", "end", "origin")


def versions_of(plan: Plan) -> Versions:
    """The declared version, and SHA-256 of what was written without where it was written."""
    data = without_places(msgspec.to_builtins(plan))
    return Versions(
        workflow=plan.version,
        prompt=canonical_hash(_prompts(data)),
        model=canonical_hash(data["models"]),
        config=canonical_hash(data),
    )


def without_places(value: Any) -> Any:
    """The same data without positions, so that a comment or a blank line makes no new version."""
    if isinstance(value, dict):
        return {key: without_places(item) for key, item in value.items() if key not in _PLACES}
    if isinstance(value, list | tuple):
        return [without_places(item) for item in value]
    return value


def _prompts(data: dict[str, Any]) -> dict[str, Any]:
    """The texts of all agents, judges and decisions, and the constants that they may mention."""
    return {
        "agents": {name: agent["prompt"] for name, agent in data["agents"].items()},
        "judges": {
            name: [judge["ask"], judge["rate"], judge["rubric"], [q["text"] for q in judge["questions"]]]
            for name, judge in data["judges"].items()
        },
        "decisions": {
            name: [d["ask"], d["choices"], d["descriptions"]] for name, d in data["decisions"].items()
        },
        "gates": {
            name: [gate["ask"], gate["judge"]["question"] if gate["judge"] else None]
            for name, gate in data["gates"].items()
        },
        "constants": {constant["name"]: constant["value"] for constant in data["constants"]},
    }
