"""The values of a flow's names along its paths.

A `State` is what is known at one point of a flow. Where paths meet, a name that has a value on each of them
has one after; of a name that has a value on some of them only so much is remembered, so that its use is
`flow.unbound` and not an unknown name."""

from __future__ import annotations

from collections.abc import Callable, Iterable, Iterator, Mapping, Sequence
from itertools import chain
from typing import Any, cast

from .. import ast
from ..shapes import Shape, Unknown
from .base import Scope
from .env import Env
from .fit import join
from .shared_map import SharedMap, shared_map

_UNKNOWN = Unknown()
_NONE: Mapping[str, Shape] = {}


class State:
    """`env` knows the names' shapes. `sure` has every name that the flow gave a value, parameters included: true
    where it certainly has one here, false where it has one on some paths only."""

    __slots__ = ("env", "sure")

    def __init__(self, env: Env, sure: SharedMap[bool]) -> None:
        self.env = env
        self.sure = sure

    def bind(self, name: str, shape: Shape) -> State:
        return State(self.env.bind(name, shape), self.sure.having(name, True))

    def narrowed_to(self, env: Env) -> State:
        """The same names, known better."""
        return self if env is self.env else State(env, self.sure)

    def differing(self, before: State) -> Iterator[str]:
        """The names of which something else is known than before, maybe more than once."""
        for now, then in ((self.env.names, before.env.names), (self.env.paths, before.env.paths)):
            if now is not then:
                yield from cast(SharedMap[object], now).differing(then)
        yield from self.sure.differing(before.sure)


def start(env: Env, params: Iterable[str]) -> State:
    """What is known before the first statement."""
    return State(env.knowing(shared_map(env.names), env.paths), shared_map(dict.fromkeys(params, True)))


def meet(states: Sequence[State], before: State, scope: Scope) -> State:
    """What is known where the paths that parted at `before` meet again; there is at least one. Names that only a
    branch knows (`decision`) are gone. Only what a path has changed is looked at; where that comes to nothing,
    the answer is `before` itself."""
    if states == [before]:
        return before
    env, sure = before.env, before.sure
    for name in dict.fromkeys(chain.from_iterable(state.differing(before) for state in states)):
        has = [state.sure.get(name) for state in states]
        if has.count(None) < len(has):
            certain = all(has)
            shape = _joined([state.env.shape(name) for state in states], scope) if certain else _UNKNOWN
            if sure.get(name) is not certain:
                sure = sure.having(name, certain)
            if env.names.get(name) != shape:
                env = env.bind(name, shape)
        fields = _agreed([state.env.paths.get(name, _NONE) for state in states])
        if env.paths.get(name, _NONE) != fields:
            env = env.with_fields(name, fields)
    return before if env is before.env and sure is before.sure else State(env, sure)


def _joined(shapes: Sequence[Shape], scope: Scope) -> Shape:
    found, *others = shapes
    for other in others:
        found = found if found == other else join(found, other, scope)
    return found


def _agreed(fields: Sequence[Mapping[str, Shape]]) -> Mapping[str, Shape]:
    """The fields of a name that are known alike on all paths."""
    first, *others = fields
    return {path: shape for path, shape in first.items() if all(each.get(path) == shape for each in others)}


def bindings(body: Sequence[ast.Statement]) -> Iterator[ast.Ident]:
    """Every name that a block binds, in order, nested blocks included."""
    waiting: list[Any] = [*reversed(body)]
    while waiting:
        node = waiting.pop()
        if type(node) is ast.Bind:
            yield node.name
        elif type(node) in _INSIDE:
            waiting += reversed(_INSIDE[type(node)](node))


_INSIDE: dict[type, Callable[[Any], Sequence[object]]] = {
    ast.Block: lambda node: node.body,
    ast.If: lambda node: (node.then, node.uncertain, node.otherwise),
    ast.Switch: lambda node: (*node.cases, node.uncertain),
    ast.SwitchCase: lambda node: (node.block,),
    ast.Uncertain: lambda node: (node.block,),
    ast.Parallel: lambda node: node.tasks,
    ast.Loop: lambda node: (node.body, node.otherwise),
    ast.WithContext: lambda node: (node.body,),
}
"""What stands inside a statement, in order."""
