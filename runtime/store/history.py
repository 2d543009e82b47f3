"""A thread's earlier turns as the text that an agent or a decision reads before its task."""

from __future__ import annotations

from collections.abc import Iterable

import msgspec

from .records import Json, Summary, TernHead

_CONTINUED = "\n   "  # as wide as "Q: ", so that no line of a text can pose as a turn of its own


class History(msgspec.Struct, frozen=True, gc=False):
    """What a run may know of its thread, oldest first: what was summed up, and the turns that came after it."""

    turns: tuple[TernHead, ...] = ()
    summaries: tuple[Summary, ...] = ()

    def __bool__(self) -> bool:
        return bool(self.turns or self.summaries)


NO_HISTORY = History()


def shortened(history: History) -> History:
    """Without its older half, a turn or a summary at a time."""
    drop = (len(history.summaries) + len(history.turns) + 1) // 2
    kept = history.summaries[drop:]
    return History(history.turns[max(drop - len(history.summaries), 0) :], kept)


def render_history(history: History, task: Json) -> str:
    """`task` with what came before it, oldest first; in a new thread, the task alone.

    A turn that was not answered shows its status in place of an answer (`A: [failed]`), so that a later
    "try again" still finds its question. Values that are no text are compact JSON.
    """
    earlier = render_earlier(history)
    return f"{earlier}\n\nTask:\n{as_text(task)}" if earlier else as_text(task)


def render_earlier(history: History) -> str:
    """The thread without a task; empty where there is nothing before it."""
    parts = (render_summaries(history.summaries), render_turns(history.turns))
    return "\n\n".join(part for part in parts if part)


def render_summaries(summaries: Iterable[Summary]) -> str:
    """What earlier turns come to, under `Earlier turns, summed up:`; empty where nothing was summed up."""
    lines = [f"{span(summary)}: {_inset(summary.text)}" for summary in summaries]
    return "\n".join(["Earlier turns, summed up:", *lines]) if lines else ""


def render_turns(terns: Iterable[TernHead], title: str = "Previous turns:") -> str:
    """The turns alone, under a title; empty where there are none."""
    turns = [line for tern in terns for line in (f"Q: {_inset(tern.task)}", f"A: {_answer(tern)}")]
    return "\n".join([title, *turns]) if turns else ""


def span(summary: Summary) -> str:
    """`Turns 1–5`, or `Turn 3`."""
    first, last = summary.first, summary.last
    return f"Turn {first}" if first == last else f"Turns {first}–{last}"


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
