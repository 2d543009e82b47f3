"""What the checker knows at every expression of a declaration: the names that may stand there, and its
shape."""

from __future__ import annotations

from collections.abc import Iterator
from typing import NamedTuple

from ..dsl import ast
from ..dsl.check.base import Report, Scope
from ..dsl.check.declaration import check_declaration
from ..dsl.check.env import Env
from ..dsl.check.files import Files
from ..dsl.shapes import Shape
from ..dsl.workspace.analysis import Analysis


class View(NamedTuple):
    expr: ast.Expr
    env: Env
    shape: Shape


class Seen:
    """The expressions of one declaration as the checker saw them. Of one that it saw twice the last look
    counts, which is the one that knows more."""

    def __init__(self, views: dict[int, View]) -> None:
        self._views = views

    def view(self, expr: ast.Node) -> View | None:
        return self._views.get(id(expr))

    def shape(self, expr: ast.Node) -> Shape | None:
        view = self.view(expr)
        return None if view is None else view.shape

    def __iter__(self) -> Iterator[View]:
        return iter(self._views.values())


def scope_of(analysis: Analysis) -> Scope:
    return Scope(analysis.surface, lambda: analysis.names)


def look(node: ast.Declaration, analysis: Analysis) -> Seen:
    """Check one declaration again, for what is seen on the way; no file beside it is looked at."""
    views: dict[int, View] = {}

    def witness(expr: ast.Expr, env: Env, shape: Shape) -> None:
        views[id(expr)] = View(expr, env, shape)

    files = Files(analysis.path, lambda path: None, lambda path: True)
    # Nobody reads the findings, so nothing is suggested for the names that are not known.
    check_declaration(node, Scope(analysis.surface, tuple), Report(witness), files)
    return Seen(views)
