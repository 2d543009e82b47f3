"""Flows: what has a value where, what runs at all, and what comes out.

A block is walked statement by statement with the `State` that holds before each; None stands for "nothing
goes on from here". `flow_steps` knows what a step gives, `flow_branches` knows `if` and `switch`."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from typing import Any

from .. import ast
from ..diagnostics import Label
from ..shapes import Shape
from .base import CallableSurface, Report, Scope
from .builtins import RUN_NAME
from .env import Env
from .fit import describe, fits
from .flow_branches import check_if
from .flow_names import State, bindings, meet, start
from .flow_recursion import check_recursion
from .flow_steps import step_shape
from .flow_switch import check_switch
from .flow_walk import Walk
from .params import check_params
from .shapes import check_shape
from .surface import shape_of
from .texts import check_not_blank, check_plain


def check_flow(node: ast.Flow, scope: Scope, report: Report) -> None:
    """Every rule of a flow; a flow that can call itself included."""
    bound_at: dict[str, ast.Ident] = {}
    for name in bindings(node.body):
        bound_at.setdefault(name.text, name)
    if node.shape is not None:
        check_shape(node.shape, scope, report)
    check_plain(node.description, "a description", report)
    # What a file calls `run` itself, a parameter or something that can be called, counts before the run.
    is_own = isinstance(scope.find(RUN_NAME.name), CallableSurface)
    names = {} if is_own else {RUN_NAME.name: RUN_NAME.shape}
    names |= check_params(node.params, scope, report)
    base = Env(names=names, calls_allowed=True, where="in a flow")
    walk = Walk(node, scope, report, bound_at=bound_at, check_block=check_block)
    after = check_block(walk, node.body, start(base, (param.name.text for param in node.params)))
    if after is not None and node.shape is not None and not walk.unsure:
        end = max(node.start, node.end - 1)
        report.add(
            "flow.no-return",
            node.shape,
            f"`{node.name.text}` answers with {describe(shape_of(node.shape))} but may end without `return`",
            label="what it has to return",
            labels=(Label(end, node.end, "this end can be reached"),),
            help='Return a value on every path, or end the others with `stop "why"`.',
        )
    check_recursion(node, scope, report)


def check_block(walk: Walk, body: Sequence[ast.Statement], state: State) -> State | None:
    """The state after the block, or None where every path of it returns or stops."""
    now: State | None = state
    for index, statement in enumerate(body):
        if now is None:
            _report_unreachable(walk.report, body[index - 1], statement)
            return None
        now = _STATEMENTS[type(statement)](walk, statement, now)
    return now


def _report_unreachable(report: Report, ending: ast.Statement, statement: ast.Statement) -> None:
    report.add(
        "flow.unreachable",
        statement,
        "This never runs: the flow has ended before it",
        label="never runs",
        labels=(Label(ending.start, ending.end, "every path returns or stops here"),),
        help="Remove it, or let a path above go on.",
    )


# --- statements: the state after each, None where nothing goes on -----------------------------------------


def _check_bind(walk: Walk, bind: ast.Bind, state: State) -> State:
    return state.bind(bind.name.text, step_shape(walk, bind.step, state))


def _check_do(walk: Walk, do: ast.Do, state: State) -> State:
    step_shape(walk, do.step, state)
    return state


def _check_stop(walk: Walk, stop: ast.Stop, state: State) -> None:
    help = 'Say why the flow ends: stop "no draft passed"'
    check_not_blank(stop.reason, "the reason", walk.report, help)
    walk.value(stop.reason, state)


def _check_with(walk: Walk, block: ast.WithContext, state: State) -> State | None:
    walk.value(block.value, state)
    return check_block(walk, block.body.body, state)


def _check_return(walk: Walk, end: ast.Return, state: State) -> None:
    node, value = walk.node, end.value
    shape = walk.value(value, state)
    if node.shape is None:
        return
    wanted = shape_of(node.shape)
    if not fits(shape, wanted, walk.scope):
        walk.report.add(
            "shape.mismatch",
            value,
            f"`{node.name.text}` answers with {describe(wanted)}, but this returns {describe(shape)}",
            label=f"this is {describe(shape)}",
            labels=(Label(node.shape.start, node.shape.end, "promised here"),),
            help=walk.help_for(shape, wanted),
        )


def _check_parallel(walk: Walk, parallel: ast.Parallel, state: State) -> State:
    """The tasks see what was there before; what they bind is there after."""
    tasks = parallel.tasks
    bound: dict[str, ast.Ident] = {}
    shapes: dict[str, Shape] = {}
    own = {task.name.text: task.name for task in tasks if isinstance(task, ast.Bind)}
    for task in tasks:
        shape = step_shape(walk, task.step, state, own)
        if not isinstance(task, ast.Bind):
            continue
        name = task.name
        if name.text in bound:
            first = bound[name.text]
            walk.report.add(
                "flow.race-binding",
                name,
                f"`{name.text}` gets two values in one `parallel`, and luck decides which of them stays",
                label="the second value",
                labels=(Label(first.start, first.end, "the first value"),),
                help="Give the two results different names.",
            )
        bound.setdefault(name.text, name)
        shapes[name.text] = shape
    for text, shape in shapes.items():
        state = state.bind(text, shape)
    return state


def _check_loop(walk: Walk, loop: ast.Loop, state: State) -> State | None:
    """The condition is read before every turn, so it and the body may only rely on what holds then: a first,
    silent walk through the body finds what a turn changes. Inside of a silent walk no body is walked again that
    would tell nothing new; loops in loops would take twice as long each."""
    walk.whole(loop.at_most, "a loop", low=1)
    quiet, body, until = walk.silent(), loop.body.body, loop.until
    after = check_block(quiet, body, state if until is None else quiet.branches(until, state)[1])
    entry = state if after is None else meet([state, after], state, walk.scope)
    if until is None:
        if loop.otherwise is not None:
            _report_certain_loop(walk.report, loop.otherwise)
        return after if walk.is_silent and entry is state else check_block(walk, body, entry)
    found, again = walk.branches(until, entry, where="in `until`, which is read before every turn")
    if not walk.is_silent:
        check_block(walk, body, again)
    spent = None if loop.otherwise is None else check_block(walk, loop.otherwise.body, again)
    return walk.meet([found, spent], state)


def _report_certain_loop(report: Report, otherwise: ast.Block) -> None:
    report.add(
        "flow.unreachable",
        otherwise,
        "A loop without `until` always runs all its turns, so this `else` never runs",
        label="never runs",
        help="Add `until …`, or write this after the loop.",
    )


_STATEMENTS: dict[type, Callable[[Walk, Any, State], State | None]] = {
    ast.Bind: _check_bind,
    ast.Do: _check_do,
    ast.Return: _check_return,
    ast.Stop: _check_stop,
    ast.If: check_if,
    ast.Switch: check_switch,
    ast.Parallel: _check_parallel,
    ast.Loop: _check_loop,
    ast.WithContext: _check_with,
}
