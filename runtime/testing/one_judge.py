"""One judge on one reply, without a flow."""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from contextlib import nullcontext
from typing import Any

import msgspec
import trio

from ...dsl import shapes
from ...dsl.plan import JudgePlan
from ...dsl.shapes import TypeInfo
from ...dsl.suggest import closest
from ..agents.answers import AnswerReader, TypedAnswer
from ..agents.classes import json_data
from ..agents.decode import Decoder
from ..agents.messages import JudgeTask
from ..agents.panel import as_record
from ..flow.binding import compiled_defaults, fill_defaults
from ..judge.errors import SerializationError, TestSetupError
from ..judge.protocol import ToolCall
from ..program import Program, Session
from ..run import Ledger, Limits, Run, RunGuard, RunInfo
from ..scripted import refuse_code_judge, replies_now, script
from ..store.records import VerdictRecord, new_id

_CALL: Mapping[str, Any] = {"input": {}, "output": None, "error": None, "status": "succeeded"}
_NOTHING: Any = object()


async def judge(
    program: Program,
    name: str,
    /,
    *,
    reply: Any,
    task: str = "",
    attempt: int = 0,
    variant: str | None = None,
    tool_calls: Sequence[Mapping[str, Any]] = (),
    model: Any = _NOTHING,
    **arguments: Any,
) -> VerdictRecord:
    """The verdict of one judge of the program: `.passed .reason .metrics .readable`.

    `reply` is a text or JSON data of what the judge judges; `variant` says which type of a union it is where its fields
    do not. `model` is what the judge's model answers, a text or an object by question; without it the `script` around
    the call answers. `tool_calls` are objects with a `tool` and, where they differ from a call that succeeded and gave
    nothing, `input`, `output`, `error`, `status`. Further arguments are the judge's own parameters, by name.

    Raises `TestSetupError` where these do not fit the judge, and what the judge itself raises.
    """
    plan = _judge_of(program, name)
    if model is not _NOTHING:
        refuse_code_judge(program.plan, name, "`model` has nothing to answer")
    elif plan.model is not None and replies_now() is None:
        raise TestSetupError(
            f"{name} asks a model: give `model=…`, what that answers", code="test.unscripted-model"
        )
    answer = _answer(plan, program.plan.types, reply, variant)
    values = _arguments(plan, program.plan.types, arguments)
    calls = tuple(_calls(program, tool_calls))
    with script({name: model}) if model is not _NOTHING else nullcontext():
        async with program.opened() as session:
            rest = plan.params[1:]
            fill_defaults(values, rest, compiled_defaults(rest, session.system.compiler, plan.origin))
            made = _task(session, name, answer, task, attempt, calls, values)
            verdict = await session.system.actors.judges[name].ask(made)
    return as_record(verdict, name, attempt)


def _judge_of(program: Program, name: str) -> JudgePlan:
    found = program.plan.judges.get(name)
    if found is None:
        near = closest(name, program.plan.judges)
        meant = (
            f"did you mean `{near}`?" if near else f"there are: {', '.join(program.plan.judges) or 'none'}"
        )
        raise TestSetupError(f"there is no judge `{name}`: {meant}", code="name.unknown")
    return found


def _task(
    session: Session,
    name: str,
    answer: TypedAnswer,
    task: str,
    attempt: int,
    calls: tuple[Mapping[str, Any], ...],
    values: Mapping[str, Any],
) -> JudgeTask:
    run = Run(
        RunInfo(new_id(), new_id(), name, ""),
        RunGuard(trio.CancelScope()),
        stamp=session.stamp,
        limits=Limits((), Ledger()),
    )
    return JudgeTask(
        run=run,
        step=run.begin_step("1", "judge", name),
        agent=None,
        reply=answer.value,
        variant=answer.variant,
        task=task,
        attempt=attempt,
        calls=calls,
        values=values,
    )


# --- what is judged -----------------------------------------------------------------------------------------


