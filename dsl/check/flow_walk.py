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
from .flow_names import State, meet
from .flow_reads import reads
from .hidden_calls import report_hidden_calls

Siblings = Mapping[str, ast.Ident]
"""Names that other tasks of the same `parallel` bind, each with where."""
NONE: Siblings = {}
_UNKNOWN = Unknown()
CheckBlock = Callable[["Walk", Sequence[ast.Statement], State], State | None]


class Walk:
    """One flow while it is checked. `bound_at` says where each of its names first gets a value; `check_block`
    walks a nested block."""

    def __init__(
        self,
        node: ast.Flow,
        scope: Scope,
        report: Report,
        *,
        bound_at: Mapping[str, ast.Ident],
        check_block: CheckBlock,
    ) -> None:
        self.node = node
        self.bound_at = bound_at
        self.scope = scope
        self.report = report
        self.check_block = check_block
        self.is_silent = False
        self.reported: set[str] = set()
        self.unsure = False
        """A case is missing, so nobody can say whether the flow goes on there."""

    def silent(self) -> Walk:
        """The same walk, its findings dropped."""
        quiet = Walk(self.node, self.scope, Report(), bound_at=self.bound_at, check_block=self.check_block)
        quiet.is_silent = True
        return quiet

    def meet(self, states: Sequence[State | None], before: State) -> State | None:
        """What is known after branches that parted at `before`; None where none of them goes on."""
        going = [state for state in states if state is not None]
        return meet(going, before, self.scope) if going else None

    def value(
        self,
        expr: ast.Expr,
        state: State,
        *,
        where: str = "",
        siblings: Siblings = NONE,
    ) -> Shape:
        """The shape of an expression, with everything that is wrong in it reported. `where` says why calls in
        it would not run exactly once; `siblings` are names that other tasks of the same `parallel` bind."""
        return infer(expr, self._known(expr, state, where, siblings), self.scope, self.report)

    def branches(self, condition: ast.Expr, state: State, where: str = "") -> tuple[State, State]:
        """What is known where a plain condition holds, and where it does not."""
        check_condition(condition, self._known(condition, state, where), self.scope, self.report)
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

    def _known(self, expr: ast.Expr, state: State, where: str, siblings: Siblings = NONE) -> Env:
        """The environment for an expression. Names of it that have no value yet are reported once, and calls that
        would not run exactly once."""
        env = state.env
        names, calls = reads(expr, where)
        for name in names:
            text = name.id
            sure = state.sure.get(text)
            if sure:
                continue
            if text in siblings:
                self._unbound(name, "in another task of the same `parallel`", siblings[text])
            elif sure is False:
                self._unbound(name, "on some paths only", self.bound_at[text])
            elif text in self.bound_at and self.scope.find(text) is None:
                self._unbound(name, "only further down", self.bound_at[text])
            else:
                continue
            env = env.bind(text, _UNKNOWN)
        if calls:
            report_hidden_calls(calls, self.scope, self.report)
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
