"""Runs `jrun replay`."""

from __future__ import annotations

import argparse
from collections.abc import Sequence

import trio

from ..evaluate.judges import Chosen, choose_judge
from ..evaluate.render_pairs import render_replay
from ..evaluate.replay import ReplayReport, replay
from ..evaluate.terns import TernQuery
from ..program import Program
from ..report.junit import Case
from .evaluating import evaluating, exit_of, loaded, pace_of, show, stoppable, write_junit
from .run_flow import answering


def run_replay(arguments: argparse.Namespace) -> int:
    """The handler of `jrun replay`."""
    return answering(lambda: _run_replay(arguments))


def _run_replay(arguments: argparse.Namespace) -> int:
    program = loaded(arguments.file)
    return trio.run(_replay, program, choose_judge(program.plan, arguments.judge), arguments)


async def _replay(program: Program, chosen: Chosen, arguments: argparse.Namespace) -> int:
    query = TernQuery(tenant=arguments.tenant, version=arguments.version, limit=arguments.limit)
    async with evaluating(program, arguments, profile=arguments.profile, extend=chosen.extend) as session:
        pace = pace_of(session, arguments, None)
        report = await stoppable(
            pace, lambda: replay(session, chosen.use, chosen.key, chosen.shown, pace, query)
        )
    show(report, render_replay(report), arguments)
    write_junit(arguments.junit, f"replay {report.workflow} {report.version}", _junit(report))
    return exit_of(
        arguments, means=[report.paired.after], stopped=report.stopped, incomplete=bool(report.causes)
    )


def _junit(report: ReplayReport) -> Sequence[Case]:
    return [
        Case(
            report.judge,
            each.original,
            0.0,
            failure=f"{each.before:.3f} → {each.after:.3f}"
            if each.before is not None and each.after is not None and each.after < each.before
            else None,
            error=each.cause,
        )
        for each in report.tasks
    ]
