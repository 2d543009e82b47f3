"""Runs `jrun calibrate`."""

from __future__ import annotations

import argparse
from collections.abc import Sequence
from pathlib import Path

import trio

from ...dsl.plan import Plan
from ..evaluate.calibrate import CalibrationReport, Labelled, calibrate, labelled_cases, labelled_runs
from ..evaluate.cases import broken_cases
from ..evaluate.judges import Chosen, choose_judge
from ..evaluate.measure import with_measurements
from ..evaluate.render_calibration import render_calibration
from ..evaluate.rows import Fault
from ..program import Program, Session
from ..report.junit import Case as JUnitCase
from ..store.writer import StoreWriter
from .eval_work import suite_of
from .evaluating import (
    cases_of,
    evaluating,
    exit_of,
    loaded,
    pace_of,
    refuse,
    show,
    stoppable,
    tell_faults,
    write_junit,
)
from .run_flow import answering
from .wrong_use import WrongUse


def run_calibrate(arguments: argparse.Namespace) -> int:
    """The handler of `jrun calibrate`."""
    return answering(lambda: _run_calibrate(arguments))


def _run_calibrate(arguments: argparse.Namespace) -> int:
    program = loaded(arguments.file)
    _refuse_unused(arguments)
    return trio.run(_calibrate, program, _judge_of(program, arguments), arguments)


def _refuse_unused(arguments: argparse.Namespace) -> None:
    if arguments.labels is None:
        refuse(arguments, ["flow"], "says whose answers a file holds: it goes with --labels FILE")
    if arguments.labels is None and arguments.suite is None:
        refuse(arguments, ["strict"], "is for a file of labels: it goes with --labels FILE or --suite NAME")
    else:
        refuse(arguments, ["version"], "is of past runs, and goes with neither --labels nor --suite")


def _judge_of(program: Program, arguments: argparse.Namespace) -> Chosen:
    """The judge that is meant; one of the suite's checks with the arguments that it has there."""
    if arguments.suite is not None:
        checks = suite_of(program, arguments.suite).checks
        for use in checks:
            if use.judge == arguments.judge and use.args:
                return Chosen(use=use, key=use.judge, shown=use.judge, extend=lambda plan: plan)
    return choose_judge(program.plan, arguments.judge)


async def _calibrate(program: Program, chosen: Chosen, arguments: argparse.Namespace) -> int:
    def extend(plan: Plan) -> Plan:
        return with_measurements(chosen.extend(plan), chosen.use.judge)

    path, flow = _labels_of(program, arguments)
    async with evaluating(program, arguments, profile=arguments.profile, extend=extend) as session:
        labelled, faults, disputed = await _labelled(session, path, flow, arguments)
        tell_faults(faults)
        pace = pace_of(session, arguments, arguments.suite)
        report = await stoppable(
            pace,
            lambda: calibrate(
                session,
                chosen.use,
                chosen.shown,
                labelled[: arguments.limit],
                pace,
                source=path.name if path is not None else "past runs",
                disputed=disputed,
                faults=faults,
            ),
        )
    show(report, render_calibration(report), arguments)
    write_junit(arguments.junit, f"calibrate {report.judge}", _junit(report))
    return exit_of(
        arguments,
        means=[report.agreement.value],
        stopped=report.stopped,
        incomplete=bool(report.causes) or (report.judged == 0 and report.stopped is None),
    )


def _junit(report: CalibrationReport) -> Sequence[JUnitCase]:
    """A test for each label: it fails where the judge sees it otherwise."""
    return [
        JUnitCase(
            report.judge,
            each.id,
            0.0,
            failure=each.result.reason or "it passes" if each in report.disagreements else None,
            error=each.result.error or "unreadable" if each.result.passed is None else None,
        )
        for each in report.items
    ]


def _labels_of(program: Program, arguments: argparse.Namespace) -> tuple[Path | None, str | None]:
    """The file of labels, if they are not those of past runs, and the flow whose answers it holds."""
    suite = suite_of(program, arguments.suite) if arguments.suite is not None else None
    if arguments.labels is not None:
        flow = (
            suite.flow if suite is not None and arguments.flow is None else program.flow_name(arguments.flow)
        )
        return Path(arguments.labels), flow
    if suite is None:
        return None, None
    if suite.labels is None:
        raise WrongUse(f'the suite `{suite.name}` names no labels; write `labels "labels.jsonl"` into it')
    return program.root / suite.labels, suite.flow


async def _labelled(
    session: Session, path: Path | None, flow: str | None, arguments: argparse.Namespace
) -> tuple[Sequence[Labelled], Sequence[Fault], int]:
    if path is not None and flow is not None:
        file = cases_of(path, arguments)
        found, faults = labelled_cases(session, flow, file.cases, file.name)
        every = sorted([*file.faults, *faults], key=lambda fault: fault.line)
        if every and (arguments.strict or not found):
            raise broken_cases(every)
        return found, every, 0
    writer = session.writer
    assert isinstance(writer, StoreWriter)
    runs, disputed = await writer.read(
        lambda store: labelled_runs(session, store, arguments.tenant, arguments.version)
    )
    if not runs:
        raise WrongUse("nobody has labelled a run of it yet: `jrun label` does, or give a file with --labels")
    return runs, (), disputed
