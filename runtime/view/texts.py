"""Values and statuses as the pages show them."""

from __future__ import annotations

import msgspec

from ..report.text import MARKS
from ..store.records import Json
from .markup import NOTHING, Child, Markup, element, joined

MOST = 4_000
"""Characters of one value on a page that is served; the whole value is behind a link."""
_TONES = {"✔": "good", "✖": "bad", "?": "odd", "▶": "soft", "‖": "odd", "⊘": "odd"}


def status_of(status: str, text: str | None = None) -> Markup:
    """A status with its mark, in its colour."""
    mark = MARKS.get(status, "·")
    return element("span", f"{mark} {text or status}", class_=_TONES.get(mark, "soft"))


def toned(mark: str, text: str) -> Markup:
    return element("span", f"{mark} {text}", class_=_TONES.get(mark, "soft"))


def value(data: Json, whole: str | None = None) -> Markup:
    """A text as it is, anything else as indented JSON. With `whole`, an address, no more than `MOST` characters."""
    text = (
        data if isinstance(data, str) else msgspec.json.format(msgspec.json.encode(data), indent=2).decode()
    )
    if whole is None or len(text) <= MOST:
        return element("pre", text)
    rest = element("a", f"all {len(text):,} characters", href=whole)
    return joined((element("pre", f"{text[:MOST]}…"), element("div", rest, class_="soft")))


def facts(*pairs: tuple[str, Child]) -> Markup:
    """A list of names and values; what is empty is left out."""
    shown = [pair for pair in pairs if pair[1]]
    if not shown:
        return NOTHING
    return element(
        "dl", *(element(tag, part) for pair in shown for tag, part in zip(("dt", "dd"), pair, strict=True))
    )


def bar(share: float) -> Markup:
    """A share of 0 … 1 as a bar."""
    return element("span", element("i", style=f"width:{max(0.0, min(share, 1.0)) * 100:.1f}%"), class_="bar")
