"""Which block of the language a place is in."""

from __future__ import annotations

from collections.abc import Sequence

from ...dsl import ast

_BLOCKS: dict[type, str] = {
    ast.Provider: "provider",
    ast.Model: "model",
    ast.Tool: "tool",
    ast.Agent: "agent",
    ast.Judge: "judge",
    ast.Case: "case",
    ast.Gate: "gate",
    ast.Memory: "memory",
    ast.Profile: "profile",
    ast.Suite: "suite",
    ast.Test: "test",
}


def block_of(path: Sequence[ast.Node]) -> str:
    """The innermost block around the last node, as in `clauses.CLAUSES`; empty outside of one."""
    for node in reversed(path):
        if isinstance(node, ast.Decision | ast.Override):
            return str(node.kind)
        if type(node) in _BLOCKS:
            return _BLOCKS[type(node)]
    return ""