def _answer(plan: JudgePlan, types: Mapping[str, TypeInfo], reply: Any, variant: str | None) -> TypedAnswer:
    shape = plan.params[0].shape
    reply = _data(reply, "reply")
    if isinstance(shape, shapes.Text):
        if not isinstance(reply, str):
            raise _wrong(f"{plan.name} judges a text: {type(reply).__name__} is none")
        return TypedAnswer(reply, None)
    options = [option.name for option in _options(shape) if isinstance(option, shapes.Record)]
    if variant is not None:
        if not any(name in options for name in _lineage(variant, types)):
            raise _wrong(
                f"{plan.name} judges {' or '.join(options) or 'no type'}, and {variant} is none of them"
            )
        return _read(plan, types, shapes.Record(variant), reply)
    if isinstance(shape, shapes.Union) and len(options) > 1:
        return _guessed(plan, types, options, reply)
    return _read(plan, types, shape, reply)


def _guessed(
    plan: JudgePlan, types: Mapping[str, TypeInfo], options: Sequence[str], reply: Any
) -> TypedAnswer:
    """The one type that the reply fits."""
    decoder = Decoder(types)
    wrong = {name: decoder.decode(shapes.Record(name), reply)[1] for name in options}
    fitting = [name for name in options if not wrong[name]]
    if len(fitting) != 1:
        told = "; ".join(f"{name}: {', '.join(faults)}" for name, faults in wrong.items() if faults)
        asked = f"it fits {' and '.join(fitting)}: say `variant=`" if fitting else f"it fits none: {told}"
        raise _wrong(f"{plan.name} judges {' or '.join(options)}, and of this reply {asked}")
    return _read(plan, types, shapes.Record(fitting[0]), reply)


def _read(plan: JudgePlan, types: Mapping[str, TypeInfo], shape: shapes.Shape, reply: Any) -> TypedAnswer:
    """Read as an agent's answer of that shape would be."""
    reader = AnswerReader(shape, types)
    tool = reader.tools[0]
    if not isinstance(shape, shapes.Record):
        (key,) = tool.parameters["properties"]
        reply = {key: reply}
    answer, faults = reader.read(ToolCall("reply", tool.name, msgspec.json.encode(reply).decode()))
    if answer is None:
        raise _wrong(f"{plan.name} cannot judge this reply: {'; '.join(faults)}")
    return answer


def _options(shape: shapes.Shape) -> tuple[shapes.Shape, ...]:
    return shape.options if isinstance(shape, shapes.Union) else (shape,)


def _lineage(name: str, types: Mapping[str, TypeInfo]) -> Iterator[str]:
    """A type and those that it extends."""
    current: str | None = name
    while current is not None and current in types:
        yield current
        current = types[current].extends


# --- what it is judged with ---------------------------------------------------------------------------------


def _arguments(plan: JudgePlan, types: Mapping[str, TypeInfo], given: Mapping[str, Any]) -> dict[str, Any]:
    params = {param.name: param for param in plan.params[1:]}
    decoder = Decoder(types)
    values = {}
    for name, value in given.items():
        if name not in params:
            raise _wrong(
                f"{plan.name} has no parameter `{name}`: it takes {', '.join(params) or 'only a reply'}"
            )
        values[name], faults = decoder.decode(params[name].shape, _data(value, name))
        if faults:
            raise _wrong(f"{plan.name}: {name}{faults[0].removeprefix('$')}")
    missing = [
        p.name for p in params.values() if p.default is None and not p.optional and p.name not in given
    ]
    if missing:
        raise _wrong(f"{plan.name} also takes {', '.join(missing)}")
    return values


def _calls(program: Program, given: Sequence[Mapping[str, Any]]) -> Iterator[dict[str, Any]]:
    known = program.plan.tools
    for call in given:
        if not isinstance(call, Mapping):
            raise _wrong(f"`tool_calls` is a list of objects, as in [{{'tool': …}}], not of {call!r}")
        tool = call.get("tool")
        unknown = sorted(call.keys() - _CALL.keys() - {"tool"})
        if not isinstance(tool, str) or tool.partition(".")[0] not in known:
            raise _wrong(
                f"a tool call names a declared `tool` ({', '.join(known) or 'there is none'}), not {tool!r}"
            )
        if unknown:
            raise _wrong(f"a tool call has tool, {', '.join(_CALL)}, and no {', '.join(unknown)}")
        yield {"tool": tool, **_CALL, **_data(call, tool)}


def _data(value: Any, name: str) -> Any:
    try:
        return json_data(value, name)
    except SerializationError as error:
        raise _wrong(str(error)) from None


def _wrong(message: str) -> TestSetupError:
    return TestSetupError(message, code="test.wrong-shape")
