"""Texts that fit on one line of a picture."""

from __future__ import annotations

import re

MOST = 44
"""Characters of a line before it is cut."""

_SPACE = re.compile(r"\s+")


def one_line(text: str) -> str:
    """A text without line breaks."""
    return _SPACE.sub(" ", text).strip()


def shortened(text: str, most: int = MOST) -> str:
    return text if len(text) <= most else text[: most - 1].rstrip() + "…"
