"""A page for each diagnostic code: what it means, why it matters, and how to fix it."""

from __future__ import annotations

import os
from pathlib import Path

_FOLDER = Path(__file__).parent


def codes() -> tuple[str, ...]:
    """Every code that has a page, sorted."""
    return tuple(sorted(name[:-3] for name in os.listdir(_FOLDER) if name.endswith(".md")))


def page(code: str) -> str | None:
    """The page of a code, as Markdown, or None where there is none."""
    if not code.replace(".", "").replace("-", "").isalnum():
        return None
    path = _FOLDER / f"{code}.md"
    return path.read_text(encoding="utf-8") if path.is_file() else None


def title(text: str) -> str:
    """What a page's heading says after the code."""
    return text.partition("\n")[0].partition(":")[2].strip()
