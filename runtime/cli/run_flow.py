"""Runs a file from the command line: input, live view, signals, answer and exit code."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any

import attrs
import msgspec
import trio

from ...dsl.plan import ModelPlan, Plan
from ...dsl.suggest import closest
from ..flow.profiles import with_profile
from ..judge.errors import ConfigurationError, JudgeflowError, NotResumableError, UnknownThreadError
from ..judge.reading import exact_number
from ..program import CheckError, Program, Result, load
from ..report.exit_codes import ANSWERED, FILE_ERRORS, INTERRUPTED, WRONG_USE, exit_code
from ..run import Ledger, Limits
from ..store.errors import (
    AmbiguousIdError,
    AmbiguousThreadError,
    NoStoreError,
    NoThreadError,
    StoreError,
    UnknownIdError,
)
from ..store.terns import Store
from ..store.threads import find_thread
from .answers_only import answers_only
from .dry_run import print_dry_run
from .durations import seconds_of
from .interrupt import interruptible
from .opening import opened
from .person import ask_on_terminal
from .replies import Replies, kept_replies
from .run_input import input_of
from .screen import Screen
from .store_file import store_file
from .wrong_use import WrongUse


def run_file(arguments: argparse.Namespace) -> int:
    """The handler of `jrun run`."""
    return answering(lambda: _run_file(arguments))


def _run_file(arguments: argparse.Namespace) -> int:
    program = loaded(arguments)
    flow = program.flow_name(arguments.flow)
    if arguments.dry_run:
        print_dry_run(with_profile(program.plan, arguments.profile), flow, as_json=arguments.json)
        return ANSWERED
    given = input_of(arguments, program.plan.flows[flow])
    return start(program, arguments, given)


def start(
    program: Program,
    arguments: argparse.Namespace,
    given: Any,
    *,
    replay_of: str | None = None,
    told: Callable[[Result], None] = lambda result: None,
) -> int:
    """Runs the input to its end and prints what came of it; `told` is told as well. The exit code."""
    with answers_only() as out:
        screen = Screen(arguments, out)
        with kept_replies(arguments) as replies:
            result = trio.run(_run, program, arguments, given, screen, replies, replay_of)
        screen.result(result)
    told(result)
    return replies.code(exit_code(result.record))


_WRONG = (
    WrongUse,
    ConfigurationError,
    NotResumableError,
    UnknownThreadError,
    UnknownIdError,
    AmbiguousIdError,
)


def answering(work: Callable[[], int]) -> int:
    """The exit code of some work; what went wrong is told in a line."""
    try:
        return work()
    except CheckError as error:
        print(error, file=sys.stderr)
        return FILE_ERRORS
    except _WRONG as error:
        print(f"jrun: {error}", file=sys.stderr)
        return WRONG_USE
    except (JudgeflowError, StoreError) as error:
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


def loaded(arguments: argparse.Namespace) -> Program:
    """The program of a command, with other models where it names them. Raises `WrongUse` and `CheckError`."""
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
    """The Plan with other models for some agents, judges and decisions (`writer=openai/gpt-6`, or the name of a
    declared model), or for everyone (`*=…`). Such a plan has no declared version."""
    for override in overrides:
        name, equals, slug = override.partition("=")
        if equals and slug and name == "*":
            plan = msgspec.structs.replace(
                plan,
                models={
                    each: msgspec.structs.replace(model, slug=slug, via=None, fallback=())
                    for each, model in plan.models.items()
                },
            )
        elif equals and slug and name in (*plan.agents, *plan.judges, *plan.decisions):
            plan = _with_model(plan, name, slug)
        else:
            raise WrongUse(f"--model {override}: {_which_model(plan, name)}")
    # What runs is no longer what the file declares under its version.
    return msgspec.structs.replace(plan, version=None) if overrides else plan


def _which_model(plan: Plan, name: str) -> str:
    known = [*plan.agents, *(judge.name for judge in plan.judges.values() if judge.models), *plan.decisions]
    near = None if name in known else closest(name, known)
    meant = f"; did you mean `{near}`?" if near else ""
    return f"write AGENT=SLUG with one of: {', '.join(known) or 'none'}{meant}"


def _with_model(plan: Plan, name: str, slug: str) -> Plan:
    agents, judges, decisions = dict(plan.agents), dict(plan.judges), dict(plan.decisions)
    decides = name in decisions or (name in judges and judges[name].form == "decide")
    models = dict(plan.models)
    models.setdefault(slug, ModelPlan(name=slug, slug=slug, kind="decision" if decides else "chat"))
    if name in agents:
        agents[name] = msgspec.structs.replace(agents[name], model=slug)
    elif name in judges:
        if not judges[name].models:
            raise WrongUse(f"--model {name}={slug}: {name} is a code judge, which asks no model")
        judges[name] = msgspec.structs.replace(judges[name], model=slug, jury=())
    else:
        decisions[name] = msgspec.structs.replace(decisions[name], model=slug)
    return msgspec.structs.replace(plan, agents=agents, judges=judges, decisions=decisions, models=models)


def limits_of(plan: Plan, arguments: argparse.Namespace) -> Limits:
    limits = Limits(plan.limits, Ledger())
    if arguments.max_cost is not None:
        limits.tighten("cost", amount_of("--max-cost", arguments.max_cost))
    if arguments.timeout is not None:
        limits.tighten("time", Decimal(str(duration_of("--timeout", arguments.timeout))))
    return limits


def amount_of(option: str, text: str) -> Decimal:
    """US dollars. Raises `WrongUse`."""
    amount = exact_number(text.strip().removeprefix("$"))
    if amount is None or amount < 0:
        raise WrongUse(f"{option} {text}: write an amount in US dollars such as 0.50")
    return Decimal(text.strip().removeprefix("$"))


def duration_of(option: str, text: str) -> float:
    seconds = seconds_of(text)
    if seconds is None:
        raise WrongUse(f"{option} {text}: write a time such as 500ms, 30s, 5m or 2h")
    return seconds


def whole_thread(path: Path, typed: str | None, tenant: str) -> str | None:
    """The thread that the beginning of an id means: screens show no more of it."""
    if typed is None:
        return None
    try:
        with Store.read(path) as store:
            return find_thread(store, typed, tenant=tenant)
    except NoStoreError:
        raise UnknownThreadError(f"there is no thread {typed}: nothing has run yet") from None
    except NoThreadError as error:
        raise UnknownThreadError(error.message) from None
    except AmbiguousThreadError as error:
        raise WrongUse(f"--thread {error.message}") from None


async def _run(
    program: Program,
    arguments: argparse.Namespace,
    given: Any,
    screen: Screen,
    replies: Replies,
    replay_of: str | None,
) -> Result:
    if arguments.no_store and arguments.thread:
        raise WrongUse("--thread needs the store: leave --no-store out")
    thread = whole_thread(store_file(), arguments.thread, arguments.tenant)
    limits, grace = limits_of(program.plan, arguments), duration_of("--grace", arguments.grace)
    async with opened(program, arguments, replies) as session:
        return await interruptible(
            lambda started: session.run(
                given,
                flow=arguments.flow,
                thread=thread,
                tenant=arguments.tenant,
                hooks=screen.hooks(session.plan.workflow, limits.cost),
                approver=ask_on_terminal(),
                limits=limits,
                capture=arguments.capture,
                started=started,
                replay_of=replay_of,
            ),
            grace,
        )
