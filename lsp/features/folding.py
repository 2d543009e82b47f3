"""What an editor can fold away: declarations, blocks, lists, text blocks, runs of comments and of imports."""

from __future__ import annotations

import re
from collections.abc import Iterator
from typing import Literal, NamedTuple

from ...dsl import ast
from ...dsl.parse import Item
from ...dsl.workspace.analysis import Analysis
from ..tree import walk

_COMMENTS = re.compile(r"^[ \t]*#[^\r\n]*(?:(?:\r\n?|\n)[ \t]*#[^\r\n]*)+", re.MULTILINE)
_FOLDED = (
    ast.Block, ast.Object, ast.Options, ast.Questions, ast.ScorerEntries, ast.Limits, ast.Headers,
    ast.Names, ast.Uses, ast.Models, ast.Texts, ast.ListExpr, ast.Comprehension, ast.Call, ast.Switch,
    ast.SwitchCase, ast.Parallel, ast.Case, ast.Override, ast.Race, ast.Best,
)  # fmt: skip


class Fold(NamedTuple):
    """Offsets; the server drops what is on one line."""

    start: int
    end: int
    kind: Literal["region", "comment", "imports"] = "region"


def folds(item: Item) -> list[Fold]:
    """Every stretch of a declaration that could be folded, from the outside in."""
    found = [
        Fold(item.offset + match.start(), item.offset + match.end(), "comment")
        for match in _COMMENTS.finditer(item.text)
    ]
    if item.node is not None:
        found += (
            Fold(item.offset + node.start, item.offset + node.end) for node in _foldable(item.node, item.text)
        )
    return sorted(found, key=lambda fold: (fold.start, -fold.end))


def _foldable(node: ast.Declaration, text: str) -> Iterator[ast.Node]:
    for inner in walk(node):
        if (
            inner is node
            or isinstance(inner, _FOLDED)
            or (isinstance(inner, ast.Text) and "\n" in text[inner.start : inner.end])
        ):
            yield inner


def import_folds(analysis: Analysis) -> Iterator[Fold]:
    """Imports that follow each other."""
    run: list[tuple[int, int]] = []
    for item in (*analysis.module.items, None):
        if item is not None and isinstance(item.node, ast.Import):
            run.append((item.offset + item.node.start, item.offset + item.node.end))
            continue
        if len(run) > 1:
            yield Fold(run[0][0], run[-1][1], "imports")
        run = []
