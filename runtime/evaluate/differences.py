"""What differs between two programs, in words that their author would use."""

from __future__ import annotations

from typing import Any

import msgspec

from ...dsl.plan import Plan
from ..flow.versions import without_places
from ..report.text import one_line

_TABLES = {
    "models": "model",
    "agents": "agent",
    "judges": "judge",
    "scorers": "scorer",
    "gates": "gate",
    "decisions": "decision",
    "tools": "tool",
    "flows": "flow",
    "types": "type",
}
_WHOLE = ("constants", "context", "limits", "memory")
_WIDTH = 40
_ROOM = 100


def differences(before: Plan, after: Plan) -> tuple[str, ...]:
    """A line for each setting that is not the same: `agent writer: model small → big`."""
    old, new = (without_places(msgspec.to_builtins(plan)) for plan in (before, after))
    lines = []
    for table, kind in _TABLES.items():
        for name in dict.fromkeys([*old[table], *new[table]]):
            lines += _of_one(f"{kind} {name}", old[table].get(name), new[table].get(name))
    lines += [f"{what} changed" for what in _WHOLE if old[what] != new[what]]
    return tuple(one_line(line, _ROOM) for line in lines)


def _of_one(called: str, old: Any, new: Any) -> list[str]:
    if old == new:
        return []
    if old is None:
        return [f"{called}: new"]
    if new is None:
        return [f"{called}: not there"]
    return [
        f"{called}: {field.replace('_', ' ')} {_change(old.get(field), new.get(field))}"
        for field in dict.fromkeys([*old, *new])
        if old.get(field) != new.get(field)
    ]


def _change(old: Any, new: Any) -> str:
    was, now = _shown(old), _shown(new)
    return "changed" if was is None or now is None or was == now else f"{was} → {now}"


def _shown(value: Any) -> str | None:
    """A value on a few characters; None where it is a structure that says nothing on one line."""
    if value is None or value == []:
        return "none"
    if isinstance(value, str | int | float | bool):
        return one_line(str(value), _WIDTH)
    if isinstance(value, list):
        shown = [_shown(item) for item in value]
        return f"[{', '.join(part for part in shown if part)}]" if all(shown) else None
    if isinstance(value, dict):
        parts = value.get("parts")
        if isinstance(parts, list) and all(isinstance(part, str) for part in parts):
            return f'"{one_line("".join(parts), _WIDTH)}"'
        if set(value) >= {"judge", "args"}:
            return str(value["judge"]) + ("(…)" if value["args"] else "")
        if isinstance(value.get("text"), str):
            return str(value["text"])
    return None
