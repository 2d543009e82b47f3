"""Text that is safe to print: control and direction characters are spelled out, and widths are known."""

from __future__ import annotations

import unicodedata

TAB = 4


def clean(text: str) -> str:
    """A text that is safe to print: what would move the cursor or turn the direction of writing is spelled
    out."""
    if text.isprintable():
        return text
    return "".join(character if character == "\n" else _spelled(character) for character in text)


def displayed(text: str) -> str:
    """A line of source as it is printed: `clean`, with tabs turned into spaces."""
    if text.isprintable():
        return text
    parts: list[str] = []
    column = 0
    for character in text:
        shown = " " * (TAB - column % TAB) if character == "\t" else _spelled(character)
        parts.append(shown)
        column += _width(shown)
    return "".join(parts)


def measure(text: str) -> int:
    """How many columns of a terminal `displayed(text)` takes."""
    return len(text) if text.isascii() and text.isprintable() else _width(displayed(text))


def _spelled(character: str) -> str:
    code = ord(character)
    if code < 0x20:
        return chr(0x2400 + code)
    if code == 0x7F:
        return "␡"
    if character.isprintable() or unicodedata.category(character) in ("Zs", "Co"):
        return character
    if character == "\u200d":
        return character
    return f"<U+{code:04X}>"


def _width(text: str) -> int:
    """Columns of a printed text: East Asian wide characters take two, marks that combine take none."""
    if text.isascii():
        return len(text)
    columns = 0
    for character in text:
        if unicodedata.east_asian_width(character) in "WF":
            columns += 2
        elif unicodedata.category(character) not in ("Mn", "Me", "Cf"):
            columns += 1
    return columns
