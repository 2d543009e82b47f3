"""Names for what had none, and where their declarations go."""

from __future__ import annotations

import re
from collections.abc import Collection

from ....dsl.check.builtins import FUNCTIONS
from ....dsl.diagnostics import Edit
from ....dsl.parse import Item
from ....dsl.syntax.lexer import RESERVED
from ....dsl.workspace.analysis import Analysis
from ..writing import newline_of

_WORDS = re.compile(r"[A-Za-z0-9]+")
_MOST_WORDS = 4

Refactoring = tuple[str, tuple[Edit, ...]]
"""A title and the edits of the file."""


def name_from(written: str, otherwise: str, taken: Collection[str]) -> str:
    """A name made of the first words of a text that nothing else has."""
    words = [word.lower() for word in _WORDS.findall(written)[:_MOST_WORDS]]
    name = "_".join(words)[:40].strip("_")
    if not name or not name[0].isalpha():
        name = f"{otherwise}_{name}" if name and name[0].isdigit() else otherwise
    if name in RESERVED or name in FUNCTIONS:
        name = f"{name}_{otherwise}"
    number = 2
    fresh = name
    while fresh in taken:
        fresh, number = f"{name}_{number}", number + 1
    return fresh


def taken_names(analysis: Analysis, item: Item) -> set[str]:
    """The names of the file, and every word of a declaration, since a local name would hide a new one."""
    return {*analysis.names, *re.findall(r"[A-Za-z_][A-Za-z0-9_]*", item.text)}


def declare_before(analysis: Analysis, item: Item, line: str) -> Edit:
    """A line of its own before a declaration and its comments."""
    newline = newline_of(analysis.source.text)
    return Edit(item.offset, item.offset, f"{line}{newline}{newline}")


def declare_after(analysis: Analysis, item: Item, line: str) -> Edit:
    """A line of its own right below a declaration."""
    end = item.offset + len(item.text)
    return Edit(end, end, f"{newline_of(analysis.source.text)}{line}")
