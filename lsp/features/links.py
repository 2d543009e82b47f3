"""The files that a file names: imports, Python hooks, cases and labels. Nothing is opened to find them."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ...dsl import ast
from ...dsl.graph import target_of
from ...dsl.workspace.analysis import Analysis
from ..tree import walk


class Link(NamedTuple):
    start: int
    end: int
    path: str
    tooltip: str


def links(analysis: Analysis) -> Iterator[Link]:
    for item in analysis.module.items:
        for text, written, tooltip in _named_files(item.node):
            quote = 2 if text.raw else 1
            start = item.offset + text.start + quote
            yield Link(start, start + len(written), target_of(analysis.path, written), tooltip)


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
