"""The functions that build the tree, by the names that `grammar.lark` gives them."""

from __future__ import annotations

from collections.abc import Callable
from types import ModuleType

from . import build_clauses, build_declarations, build_expressions, build_flows


def _actions(*modules: ModuleType) -> dict[str, Callable[..., object]]:
    return {
        name: value
        for module in modules
        for name, value in vars(module).items()
        if getattr(value, "__module__", None) == module.__name__
        and callable(value)
        and not name.startswith("_")
    }


ACTIONS = _actions(build_expressions, build_clauses, build_declarations, build_flows)
