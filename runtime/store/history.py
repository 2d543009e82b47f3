"""A thread's earlier turns as the text that an agent or a decision reads before its task."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from .records import Json, TernHead

_CONTINUED = "\n   "  # as wide as "Q: ", so that no line of a text can pose as a turn of its own


def render_history(terns: Iterable[TernHead], task: Json) -> str:
    """`task` with the turns before it, oldest first; without any turn, the task alone.

    A turn that was not answered shows its status in place of an answer (`A: [failed]`), so that a later
    "try again" still finds its question. Values that are no text are compact JSON.
    """
    turns = render_turns(terns)
    return f"{turns}\n\nTask:\n{as_text(task)}" if turns else as_text(task)


def render_turns(terns: Iterable[TernHead]) -> str:
    """The turns alone, under `Previous turns:`; empty where there are none."""
    turns = [line for tern in terns for line in (f"Q: {_inset(tern.task)}", f"A: {_answer(tern)}")]
    return "\n".join(["Previous turns:", *turns]) if turns else ""


def as_text(value: Json) -> str:
    """A text as it is, any other JSON value as compact JSON."""
    return value if isinstance(value, str) else msgspec.json.encode(value).decode()


def _answer(tern: TernHead) -> str:
    if tern.status != "answered":
        return f"[{tern.status}]"
    # Services refuse an empty turn, and a model would take the next line for the answer.
    return _inset(tern.answer) or "[empty]"


def _inset(value: Json) -> str:
    return _CONTINUED.join(as_text(value).strip().splitlines())
