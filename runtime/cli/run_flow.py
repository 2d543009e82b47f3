"""Runs a file from the command line: input, live view, signals, answer and exit code."""

from __future__ import annotations

import argparse
import json
import os
import sys
from collections.abc import Callable, Sequence
from decimal import Decimal, InvalidOperation
from pathlib import Path
from typing import Any

import attrs
import msgspec
import trio

from ...dsl.plan import ModelPlan, Plan
from ..expr import to_json
from ..flow.frame import Approver
from ..judge.errors import ConfigurationError, JudgeflowError, NotResumableError, UnknownThreadError
from ..memory.compaction import memory_line
from ..program import CheckError, Program, Result, Session, load
from ..report.exit_codes import FILE_ERRORS, INTERRUPTED, WRONG_USE, exit_code
from ..report.live import LiveView
from ..run import Ledger, Limits, events
from ..store.errors import StoreError
from ..store.place import store_path
from .durations import seconds_of
from .interrupt import interruptible
from .replies import kept_replies

GRACE_DEFAULT = 5.0


class WrongUse(Exception):
    """The command was called wrongly; the message says how to call it."""


def run_file(arguments: argparse.Namespace) -> int:
    """The handler of `jrun run`."""
    return answering(lambda: _run_file(arguments))


def _run_file(arguments: argparse.Namespace) -> int:
    program = _loaded(arguments)
    if arguments.dry_run:
        return _dry_run(program, arguments)
    given = _input(arguments, program)
    return trio.run(_run, program, arguments, given)


def answering(work: Callable[[], int]) -> int:
    """The exit code of some work; what went wrong is told in a line."""
    try:
        return work()
    except CheckError as error:
        print(error, file=sys.stderr)
        return FILE_ERRORS
    except (WrongUse, ConfigurationError, NotResumableError, UnknownThreadError) as error:
        print(f"jrun: {error}", file=sys.stderr)
        return WRONG_USE
    except StoreError as error:
        print(f"jrun: {error}", file=sys.stderr)
        return 1
    except BaseExceptionGroup as group:
        return _of_group(group)


def _of_group(group: BaseExceptionGroup[BaseException]) -> int:
    """What several failures at once come to: an interruption first, then our own errors; a bug is shown whole."""
    if group.subgroup(KeyboardInterrupt) is not None:
        return INTERRUPTED
    known = group.subgroup((JudgeflowError, StoreError))
    if known is None or group.split((JudgeflowError, StoreError))[1] is not None:
        raise group
    for error in _leaves(known):
        print(f"jrun: {error}", file=sys.stderr)
    return 1


def _leaves(group: BaseExceptionGroup[Any]) -> list[BaseException]:
    return [
        leaf
        for error in group.exceptions
        for leaf in (_leaves(error) if isinstance(error, BaseExceptionGroup) else [error])
    ]


def _loaded(arguments: argparse.Namespace) -> Program:
    try:
        program = load(arguments.file)
    except FileNotFoundError:
        raise WrongUse(f"there is no file {arguments.file}") from None
    except OSError as error:
        raise WrongUse(f"{arguments.file}: {error.strerror or error}") from None
    if arguments.strict:
        strict = [found for found in program.warnings if found.code == "judge.same-model-family"]
        if strict:
            raise CheckError(program.warnings, "\n".join(f"error[{f.code}]: {f.message}" for f in strict))
    if arguments.model:
        program = attrs.evolve(program, plan=with_models(program.plan, arguments.model))
    return program


def with_models(plan: Plan, overrides: Sequence[str]) -> Plan:
    """The Plan with other models for some agents and judges (`writer=openai/gpt-6`), or for everyone (`*=…`)."""
    agents, judges, models = dict(plan.agents), dict(plan.judges), dict(plan.models)
    for override in overrides:
        name, equals, slug = override.partition("=")
        if name == "*" and equals:
            models = {
                name: msgspec.structs.replace(model, slug=slug, via=None, fallback=())
                for name, model in models.items()
            }
            continue
        if not equals or name not in (*agents, *judges):
            known = ", ".join([*agents, *judges])
            raise WrongUse(f"--model {override}: write AGENT=SLUG with one of: {known}")
        models.setdefault(slug, ModelPlan(name=slug, slug=slug))
        if name in agents:
            agents[name] = msgspec.structs.replace(agents[name], model=slug)
        else:
            judges[name] = msgspec.structs.replace(judges[name], model=slug, jury=())
    return msgspec.structs.replace(plan, agents=agents, judges=judges, models=models)


def _input(arguments: argparse.Namespace, program: Program) -> Any:
    """From the task, `--input`, `--input-file` or standard input; only one of them may speak."""
    given: dict[str, Any] = {}
    if arguments.input_file:
        given.update(_input_file(arguments.input_file))
    for pair in arguments.input:
        name, equals, value = pair.partition("=")
        if not equals:
            raise WrongUse(f"--input {pair}: write NAME=VALUE")
        given[name] = value
    if given and arguments.task is not None:
        raise WrongUse("give the task as text or the input by name, not both")
    if given:
        return _typed(given, program, arguments.flow)
    if arguments.task is not None:
        return arguments.task
    params = program.plan.flows[program.flow_name(arguments.flow)].params
    if any(param.default is None and not param.optional for param in params) and not sys.stdin.isatty():
        return sys.stdin.read()
    return None


