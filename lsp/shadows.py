"""Which names and functions of the language count in a declaration, beside those that a file declares itself."""

from __future__ import annotations

from collections.abc import Callable

from ..dsl import ast
from ..dsl.check.base import CallableSurface, Surface
from ..dsl.check.builtins import (
    FORM_NAMES,
    FUNCTIONS,
    JUDGE_FUNCTIONS,
    JUDGE_NAMES,
    RUN_NAME,
    TEST_FUNCTIONS,
    TEST_NAMES,
    Function,
)
from ..dsl.check.surface import judge_form

Find = Callable[[str], Surface | None]


def names_given(node: ast.Declaration, find: Find) -> list[str]:
    """The names that have a value in a declaration without being declared. They win over a constant of that name; only
    in a flow something that can be called wins over them."""
    match node:
        case ast.Judge():
            form = FORM_NAMES.get(judge_form(node))
            return [builtin.name for builtin in (*JUDGE_NAMES, *([form] if form else []))]
        case ast.Flow():
            return [] if isinstance(find(RUN_NAME.name), CallableSurface) else [RUN_NAME.name]
        case ast.Agent():
            return ["task", RUN_NAME.name]
        case ast.Decision() | ast.Gate():
            return [RUN_NAME.name]
        case ast.Test():
            return [builtin.name for builtin in TEST_NAMES]
        case _:
            return []


def may_call(node: ast.Declaration, clause: str = "") -> bool:
    """Whether agents, tools and other declarations may be called there: in a flow, and in the `context` of a
    decision."""
    return isinstance(node, ast.Flow) or (isinstance(node, ast.Decision) and clause == "context")


def function_called(name: str, node: ast.Declaration, find: Find, *, calls: bool) -> Function | None:
    """The function of the language that a call means; None where it means a declaration, which wins where
    declarations may be called (`calls`)."""
    function = FUNCTIONS.get(name)
    if isinstance(node, ast.Judge):
        function = JUDGE_FUNCTIONS.get(name) or function
    elif isinstance(node, ast.Test):
        function = TEST_FUNCTIONS.get(name) or function
    if calls and isinstance(find(name), CallableSurface):
        return None
    return function
