"""What "expand selection" selects next."""

from __future__ import annotations

from ...dsl import ast
from ...dsl.workspace.analysis import Analysis
from ..tree import spot_at

Span = tuple[int, int]


def selections(analysis: Analysis, offset: int) -> list[Span]:
    """Ever larger stretches around an offset, the smallest first, the whole text last."""
    spans: list[Span] = []
    spot = spot_at(analysis, offset)
    if spot is not None:
        base, text = spot.item.offset, spot.item.text
        if spot.path and isinstance(spot.path[-1], ast.Text):
            inner = _inside_quotes(text, spot.path[-1])
            if inner[0] <= spot.at <= inner[1]:
                spans.append((base + inner[0], base + inner[1]))
        spans += ((base + node.start, base + node.end) for node in reversed(spot.path))
        spans.append((base, base + len(text)))
    spans.append((0, len(analysis.source.text)))
    grown: list[Span] = []
    for span in spans:
        if not grown or (span != grown[-1] and span[0] <= grown[-1][0] and span[1] >= grown[-1][1]):
            grown.append(span)
    return grown


def _inside_quotes(text: str, node: ast.Text) -> Span:
    written = text[node.start : node.end]
    prefix = 1 if written.startswith("r") else 0
    quotes = 3 if written[prefix : prefix + 3] == '"""' else 1
    return node.start + prefix + quotes, max(node.start + prefix + quotes, node.end - quotes)
