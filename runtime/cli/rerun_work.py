"""Runs a past run's input again from the command line, and says what became of it then and now."""

from __future__ import annotations

import argparse
import sys

from ..program import Result
from ..report.text import cost_of
from ..store.records import Tern
from .run_flow import answering, loaded, start
from .store_file import stored_run
from .wrong_use import WrongUse


def rerun(arguments: argparse.Namespace) -> int:
    """The handler of `jrun rerun`."""
    return answering(lambda: _rerun(arguments))


def _rerun(arguments: argparse.Namespace) -> int:
    before = stored_run(arguments.run, arguments.tenant)
    arguments.file = arguments.file or before.file
    if arguments.file is None:
        raise WrongUse(f"run {before.id} does not say where its program stands: give it with --file")
    program = loaded(arguments)
    arguments.flow, arguments.thread, arguments.no_store = before.flow, None, False
    arguments.profile = arguments.profile or before.profile
    if before.turn > 1 and not arguments.quiet:
        print(
            f"run {before.id[:8]} was turn {before.turn} of its thread; this one sees no earlier turn",
            file=sys.stderr,
        )

    def told(result: Result) -> None:
        if not arguments.quiet:
            print(_compared(before, result.record), file=sys.stderr)

    return start(program, arguments, before.task, replay_of=before.id, told=told)


def _compared(before: Tern, after: Tern) -> str:
    """What is the same and what is not, on one line."""
    changed = (
        "the program has changed" if before.versions.config != after.versions.config else "the same program"
    )
    same = "the same answer" if before.answer == after.answer else "another answer"
    return (
        f"rerun of {before.id[:8]}: {before.status} {cost_of(before.cost)} → {after.status} {cost_of(after.cost)}, "
        f"{same}, {changed}"
    )
