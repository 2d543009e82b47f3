"""Arguments to parameters: which expression gives which value."""

from __future__ import annotations

from collections.abc import Callable, Mapping, Sequence
from typing import Any

import attrs

from ...dsl import ast
from ...dsl.plan import AgentPlan, Origin, ParamPlan
from ..expr import Compiler, Evaluate, Scope, to_json, to_text


@attrs.frozen(eq=False)
class Arguments:
    """Evaluates a call's arguments. `given` are those that stand in the call, by parameter name."""

    given: Sequence[tuple[str, Evaluate]]
    params: Sequence[ParamPlan]
    defaults: Mapping[str, Evaluate]

    def values(self, scope: Scope) -> dict[str, Any]:
        """Every parameter's value; null for one that was left out and has no default."""
        found = {name: evaluate(scope) for name, evaluate in self.given}
        if len(found) < len(self.params):
            fill_defaults(found, self.params, self.defaults)
        return found

    def task(self, values: Mapping[str, Any]) -> str:
        """What an agent is sent: one argument as it is, several as a JSON object by name."""
        if len(self.given) == 1:
            return to_text(values[self.given[0][0]])
        return to_json({name: values[name] for name, _ in self.given})


def bind(
    args: Sequence[ast.Arg],
    params: Sequence[ParamPlan],
    compiler: Compiler,
    origin: Origin,
    callee: Origin,
) -> Arguments:
    """The arguments of a call that the checker has accepted."""
    given = []
    names = [param.name for param in params]
    for at, arg in enumerate(args):
        name = arg.name.text if arg.name is not None else names[at] if at < len(names) else f"${at}"
        given.append((name, compiler.compile(arg.value, origin)))
    return Arguments(tuple(given), tuple(params), compiled_defaults(params, compiler, callee))


def compiled_defaults(params: Sequence[ParamPlan], compiler: Compiler, origin: Origin) -> dict[str, Evaluate]:
    return {
        param.name: compiler.compile(param.default, origin) for param in params if param.default is not None
    }


def fill_defaults(
    values: dict[str, Any], params: Sequence[ParamPlan], defaults: Mapping[str, Callable[[Scope], Any]]
) -> None:
    """Gives every parameter that has no value yet its default, or null."""
    for param in params:
        if param.name not in values:
            default = defaults.get(param.name)
            values[param.name] = default(Scope(dict(values))) if default is not None else None


def asked_values(agent: AgentPlan, compiler: Compiler) -> Callable[[str], dict[str, Any]]:
    """The arguments of an agent that a gate or a tournament puts a question to: the question is its only needed
    parameter, else its first; the others have their defaults."""
    needed = [param for param in agent.params if param.default is None and not param.optional]
    name = (needed or agent.params)[0].name if agent.params else "task"
    defaults = compiled_defaults(agent.params, compiler, agent.origin)

    def values(question: str) -> dict[str, Any]:
        found = {name: question}
        fill_defaults(found, agent.params, defaults)
        return found

    return values
