"""Scripts from Python: every program that is opened inside `with script({…}):` asks them instead of its models."""

from __future__ import annotations

from collections.abc import Iterator, Mapping
from contextlib import contextmanager
from contextvars import ContextVar
from typing import Any, cast

import attrs

from ..dsl import ast
from ..dsl.plan import JudgePlan, Plan
from ..dsl.suggest import closest
from .agents.classes import json_data
from .agents.messages import ToolTask
from .agents.tool_actor import ToolAnswers
from .flow.frame import Approver
from .judge.errors import SerializationError, TestSetupError
from .judge.protocol import Caller
from .providers.script import Line, Script

PEOPLE = "approve"
"""The name under which the people behind `approve` are scripted."""


@attrs.frozen(eq=False)
class Replies:
    """What a test wrote down, by name, and what was asked beyond it."""

    values: Mapping[str, Any]
    faults: list[TestSetupError] = attrs.field(factory=list)


_replies: ContextVar[Replies | None] = ContextVar("judgeflow_script", default=None)


@contextmanager
def script(replies: Mapping[str, Any]) -> Iterator[None]:
    """Programs that are opened or run inside the block call no model, no tool and nobody: `replies` answer, by name.

    A list is one answer per call, each run from its beginning, and running out of it is an error; anything else answers
    every call. An agent or a chat judge replies a text or the value of its shape, `{"call": tool, "input": {…}}` uses
    a tool; a decision judge's answers are an object by question; a condition is P(yes), a choice an option or its
    probabilities, a scale a label or a level; a tool returns its value as it is; `approve` is true or false.

    Raises `TestSetupError` for what cannot be scripted, and at its end for what was asked and had no answer.
    """
    if _replies.get() is not None:
        raise TestSetupError(
            "scripts do not stand in each other: write all replies into one", code="test.nested"
        )
    if not isinstance(replies, Mapping) or not all(isinstance(name, str) for name in replies):
        raise TestSetupError(
            f"a script is an object of replies by name, as in {{'writer': 'Short.'}}, not {replies!r}",
            code="test.wrong-shape",
        )
    given = Replies({name: _as_data(name, value) for name, value in replies.items()})
    token = _replies.set(given)
    try:
        yield
    finally:
        _replies.reset(token)
    if given.faults:
        raise given.faults[0]


def replies_now() -> Replies | None:
    """The replies of the block that this code runs in."""
    return _replies.get()


class WatchedScript(Script):
    """A script that remembers what it could not answer, so that a test does not pass beside it."""

    def __init__(self, plan: Plan, replies: Replies) -> None:
        for name in replies.values:
            check_scriptable(plan, name)
        lines = (
            Line(name, value, several=isinstance(value, list) and name.partition(".")[0] not in plan.tools)
            for name, value in replies.values.items()
        )
        super().__init__(lines, "script")
        self._faults = replies.faults

    def answer(self, caller: Caller) -> Any:
        try:
            return super().answer(caller)
        except TestSetupError as fault:
            self._faults.append(fault)
            raise


def check_scriptable(plan: Plan, name: str) -> None:
    """`TestSetupError` where nothing of this name asks anybody; it says why and what to do."""
    if name in plan.judges:
        refuse_code_judge(plan, name, "there is nothing to script")
        return
    asked = (plan.agents, plan.tools, plan.decisions)
    if name == PEOPLE or any(name.partition(".")[0] in table for table in asked):
        return
    for table, kind in ((plan.gates, "a gate"), (plan.flows, "a flow"), (plan.scorers, "a scorer")):
        if name in table:
            raise TestSetupError(
                f"{name} is {kind} and has no answers of its own: script the agents, judges, decisions and tools "
                "that it calls",
                code="test.wrong-shape",
            )
    known = (*plan.agents, *plan.judges, *plan.decisions, *plan.tools, PEOPLE)
    near = closest(name, known)
    meant = f"did you mean `{near}`?" if near else f"there are: {', '.join(known)}"
    raise TestSetupError(f"there is nothing called `{name}` to script: {meant}", code="name.unknown")


def refuse_code_judge(plan: Plan, name: str, why: str) -> None:
    """`TestSetupError` where the judge decides by code alone; it names the tools that may be scripted instead."""
    judge = plan.judges[name]
    if judge.model is not None:
        return
    tools = _tools_read(judge, plan)
    instead = f"script the tools that it reads ({', '.join(tools)})" if tools else "it runs as it is"
    raise TestSetupError(
        f"{name} is a code judge and calls no model, so {why}: {instead}", code="test.code-judge-scripted"
    )


def _tools_read(judge: JudgePlan, plan: Plan) -> list[str]:
    """The tools whose calls the judge's rules read."""
    found: dict[str, None] = {}
    waiting: list[Any] = [judge.rules, judge.metrics]
    while waiting:
        value = waiting.pop()
        if isinstance(value, tuple):
            waiting.extend(value)
        elif isinstance(value, ast.Node):
            waiting.extend(getattr(value, name) for name in value.__struct_fields__)
            if isinstance(value, ast.Name) and value.id in plan.tools:
                found[value.id] = None
    return list(found)


def _as_data(name: str, value: Any) -> Any:
    """Structs, attrs classes and tuples as JSON data."""
    try:
        return json_data(value, name)
    except SerializationError as error:
        raise TestSetupError(str(error), code="test.wrong-shape") from None


def tool_answers(script: Script) -> ToolAnswers:
    """The script's results stand in for the tools; nothing else is run."""

    def answer(task: ToolTask) -> Any:
        function = task.function
        caller = Caller(
            f"tool:{function}",
            # A test names an MCP server; one from Python may name a function of it.
            function if script.has(function) else function.partition(".")[0],
            run=task.run.info.id,
            step=task.step.id,
            attempt=task.attempt,
            values=task.values,
        )
        return script.answer(caller)

    return answer


def approver_of(script: Script) -> Approver:
    """The script's people. Where it has none, nobody can be asked, and the run waits."""

    async def approve(question: str, showing: Any) -> bool | None:
        if not script.has(PEOPLE):
            return None
        return cast(bool | None, script.answer(Caller(PEOPLE, PEOPLE, values={"question": question})))

    return approve
