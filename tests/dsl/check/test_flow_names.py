"""What is known where the paths of a flow meet, against a plain look at every name of every path."""

from __future__ import annotations

import random
from collections.abc import Mapping, Sequence

import pytest

from judgeflow.dsl.check.base import Scope
from judgeflow.dsl.check.env import Env
from judgeflow.dsl.check.fit import join
from judgeflow.dsl.check.flow_names import State, meet, start
from judgeflow.dsl.shapes import Int, Null, Nullable, Shape, Text, Unknown

SCOPE = Scope(lambda name: None, tuple)
SHAPES: tuple[Shape, ...] = (Text(), Int(), Nullable(Text()), Null(), Unknown())
NAMES = [f"n{number}" for number in range(100)]


def changed(state: State, of: Sequence[str], chance: random.Random) -> State:
    """The state after a few statements, tests and decisions."""
    for _ in range(chance.randrange(5)):
        name, shape = chance.choice(of), chance.choice(SHAPES)
        match chance.randrange(4):
            case 0:
                state = state.bind(name, shape)
            case 1:
                state = state.narrowed_to(state.env.narrow(f"{name}.{chance.choice('abc')}", shape))
            case 2 if state.sure.get(name):
                state = state.narrowed_to(state.env.narrow(name, shape))
            case _:
                state = state.narrowed_to(state.env.bind("decision", shape))
    return state


def plainly(
    states: Sequence[State], before: State
) -> tuple[dict[str, Shape], dict[str, bool], dict[str, Shape]]:
    """The names, which of them are sure, and the fields that are known, each looked at anew."""
    given = dict.fromkeys(name for state in states for name in state.sure)
    sure = {name: all(state.sure.get(name) for state in states) for name in given}
    names = dict(before.env.names)
    for name, is_sure in sure.items():
        names[name] = Unknown()
        if is_sure:
            first, *others = [state.env.names[name] for state in states]
            for other in others:
                first = first if first == other else join(first, other, SCOPE)
            names[name] = first
    first_known, *other_known = [fields(state.env) for state in states]
    agreed = {
        path: shape
        for path, shape in first_known.items()
        if all(known.get(path) == shape for known in other_known)
    }
    return names, sure, agreed


def fields(env: Env) -> dict[str, Shape]:
    return {path: shape for known in env.paths.values() for path, shape in known.items()}


def beginning(names: Mapping[str, Shape]) -> State:
    return start(Env(names, calls_allowed=True, where="in a flow"), [name for name in names if name != "run"])


@pytest.mark.parametrize(("count", "times"), [(2, 1500), (5, 300), (100, 100)])
def test_where_paths_meet_is_known_what_a_look_at_every_name_tells(count: int, times: int) -> None:
    chance, of = random.Random(count), NAMES[:count]
    first = beginning({"run": Int(), **dict.fromkeys(of[: count - 1], Text())})
    state = first
    for _ in range(times):
        ends = [changed(state, of, chance) for _ in range(chance.randrange(1, 4))]
        after = meet(ends, state, SCOPE)
        assert (dict(after.env.names), dict(after.sure), fields(after.env)) == plainly(ends, state)
        assert (after.env.where, after.env.calls_allowed) == ("in a flow", True)
        state = chance.choice([after, after, *ends, first])


def test_paths_that_change_nothing_leave_the_very_state_from_which_they_part() -> None:
    state = beginning({"a": Text()}).bind("b", Int())
    assert meet([state, state], state, SCOPE) is state
    assert meet([state.bind("b", Int()), state], state, SCOPE) is state
    assert meet([state.bind("b", Text()), state], state, SCOPE) is not state
