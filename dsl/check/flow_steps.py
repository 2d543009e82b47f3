"""What the steps of a flow give: calls, `try`, `approve`, `each`, `best` and `race`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any, cast

from .. import ast
from ..shapes import Bool, ListOf, Shape, Text, Unknown
from .base import CallableSurface
from .builtins import attempt
from .fit import describe, element, join, resolve
from .flow_names import State
from .flow_walk import NONE, Siblings, Walk
from .names import find_callable
from .texts import check_not_blank

MOST_VARIANTS = 20


def step_shape(walk: Walk, step: ast.Step, state: State, siblings: Siblings = NONE) -> Shape:
    """The shape of what a step gives, with everything that is wrong in it reported."""
    check = _STEPS.get(type(step))
    if check is not None:
        return check(walk, step, state, siblings)
    return walk.value(cast(ast.Expr, step), state, siblings=siblings)


def _try(walk: Walk, step: ast.Try, state: State, siblings: Siblings) -> Shape:
    value = walk.value(step.call, state, siblings=siblings)
    if step.otherwise is not None:
        instead = walk.value(step.otherwise, state, where="after `else`", siblings=siblings)
        return value if value == instead else join(value, instead, walk.scope)
    callee = walk.scope.find(step.call.callee.text)
    if isinstance(callee, CallableSurface) and callee.kind == "gate":
        return value
    return attempt(value)


def _approve(walk: Walk, step: ast.Approve, state: State, siblings: Siblings) -> Shape:
    help = 'Ask a person: approve "Publish this?"'
    check_not_blank(step.question, "the question", walk.report, help)
    walk.value(step.question, state, siblings=siblings)
    if step.showing is not None:
        walk.value(step.showing, state, siblings=siblings)
    return Bool()


def _each(walk: Walk, step: ast.Each, state: State, siblings: Siblings) -> Shape:
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


def _best(walk: Walk, step: ast.Best, state: State, siblings: Siblings) -> Shape:
    walk.whole(step.count, "`best of`", low=2, high=MOST_VARIANTS)
    if step.count is None and len(step.calls) < 2:
        _report_empty(walk, step, "best of")
    shape = _any_of(walk, step.calls, state, siblings)
    if step.question is not None:
        walk.value(step.question, state, siblings=siblings)
    find_callable(step.picker, "agent", walk.scope, walk.report, code="flow.wrong-arguments")
    return shape


def _race(walk: Walk, step: ast.Race, state: State, siblings: Siblings) -> Shape:
    if not step.calls:
        _report_empty(walk, step, "race")
    return _any_of(walk, step.calls, state, siblings)


def _any_of(walk: Walk, calls: Sequence[ast.Call], state: State, siblings: Siblings) -> Shape:
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


_STEPS: dict[type, Callable[[Walk, Any, State, Siblings], Shape]] = {
    ast.Try: _try,
    ast.Approve: _approve,
    ast.Each: _each,
    ast.Best: _best,
    ast.Race: _race,
}
"""Steps that are more than an expression."""
