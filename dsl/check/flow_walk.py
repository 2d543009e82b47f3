"""The walk through one flow: how an expression, a text or a step is checked at a point of it."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence

from .. import ast
from ..diagnostics import Label
from ..shapes import Nullable, Shape, Text, Unknown
from .base import Report, Scope
from .env import Env
from .expressions import check_condition, infer, narrowed
from .fit import fits, resolve
from .flow_names import State, meet, mentioned
from .hidden_calls import check_hidden_calls

CheckBlock = Callable[["Walk", Sequence[ast.Statement], State], State | None]


class Walk:
    """One flow while it is checked. `base` is what every point of it knows (its parameters, constants and
    `run`); `bound_at` says where each of its names first gets a value; `check_block` walks a nested block."""

    def __init__(
        self,
        node: ast.Flow,
        base: Env,
        scope: Scope,
        report: Report,
        *,
        bound_at: Mapping[str, ast.Ident],
        check_block: CheckBlock,
    ) -> None:
        self.node = node
        self.base = base
        self.bound_at = bound_at
        self.scope = scope
        self.report = report
        self.check_block = check_block
        self.reported: set[str] = set()
        self.unsure = False
        """A case is missing, so nobody can say whether the flow goes on there."""

    def silent(self) -> Walk:
        """The same walk, its findings dropped."""
        quiet = Walk(
            self.node,
            self.base,
            self.scope,
            Report(),
            bound_at=self.bound_at,
            check_block=self.check_block,
        )
        quiet.reported = set(self.reported)
        return quiet

    def meet(self, states: Sequence[State | None]) -> State | None:
        """What is known after branches; None where none of them goes on."""
        going = [state for state in states if state is not None]
        return meet(going, self.base, self.bound_at, self.scope) if going else None

    def value(
        self,
        expr: ast.Expr,
        state: State,
        *,
        where: str = "",
        siblings: Mapping[str, ast.Ident] | None = None,
    ) -> Shape:
        """The shape of an expression, with everything that is wrong in it reported. `where` says why calls in
        it would not run exactly once; `siblings` are names that other tasks of the same `parallel` bind."""
        env = self._known(expr, state, siblings or {})
        check_hidden_calls(expr, self.scope, self.report, where)
        return infer(expr, env, self.scope, self.report)

    def text(self, text: ast.Text, state: State, siblings: Mapping[str, ast.Ident] | None = None) -> None:
        """A text that is sent or shown: its templates."""
        self.value(text, state, siblings=siblings)

    def branches(self, condition: ast.Expr, state: State, where: str = "") -> tuple[State, State]:
        """What is known where a plain condition holds, and where it does not."""
        check_hidden_calls(condition, self.scope, self.report, where)
        check_condition(condition, self._known(condition, state, {}), self.scope, self.report)
        holds, fails = narrowed(condition, state.env, self.scope)
        return state.narrowed_to(holds), state.narrowed_to(fails)

    def whole(self, number: ast.Number | None, what: str, *, low: int, high: int | None = None) -> None:
        """Reports a count that is no whole number of the range."""
        if number is None:
            return
        value = number.value
        if isinstance(value, int) and value >= low and (high is None or value <= high):
            return
        most = f" and at most {high}" if high is not None else ""
        self.report.add(
            "value.range",
            number,
            f"{what[0].upper()}{what[1:]} takes a whole number of at least {low}{most}, not {number.text}",
            label=f"from {low}{f' to {high}' if high is not None else ' on'}",
        )

    def help_for(self, shape: Shape, wanted: Shape) -> str:
        """How a value of `shape` becomes one that is `wanted`, where that is one call away."""
        known, goal = resolve(shape, self.scope), resolve(wanted, self.scope)
        if isinstance(known, Nullable) and fits(known.item, goal, self.scope):
            return "It may be null: replace that with `default(…, …)`, or ask for `!= null` first."
        if isinstance(goal, Text) and not isinstance(known, Unknown):
            return 'Write `text(…)`, or put it into a template: "{{ … }}".'
        return ""

    def _known(self, expr: ast.Expr, state: State, siblings: Mapping[str, ast.Ident]) -> Env:
        """The environment for an expression; names of it that have no value yet are reported once."""
        env = state.env
        for name in mentioned(expr):
            text = name.id
            if text in siblings and text not in state.bound:
                self._unbound(name, "in another task of the same `parallel`", siblings[text])
            elif text in state.partial:
                self._unbound(name, "on some paths only", state.partial[text])
            elif text in self.bound_at and text not in state.bound and self.scope.find(text) is None:
                self._unbound(name, "only further down", self.bound_at[text])
            else:
                continue
            env = env.bind(text, Unknown())
        return env

    def _unbound(self, name: ast.Name, when: str, at: ast.Ident) -> None:
        if name.id in self.reported:
            return
        self.reported.add(name.id)
        helps = {
            "on some paths only": "Give it a value on the other paths too, or before they part.",
            "only further down": "Move this below the line that gives it its value.",
        }
        self.report.add(
            "flow.unbound",
            name,
            f"`{name.id}` gets its value {when}",
            label="it may have no value here",
            labels=(Label(at.start, at.end, "it gets one here"),),
            help=helps.get(when, "Tasks of a `parallel` do not see each other: use it after the block."),
        )


def start_of(node: ast.Flow, base: Env) -> State:
    return State(base, frozenset(param.name.text for param in node.params), {})
