"""How values look in plain text: money, times, one line of anything. No model gets to move the cursor."""

from __future__ import annotations

import re
import textwrap
import unicodedata
from collections.abc import Mapping
from datetime import UTC
from decimal import ROUND_HALF_UP, Decimal

from ...dsl.render import clean
from ..store.clock import parse_timestamp
from ..store.history import as_text
from ..store.money import UNKNOWN, ZERO, Cost, Money
from ..store.records import Json, Status

MARKS: dict[str, str] = {
    "answered": "✔", "succeeded": "✔", "accepted": "✔",
    "guarded": "✖", "failed": "✖", "blocked": "✖", "rejected": "✖", "invalid": "✖",
    "timed_out": "✖", "refused": "✖",
    "running": "▶", "paused": "‖", "cancelled": "⊘", "abandoned": "⊘",
}  # fmt: skip
UNREADABLE = "?"

_GIANT = re.compile(r"\S{10000,}")

_SMALLEST = Decimal("0.0001")


def mark(status: Status | str) -> str:
    return MARKS.get(status, "·")


def dollars(amount: Money) -> str:
    """`$0.0044`: at most four decimals, and never a zero for what is not free."""
    if amount == UNKNOWN:
        return "cost unknown"
    exact = Decimal(amount)
    if 0 < exact < _SMALLEST:
        return f"<${_SMALLEST}"
    shown = exact.quantize(_SMALLEST, ROUND_HALF_UP)
    return f"${shown:f}" if shown != shown.to_integral_value() else f"${shown:.2f}"


def cost_of(cost: Cost) -> str:
    """`$0.0044`, or `$0.0044 + unknown` where only a part has a known price."""
    if cost.total == UNKNOWN and cost.known != ZERO:
        return f"{dollars(cost.known)} + unknown"
    return dollars(cost.total)


def elapsed(started: str, ended: str | None) -> str:
    """`3.1 s` or `2:05 min`; empty while it goes on."""
    if ended is None:
        return ""
    seconds = (parse_timestamp(ended) - parse_timestamp(started)).total_seconds()
    if seconds < 60:
        return f"{seconds:.1f} s"
    minutes, rest = divmod(round(seconds), 60)
    return f"{minutes}:{rest:02} min"


def memory_line(answer: Mapping[str, object], reason: str | None) -> str:
    """`turns 1–5 → summary 1/10`, or why not: what a person is told of one try, from its step's record."""
    first, last = answer.get("first"), answer.get("last")
    turns = f"turn {first}" if first == last else f"turns {first}–{last}"
    if "kept" in answer:
        return f"{turns} → summary {answer['kept']}/{answer['keep']}"
    return f"{turns} not summed up: {reason or 'stopped'}; the next turn tries again"


def moment(text: str, *, seconds: bool = False) -> str:
    """`2026-03-01 11:59` in UTC."""
    return f"{parse_timestamp(text).astimezone(UTC):{'%Y-%m-%d %H:%M:%S' if seconds else '%Y-%m-%d %H:%M'}}"


def one_line(value: Json, width: int) -> str:
    """A value on one line of at most `width` columns; what is cut is marked."""
    # Cut before it is looked at closely: an answer may be megabytes, and a line shows a hundred columns.
    flat = clean(" ".join(as_text(value)[: 8 * width].split()))
    if columns(flat) <= width and len(as_text(value)) <= 8 * width:
        return flat
    while columns(flat) > width - 1:
        flat = flat[: max(len(flat) - max(1, (columns(flat) - width + 1) // 2), 0)]
    return f"{flat.rstrip()}…"


def wrapped(value: Json, width: int) -> list[str]:
    """All of a value, broken into lines of at most about `width` columns; its own line breaks are kept."""
    lines: list[str] = []
    width = max(width, 20)
    # A word of megabytes (an image in base 64) is broken here: `textwrap` copies the rest of it for each line.
    text = _GIANT.sub(lambda word: "\n".join(_pieces(word[0], width)), clean(as_text(value)))
    for line in text.split("\n"):
        lines += textwrap.wrap(line, width, break_on_hyphens=False) or [""]
    return lines


def _pieces(word: str, width: int) -> list[str]:
    return [word[at : at + width] for at in range(0, len(word), width)]


def columns(text: str) -> int:
    """How many columns of a terminal a clean text takes."""
    if text.isascii():
        return len(text)
    return sum(_columns(character) for character in text)


def cut(text: str, width: int) -> str:
    """A clean line, cut where it would take more than `width` columns."""
    if columns(text) <= width:
        return text
    text = text[: 8 * width]
    while text and columns(text) > width - 1:
        text = text[:-1]
    return f"{text}…"


def padded(text: str, width: int) -> str:
    return text + " " * (width - columns(text))


def _columns(character: str) -> int:
    if unicodedata.combining(character) or unicodedata.category(character) in ("Mn", "Me", "Cf"):
        return 0
    return 2 if unicodedata.east_asian_width(character) in "WF" else 1
