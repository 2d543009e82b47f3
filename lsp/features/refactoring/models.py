"""A model's slug in quotes becomes a declared model, which can have a price, retries and a fallback."""

from __future__ import annotations

from collections.abc import Iterator

from ....dsl import ast
from ....dsl.check.base import ModelSurface
from ....dsl.diagnostics import Edit
from ....dsl.parse import Item
from ....dsl.workspace.analysis import Analysis
from ...tree import spot_at, walk
from .naming import Refactoring, declare_after, declare_before, name_from


def declare_model(analysis: Analysis, start: int, end: int) -> Iterator[Refactoring]:
    """For the slug in quotes at a place."""
    spot = spot_at(analysis, start)
    ref = (
        next((node for node in reversed(spot.path) if isinstance(node, ast.ModelRef)), None) if spot else None
    )
    if spot is not None and ref is not None and ref.quoted and ref.text.strip():
        kind = "decision" if isinstance(spot.item.node, ast.Decision) else "chat"
        yield declaring(analysis, ref.text, kind)


def declaring(analysis: Analysis, slug: str, kind: str) -> Refactoring:
    """Every mention of a slug in quotes in the file by the name of its declaration, which is written unless
    there is one."""
    declared = _declared(analysis, slug, kind)
    name = declared or name_from(slug.rpartition("/")[2], "model", set(analysis.names))
    edits = [
        Edit(item.offset + ref.start, item.offset + ref.end, name) for item, ref in _mentions(analysis, slug)
    ]
    if declared is None:
        block = " { kind decision }" if kind == "decision" else ""
        edits.append(_declaration(analysis, f'model {name} "{slug}"{block}'))
        title = f'Declare "{slug}" as a model of its own'
    else:
        title = f"Use `{name}`, which is declared"
    return title, tuple(sorted(edits, key=lambda edit: (edit.start, edit.end)))


def _declared(analysis: Analysis, slug: str, kind: str) -> str | None:
    surfaces = (analysis.surface(name) for name in analysis.names)
    return next(
        (
            one.name
            for one in surfaces
            if isinstance(one, ModelSurface) and one.slug == slug and one.kind == kind
        ),
        None,
    )


def _mentions(analysis: Analysis, slug: str) -> Iterator[tuple[Item, ast.ModelRef]]:
    for item in analysis.module.items:
        if item.node is not None and slug in item.text:
            for node in walk(item.node):
                if isinstance(node, ast.ModelRef) and node.quoted and node.text == slug:
                    yield item, node


def _declaration(analysis: Analysis, line: str) -> Edit:
    """Below the last model of the file, else before the first declaration that is no head."""
    items = analysis.module.items
    models = [item for item in items if isinstance(item.node, ast.Model)]
    if models:
        return declare_after(analysis, models[-1], line)
    first = next((item for item in items if not isinstance(item.node, ast.Workflow | ast.Import)), items[0])
    return declare_before(analysis, first, line)
