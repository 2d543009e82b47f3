"""`if` and `switch`: their conditions, what decides them, and what is known in each branch."""

from __future__ import annotations

from .. import ast
from ..shapes import Float, Object, Shape
from .base import CallableSurface, Related, Scope
from .flow_names import State
from .flow_walk import Walk


def decision_of(expr: ast.Expr, scope: Scope) -> CallableSurface | None:
    """The condition, choice or scale that `expr` asks, where it is nothing but that call."""
    if not isinstance(expr, ast.Call):
        return None
    found = scope.find(expr.callee.text)
    if isinstance(found, CallableSurface) and found.kind in ("condition", "choice", "scale"):
        return found
    return None


def check_if(walk: Walk, node: ast.If, state: State) -> State | None:
    decision = decision_of(node.condition, walk.scope)
    if decision is not None and decision.kind == "condition":
        result = walk.value(node.condition, state)
        check_uncertain(walk, node.condition, decision, node.uncertain)
        yes = no = deciding(state, result)
        unsure = deciding(state, with_minimum(result))
    else:
        yes, no = _plain_condition(walk, node, state, decision)
        unsure = state
    ends = [walk.check_block(walk, node.then.body, yes)]
    if node.uncertain is not None:
        ends.append(walk.check_block(walk, node.uncertain.block.body, unsure))
    if isinstance(node.otherwise, ast.If):
        ends.append(check_if(walk, node.otherwise, no))
    else:
        ends.append(no if node.otherwise is None else walk.check_block(walk, node.otherwise.body, no))
    return walk.meet(ends, state)


def _plain_condition(
    walk: Walk, node: ast.If, state: State, decision: CallableSurface | None
) -> tuple[State, State]:
    if decision is not None:
        walk.value(node.condition, state)
        walk.report.add(
            "shape.mismatch",
            node.condition,
            f"`{decision.name}` is a {decision.kind}, which picks one of several answers: no `if` can ask it",
            label="neither true nor false",
            help=_switch_example(node.condition, decision),
        )
        return state, state
    call = _confident_call(node.condition, walk.scope)
    if call is not None:
        walk.report.add(
            "decision.no-uncertain",
            call.callee,
            f"`{call.callee.text}` has a confidence, so it must be the whole condition: "
            "an unsure answer has nowhere to go",
            label="an unsure answer ends up as true or false here",
            related=(Related(call.callee.text, "its `confidence` is declared here"),),
            help="Give the answer a name first; then it is a plain decision:\n"
            f"answer = {call.callee.text}(…)\nif answer.value and … {{ }}",
        )
        return walk.silent().branches(node.condition, state)
    if node.uncertain is not None:
        report_not_a_decision(walk, node.uncertain, "condition")
    return walk.branches(node.condition, state)


def _confident_call(expr: ast.Expr, scope: Scope) -> ast.Call | None:
    """A confident condition whose answer an expression uses as plain true or false. Right of `and` and `or`
    no call may stand anyway."""
    while True:
        if type(expr) is ast.Binary and expr.op in ("and", "or"):
            expr = expr.left
        elif type(expr) is ast.Unary and expr.op == "not":
            expr = expr.operand
        elif type(expr) is ast.Call:
            found = decision_of(expr, scope)
            return expr if found is not None and found.confident else None
        else:
            return None


def check_uncertain(
    walk: Walk, at: ast.Expr, decision: CallableSurface, uncertain: ast.Uncertain | None
) -> None:
    """A confidence and an `uncertain` branch belong together."""
    if uncertain is None:
        if decision.confident:
            walk.report.add(
                "decision.no-uncertain",
                at,
                f"`{decision.name}` may be uncertain, and nothing here says what happens then",
                label="asks for a confidence",
                related=(Related(decision.name, "its `confidence` is declared here"),),
                help="Add `uncertain { … }` right after it, empty if nothing is to happen.",
            )
        return
    below = uncertain.below
    if below is not None and not 0 <= below.value <= 1:
        walk.report.add(
            "decision.confidence",
            below,
            f"A confidence lies between 0 and 1, and {below.text} does not",
            label="from 0 to 1",
            help=f"Write `uncertain below 0.{below.text}`."
            if below.text.isdigit() and len(below.text) == 2
            else "",
        )
    elif below is not None and below.value == 0:
        walk.report.add(
            "decision.uncertain-unreachable",
            below,
            "No confidence is below 0, so this branch never runs",
            label="never below this",
            help="Set a bar that an answer can miss, such as 0.8, or remove `uncertain`.",
        )
    elif below is None and not decision.confident:
        walk.report.add(
            "decision.uncertain-unreachable",
            (uncertain.start, uncertain.start + len("uncertain")),
            f"`{decision.name}` has no confidence to miss, so this branch never runs",
            label="never runs",
            related=(Related(decision.name, "declared without `confidence`"),),
            help=f"Write `uncertain below 0.8 {{ … }}`, or `confidence at least 0.8` in `{decision.name}`.",
        )


def report_not_a_decision(walk: Walk, uncertain: ast.Uncertain, what: str) -> None:
    walk.report.add(
        "decision.uncertain-unreachable",
        (uncertain.start, uncertain.start + len("uncertain")),
        f"This {what} is computed, not decided, so it is never uncertain",
        label="never runs",
        help="Remove the branch, or ask a `condition` that has a confidence.",
    )


def deciding(state: State, result: Shape) -> State:
    """A branch of a decision, which knows it as `decision`."""
    return state.narrowed_to(state.env.bind("decision", result))


def with_minimum(result: Shape) -> Shape:
    if isinstance(result, Object):
        return Object(result.what, (*result.fields, ("minimum", Float())))
    return result


def _switch_example(call: ast.Expr, decision: CallableSurface) -> str:
    name = call.callee.text if isinstance(call, ast.Call) else decision.name
    cases = "\n".join(f"  case {option} {{ }}" for option in decision.options[:3])
    return f"switch {name}(…) {{\n{cases}\n}}"
