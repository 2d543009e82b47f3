"""Runs a file from the command line: input, live view, signals, answer and exit code."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Callable, Sequence
from decimal import Decimal
from pathlib import Path
from typing import Any, TextIO

import attrs
import msgspec
import trio

from ...dsl.plan import ModelPlan, Plan
from ...dsl.suggest import closest
from ..expr import to_json
from ..flow.profiles import with_profile
from ..judge.errors import ConfigurationError, JudgeflowError, NotResumableError, UnknownThreadError
from ..judge.reading import exact_number
from ..program import CheckError, Program, Result, Session, load
from ..report.exit_codes import ANSWERED, FILE_ERRORS, INTERRUPTED, WRONG_USE, exit_code
from ..report.live import LiveView
from ..report.text import memory_line
from ..run import Ledger, Limits, events
from ..store.errors import AmbiguousThreadError, NoStoreError, NoThreadError, StoreError
from ..store.terns import Store
from ..store.threads import find_thread
from .answers_only import answers_only
from .dry_run import print_dry_run
from .durations import seconds_of
from .interrupt import interruptible
from .person import ask_on_terminal
from .replies import kept_replies
from .run_input import input_of
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


def _how_to_go_on(result: Result, arguments: argparse.Namespace) -> str:
    if result.record.file is None:
        return "no record of it was kept (--no-store), so it cannot be gone on with"
    models = "".join(f" --model '{override}'" for override in arguments.model)
    cache = " --cache" if arguments.cache else ""
    return f"go on with: jrun resume {result.record.id[:8]}{models}{cache}"


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
        result = trio.run(_run, program, arguments, given, out, replay_of)
    print_result(result, arguments, out)
    told(result)
    return exit_code(result.record)


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
    program: Program, arguments: argparse.Namespace, given: Any, out: TextIO, replay_of: str | None
) -> Result:
    path = store_file()
    if arguments.no_store and arguments.thread:
        raise WrongUse("--thread needs the store: leave --no-store out")
    thread = whole_thread(path, arguments.thread, arguments.tenant)
    limits, grace = limits_of(program.plan, arguments), duration_of("--grace", arguments.grace)
    with kept_replies(arguments) as replies:
        async with program.opened(
            profile=arguments.profile,
            store=None if arguments.no_store else path,
            accounts=path,
            grace=0.5,
            cache=replies.cache,
            recorder=replies.recorder,
        ) as session:
            return await interruptible(
                lambda started: session.run(
                    given,
                    flow=arguments.flow,
                    thread=thread,
                    tenant=arguments.tenant,
                    hooks=hooks_of(arguments, session, out),
                    approver=ask_on_terminal(),
                    limits=limits,
                    capture=arguments.capture,
                    started=started,
                    replay_of=replay_of,
                ),
                grace,
            )


def hooks_of(arguments: argparse.Namespace, session: Session, out: TextIO) -> list[events.Hook]:
    hooks: list[events.Hook] = []
    if arguments.events:
        hooks.append(lambda event: print(msgspec.json.encode(event).decode(), file=out, flush=True))
    if not arguments.quiet:
        terminal = sys.stderr.isatty()
        hooks.append(
            LiveView(
                sys.stderr,
                live=terminal and os.environ.get("TERM") != "dumb",
                colour=terminal and not os.environ.get("NO_COLOR"),
                workflow=session.plan.workflow,
                allowed=limits_of(session.plan, arguments).cost,
            )
        )
    return hooks


def print_result(result: Result, arguments: argparse.Namespace, out: TextIO) -> None:
    if arguments.json:
        print(msgspec.json.encode(result.record).decode(), file=out)
    elif result.answer is not None and not arguments.events:
        print(result.answer if isinstance(result.answer, str) else to_json(result.answer), file=out)
    out.flush()
    for step in result.record.steps:
        if step.kind == "memory" and not arguments.quiet:
            print(f"memory: {memory_line(step.answer, step.reason)}", file=sys.stderr)
    if arguments.quiet and result.status != "answered":
        print(f"{result.status}: {result.record.reason}", file=sys.stderr)
    if result.status in ("paused", "cancelled") and not arguments.quiet:
        print(_how_to_go_on(result, arguments), file=sys.stderr)
    print(f"thread: {result.thread}", file=sys.stderr)
