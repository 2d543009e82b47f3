"""Which program ran: hashes of its prompts, its models and the whole Plan, the same on every machine."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any

import msgspec

from ...dsl.plan import Origin, Plan
from ..store.canonical import canonical_hash
from ..store.records import Versions

_NOT_RUN = ("tests", "suites")
"""Parts of a Plan that no run of a flow looks at: a new test makes no new version."""
_LAYOUT = ("start", "end", "raw", "block")
"""Fields of a node that say where and how it was written."""
_ORIGIN = set(Origin.__struct_fields__)


def versions_of(plan: Plan) -> Versions:
    """The declared version, and SHA-256 of what was written without where it was written. Keys of services are in no
    hash: who has another one runs the same program."""
    data = without_places(msgspec.to_builtins(plan))
    run = {name: part for name, part in data.items() if name not in _NOT_RUN}
    run["providers"] = _providers(data)
    return Versions(
        workflow=plan.version,
        prompt=canonical_hash(_prompts(data)),
        model=canonical_hash({"models": data["models"], "providers": run["providers"]}),
        config=canonical_hash(run),
    )


def without_places(value: Any) -> Any:
    """Plan data (`msgspec.to_builtins`) without positions and layout, so that a comment or a blank line makes no new
    version. What a program names `start` or `origin` stays."""
    if isinstance(value, dict):
        layout = _LAYOUT if isinstance(value.get("node"), str) else ()
        return {
            key: without_places(item)
            for key, item in value.items()
            if key not in layout and not _is_origin(key, item)
        }
    if isinstance(value, list | tuple):
        return [without_places(item) for item in value]
    return value


def _is_origin(key: str, item: Any) -> bool:
    return key == "origin" and isinstance(item, dict) and item.keys() == _ORIGIN


def _providers(data: dict[str, Any]) -> dict[str, Any]:
    return {
        name: {field: value for field, value in provider.items() if field != "key"}
        for name, provider in data["providers"].items()
    }


def _prompts(data: dict[str, Any]) -> dict[str, Any]:
    """The texts of all agents, pickers, judges, gates and decisions, and the constants that they may mention."""
    return {
        "agents": {name: agent["prompt"] for name, agent in data["agents"].items()},
        "pickers": {name: list(_picked(flow["body"])) for name, flow in data["flows"].items()},
        "judges": {
            name: [judge["ask"], judge["rate"], judge["rubric"], [_question(q) for q in judge["questions"]]]
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


def _question(question: dict[str, Any]) -> list[Any]:
    return [question["name"], question["text"], question["choices"], question["descriptions"]]


def _picked(node: Any) -> Iterator[list[Any]]:
    """What pickers are asked, in the order in which it is written."""
    if isinstance(node, list):
        for item in node:
            yield from _picked(item)
    elif isinstance(node, dict):
        if node.get("node") == "best":
            yield [node["picker"], node["question"]]
        for item in node.values():
            yield from _picked(item)
