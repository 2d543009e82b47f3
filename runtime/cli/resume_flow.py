"""Goes on with a run from the command line: which one, with which program, and with whose answer."""

from __future__ import annotations

import argparse
from pathlib import Path

import attrs
import trio

from ..program import Program, Result, load
from ..report.exit_codes import exit_code
from ..resume import check_resumable
from ..store.records import Tern
from .answers import approver_of
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
    given = arguments.answer is not None or arguments.answers
    approver = approver_of(tern, arguments.answer, arguments.answers) if given else ask_on_terminal()
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