def _typed(given: dict[str, Any], program: Program, flow: str | None) -> dict[str, Any]:
    """Values from the command line are texts; where the flow wants another shape they are read as JSON."""
    shapes = {param.name: param.shape for param in program.plan.flows[program.flow_name(flow)].params}
    typed = {}
    for name, value in given.items():
        shape = shapes.get(name)
        if isinstance(value, str) and shape is not None and type(shape).__name__ not in ("Text", "Literal"):
            try:
                typed[name] = json.loads(value)
            except ValueError:
                typed[name] = value
        else:
            typed[name] = value
    return typed


def _input_file(path: str) -> dict[str, Any]:
    try:
        data = msgspec.json.decode(Path(path).read_bytes())
    except OSError as error:
        raise WrongUse(f"{path}: {error.strerror or error}") from None
    except msgspec.DecodeError as error:
        raise WrongUse(f"{path}: not JSON: {error}") from None
    if not isinstance(data, dict):
        raise WrongUse(f"{path}: must hold a JSON object with the flow's parameters")
    return data


def limits_of(program: Program, arguments: argparse.Namespace) -> Limits:
    limits = Limits(program.plan.limits, Ledger())
    if arguments.max_cost is not None:
        try:
            limits.tighten("cost", Decimal(arguments.max_cost.lstrip("$")))
        except InvalidOperation:
            raise WrongUse(f"--max-cost {arguments.max_cost}: write an amount such as $0.50") from None
    if arguments.timeout is not None:
        limits.tighten("time", Decimal(str(duration_of("--timeout", arguments.timeout))))
    return limits


def duration_of(option: str, text: str) -> float:
    seconds = seconds_of(text)
    if seconds is None:
        raise WrongUse(f"{option} {text}: write a time such as 500ms, 30s, 5m or 2h")
    return seconds


async def _run(program: Program, arguments: argparse.Namespace, given: Any) -> int:
    store = None if arguments.no_store else store_path(os.environ, platform=sys.platform, home=Path.home())
    if arguments.no_store and arguments.thread:
        raise WrongUse("--thread needs the store: leave --no-store out")
    limits, grace = limits_of(program, arguments), duration_of("--grace", arguments.grace)
    with kept_replies(arguments) as replies:
        async with program.opened(
            profile=arguments.profile,
            store=store,
            grace=0.5,
            cache=replies.cache,
            recorder=replies.recorder,
        ) as session:
            result = await interruptible(
                lambda started: session.run(
                    given,
                    flow=arguments.flow,
                    thread=arguments.thread,
                    tenant=arguments.tenant,
                    hooks=hooks_of(arguments, session),
                    approver=ask_on_terminal(),
                    limits=limits,
                    capture=arguments.capture,
                    started=started,
                ),
                grace,
            )
    print_result(result, arguments)
    return exit_code(result.record)


def hooks_of(arguments: argparse.Namespace, session: Session) -> list[events.Hook]:
    hooks: list[events.Hook] = []
    if arguments.events:
        hooks.append(lambda event: print(msgspec.json.encode(event).decode(), flush=True))
    if not arguments.quiet:
        terminal = sys.stderr.isatty()
        hooks.append(
            LiveView(
                sys.stderr,
                live=terminal and os.environ.get("TERM") != "dumb",
                colour=terminal and not os.environ.get("NO_COLOR"),
                workflow=session.plan.workflow,
            )
        )
    return hooks


def ask_on_terminal() -> Approver | None:
    """Asks on the terminal; without one nobody can be asked and the run pauses."""
    if not (sys.stdin.isatty() and sys.stderr.isatty()):
        return None

    async def approve(question: str, showing: Any) -> bool | None:
        if showing is not None:
            print(showing if isinstance(showing, str) else to_json(showing), file=sys.stderr)
        print(f"{question} [y/n] ", end="", file=sys.stderr, flush=True)
        answer = await trio.to_thread.run_sync(sys.stdin.readline, abandon_on_cancel=True)
        return answer.strip().lower() in ("y", "yes") if answer else None

    return approve


def print_result(result: Result, arguments: argparse.Namespace) -> None:
    if arguments.json:
        print(msgspec.json.encode(result.record).decode())
    elif result.answer is not None and not arguments.events:
        print(result.answer if isinstance(result.answer, str) else to_json(result.answer))
    sys.stdout.flush()
    for step in result.record.steps:
        if step.kind == "memory" and not arguments.quiet:
            print(f"memory: {memory_line(step.answer, step.reason)}", file=sys.stderr)
    if arguments.quiet and result.status != "answered":
        print(f"{result.status}: {result.record.reason}", file=sys.stderr)
    if result.status in ("paused", "cancelled") and result.record.file is not None and not arguments.quiet:
        print(f"go on with: jrun resume {result.record.id[:8]}", file=sys.stderr)
    print(f"thread: {result.thread}", file=sys.stderr)


def _dry_run(program: Program, arguments: argparse.Namespace) -> int:
    """What would run, without a call: the flow, its agents with their models and judges."""
    plan = program.plan
    print(f"flow {program.flow_name(arguments.flow)}")
    for agent in plan.agents.values():
        judges = ", ".join(use.judge for use in agent.judges) or "none"
        model = plan.models[agent.model]
        print(
            f"  agent {agent.name}: {model.slug}, up to {agent.retries + 1} answers a visit; judges: {judges}"
        )
    for judge in plan.judges.values():
        if judge.model is not None:
            print(f"  judge {judge.name}: {', '.join(plan.models[name].slug for name in judge.models)}")
    for decision in plan.decisions.values():
        print(f"  {decision.kind} {decision.name}: {plan.models[decision.model].slug}")
    return 0
