"""Goes on with a run from the command line: which one, with which program, and with whose answer."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any

import attrs
import trio

from ..expr import to_json
from ..flow.frame import Approver
from ..program import Program, Result, load
from ..report.exit_codes import exit_code
from ..resume import check_resumable
from ..store.records import StepRecord, Tern
from .answers_only import answers_only
from .interrupt import interruptible
from .person import ask_on_terminal
from .replies import kept_replies
from .run_flow import (
    answering,
    duration_of,
    limits_of,
    with_models,
)
from .screen import Screen
from .store_file import store_file, stored_run
from .wrong_use import WrongUse


def resume_run(arguments: argparse.Namespace) -> int:
    """The handler of `jrun resume`."""
    return answering(lambda: _resume(arguments))


def _resume(arguments: argparse.Namespace) -> int:
    tern = stored_run(arguments.run, arguments.tenant)
    check_resumable(tern)
    program = _program(tern, arguments.file)
    program = attrs.evolve(program, plan=with_models(program.plan, arguments.model))
    with answers_only() as out:
        screen = Screen(arguments, out)
        result = trio.run(_go_on, program, tern, store_file(), arguments, screen)
    screen.result(result)
    return exit_code(result.record)


def _program(tern: Tern, moved: str | None) -> Program:
    file = moved or tern.file
    if file is None:
        raise WrongUse(f"run {tern.id} does not say where its program stands: give it with --file")
    try:
        return load(file)
    except OSError as error:
        raise WrongUse(f"{file}: {error.strerror or error}; if it was moved, give it with --file") from None


async def _go_on(
    program: Program, tern: Tern, path: Path, arguments: argparse.Namespace, screen: Screen
) -> Result:
    limits, grace = limits_of(program.plan, arguments), duration_of("--grace", arguments.grace)
    approver = answer_of(tern, arguments.answer)
    with kept_replies(arguments) as replies:
        async with program.opened(
            profile=tern.profile, store=path, grace=0.5, cache=replies.cache
        ) as session:
            return await interruptible(
                lambda started: session.resume(
                    tern.id,
                    tenant=arguments.tenant,
                    hooks=screen.hooks(session.plan.workflow, limits.cost),
                    approver=approver,
                    limits=limits,
                    capture=arguments.capture,
                    started=started,
                ),
                grace,
            )


def answer_of(tern: Tern, answer: bool | None) -> Approver | None:
    """`--yes` and `--no` answer the one question that the run waits with, as it was shown; whatever is asked after it
    has been shown to nobody yet."""
    if answer is None:
        return ask_on_terminal()
    waiting = [step for step in tern.steps if step.kind == "approve" and step.status == "paused"]
    if len(waiting) != 1:
        raise WrongUse(_which(tern, waiting))
    shown = waiting[0].approval
    assert shown is not None

    async def approve(question: str, showing: Any) -> bool | None:
        same = (question, to_json(showing)) == (shown.question, to_json(shown.showing))
        return answer if same else None

    return approve


def _which(tern: Tern, waiting: list[StepRecord]) -> str:
    if not waiting:
        return f"run {tern.id} waits for no answer: leave --yes and --no out"
    questions = ", ".join(f'"{step.approval.question}"' for step in waiting if step.approval is not None)
    return f"run {tern.id} waits for several answers ({questions}): resume it on a terminal"
