"""What the steps of a flow give: calls, `try`, `approve`, `each`, `best` and `race`."""

from __future__ import annotations

from collections.abc import Mapping, Sequence

from .. import ast
from ..shapes import Bool, ListOf, Shape, Text, Unknown
from .base import CallableSurface
from .builtins import attempt
from .fit import describe, element, join, resolve
from .flow_names import State
from .flow_walk import Walk
from .names import find_callable
from .texts import check_not_blank

MOST_VARIANTS = 20
NONE: Mapping[str, ast.Ident] = {}


def step_shape(walk: Walk, step: ast.Step, state: State, siblings: Mapping[str, ast.Ident] = NONE) -> Shape:
    """The shape of what a step gives, with everything that is wrong in it reported."""
    match step:
        case ast.Try():
            return _try(walk, step, state, siblings)
        case ast.Approve(question=question, showing=showing):
            check_not_blank(question, "the question", walk.report, 'Ask a person: approve "Publish this?"')
            walk.value(question, state, siblings=siblings)
            if showing is not None:
                walk.value(showing, state, siblings=siblings)
            return Bool()
        case ast.Each():
            return _each(walk, step, state, siblings)
        case ast.Best():
            return _best(walk, step, state, siblings)
        case ast.Race(calls=calls):
            if not calls:
                _report_empty(walk, step, "race")
            return _any_of(walk, calls, state, siblings)
        case _:
            return walk.value(step, state, siblings=siblings)


def _try(walk: Walk, step: ast.Try, state: State, siblings: Mapping[str, ast.Ident]) -> Shape:
    value = walk.value(step.call, state, siblings=siblings)
    if step.otherwise is not None:
        instead = walk.value(step.otherwise, state, where="after `else`", siblings=siblings)
        return value if value == instead else join(value, instead, walk.scope)
    callee = walk.scope.find(step.call.callee.text)
    if isinstance(callee, CallableSurface) and callee.kind == "gate":
        return value
    return attempt(value)


def _each(walk: Walk, step: ast.Each, state: State, siblings: Mapping[str, ast.Ident]) -> Shape:
    source = walk.value(step.source, state, siblings=siblings)
    walk.whole(step.at_most, "`at most … at once`", low=1)
    item = element(resolve(source, walk.scope))
    if item is None:
        item = Unknown()
        walk.report.add(
            "shape.mismatch",
            step.source,
            f"`each` goes through a list, but this is {describe(source)}",
            label=f"this is {describe(source)}",
            help="A text becomes a list with `lines(…)`, `words(…)` or `split(…)`."
            if isinstance(resolve(source, walk.scope), Text)
            else "",
        )
    inner = state.narrowed_to(state.env.bind(step.name.text, item))
    return ListOf(step_shape(walk, step.body, inner, siblings))


def _best(walk: Walk, step: ast.Best, state: State, siblings: Mapping[str, ast.Ident]) -> Shape:
    walk.whole(step.count, "`best of`", low=2, high=MOST_VARIANTS)
    if step.count is None and len(step.calls) < 2:
        _report_empty(walk, step, "best of")
    shape = _any_of(walk, step.calls, state, siblings)
    if step.question is not None:
        walk.value(step.question, state, siblings=siblings)
    find_callable(step.picker, "agent", walk.scope, walk.report, code="flow.wrong-arguments")
    return shape


def _any_of(walk: Walk, calls: Sequence[ast.Call], state: State, siblings: Mapping[str, ast.Ident]) -> Shape:
    """The shape of one of several results."""
    shape: Shape | None = None
    for call in calls:
        found = walk.value(call, state, siblings=siblings)
        shape = found if shape is None or shape == found else join(shape, found, walk.scope)
    return Unknown() if shape is None else shape


def _report_empty(walk: Walk, step: ast.Best | ast.Race, what: str) -> None:
    walk.report.add(
        "clause.missing",
        step,
        f"`{what} {{ }}` needs calls to choose from",
        label="write at least two calls",
        help=f"{what} {{\n  first(task)\n  second(task)\n}}",
    )
