"""The files that a file names: imports, Python hooks, cases and labels. Nothing is opened to find them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ...dsl import ast
from ...dsl.parse import Item
from ..tree import walk


class Link(NamedTuple):
    """`written` is the path as the file has it, relative to its folder."""

    start: int
    end: int
    written: str
    tooltip: str


def links(item: Item) -> Iterator[Link]:
    """The files that a declaration names."""
    for text, written, tooltip in _named_files(item.node):
        start = item.offset + text.start + (2 if text.raw else 1)
        yield Link(start, start + len(written), written, tooltip)


def _named_files(node: ast.Declaration | None) -> Iterator[tuple[ast.Text, str, str]]:
    """Texts that name a file, what of them is its path, and what a click does."""
    if isinstance(node, ast.Import):
        if node.path.plain:
            yield node.path, node.path.plain, "Open the imported file"
        return
    if not isinstance(node, ast.Tool | ast.Judge | ast.Suite | ast.Profile):
        return
    for clause in walk(node):
        if (
            not isinstance(clause, ast.Clause)
            or not isinstance(clause.value, ast.Text)
            or not clause.value.plain
        ):
            continue
        if clause.keyword == "python":
            yield (
                clause.value,
                clause.value.plain.rpartition(":")[0] or clause.value.plain,
                "Open the Python file",
            )
        elif clause.keyword in ("cases", "labels"):
            yield clause.value, clause.value.plain, f"Open the {clause.keyword}"
