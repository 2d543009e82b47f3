"""Goes on with a run from the command line: which one, with which program, and with whose answer."""

from __future__ import annotations

import argparse
from pathlib import Path
from typing import Any, TextIO

import attrs
import trio

from ..expr import to_json
from ..flow.frame import Approver
from ..program import Program, load
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
    hooks_of,
    limits_of,
    print_result,
    with_models,
)
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
        return trio.run(_go_on, program, tern, store_file(), arguments, out)


def _program(tern: Tern, moved: str | None) -> Program:
    file = moved or tern.file
    if file is None:
        raise WrongUse(f"run {tern.id} does not say where its program stands: give it with --file")
    try:
        return load(file)
    except OSError as error:
        raise WrongUse(f"{file}: {error.strerror or error}; if it was moved, give it with --file") from None


async def _go_on(program: Program, tern: Tern, path: Path, arguments: argparse.Namespace, out: TextIO) -> int:
    limits, grace = limits_of(program.plan, arguments), duration_of("--grace", arguments.grace)
    approver = answer_of(tern, arguments.answer)
    with kept_replies(arguments) as replies:
        async with program.opened(
            profile=tern.profile, store=path, grace=0.5, cache=replies.cache
        ) as session:
            result = await interruptible(
                lambda started: session.resume(
                    tern.id,
                    tenant=arguments.tenant,
                    hooks=hooks_of(arguments, session, out),
                    approver=approver,
                    limits=limits,
                    capture=arguments.capture,
                    started=started,
                ),
                grace,
            )
    print_result(result, arguments, out)
    return exit_code(result.record)


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
