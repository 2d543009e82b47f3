"""Runs `jrun eval`: scores past runs, or takes a suite's cases through its flow."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Sequence
from pathlib import Path

import attrs
import trio

from ...dsl.plan import SuitePlan, UsePlan
from ..evaluate.cases import Case, broken_cases
from ..evaluate.checks import Checks
from ..evaluate.forecast import Bench, forecast, render_forecast
from ..evaluate.inputs import fitting
from ..evaluate.judges import Chosen, choose_judge
from ..evaluate.render import counted, render_eval, render_suite
from ..evaluate.suites import CaseResult, SuiteReport, SuiteRun, run_suite
from ..evaluate.terns import EvalReport, TernQuery, eval_terns, waiting_runs
from ..evaluate.versions import check_version
from ..flow.profiles import with_profile
from ..program import Program, Session
from ..report.junit import Case as JUnitCase
from ..store.terns import Store
from .evaluating import (
    annotate,
    cases_of,
    evaluating,
    exit_of,
    limited,
    loaded,
    pace_of,
    refuse,
    show,
    stoppable,
    tell_faults,
    write_junit,
)
from .run_flow import answering
from .store_file import store_file
from .wrong_use import WrongUse

MOST_RUNS = 100


def run_eval(arguments: argparse.Namespace) -> int:
    """The handler of `jrun eval`."""
    return answering(lambda: _run_eval(arguments))


def _run_eval(arguments: argparse.Namespace) -> int:
    program = loaded(arguments.file)
    if arguments.suite is None and arguments.cases is None:
        of_cases = ("profile", "flow", "repeat", "strict")
        refuse(arguments, of_cases, f"goes with --suite NAME or --cases FILE: {_suites(program)}")
        chosen = choose_judge(program.plan, arguments.judge)
        if arguments.dry_run:
            return _forecast_runs(program, chosen, arguments)
        return trio.run(_terns, program, chosen, arguments)
    refuse(arguments, ["version"], "is of past runs, and goes with neither --suite nor --cases")
    if arguments.suite is not None:
        refuse(arguments, ["flow"], "goes with --cases FILE alone: a suite says its flow")
    suite = (
        _without_name(program, arguments) if arguments.suite is None else suite_of(program, arguments.suite)
    )
    return trio.run(_suite, program, suite, arguments)


def _without_name(program: Program, arguments: argparse.Namespace) -> SuitePlan:
    """Cases that belong to no suite of the file: a judge alone checks them."""
    return SuitePlan(
        name=Path(arguments.cases).name,
        flow=program.flow_name(arguments.flow),
        description=None,
        cases=arguments.cases,
        checks=(),
        limits=(),
        labels=None,
        cascade="all",
    )


def suite_of(program: Program, name: str) -> SuitePlan:
    if name not in program.plan.suites:
        raise WrongUse(f"there is no suite `{name}`; {_suites(program)}")
    return program.plan.suites[name]


def _suites(program: Program) -> str:
    names = ", ".join(program.plan.suites)
    return f"the file declares {names}" if names else "the file declares none"


# --- past runs ----------------------------------------------------------------------------------------------


def _forecast_runs(program: Program, chosen: Chosen, arguments: argparse.Namespace) -> int:
    waiting = 0
    query = _query(arguments)
    if store_file().exists():
        with Store.read(store_file()) as store:
            check_version(store, query.version, query.tenant, program.plan.workflow, program.versions)
            waiting = len(waiting_runs(store, query, program.plan.workflow, chosen.key))
    bench = Bench(plan=chosen.extend(program.plan), uses=(chosen.use,))
    title = f"{program.plan.workflow}  {counted(waiting, 'run')} would be judged by {chosen.shown}"
    found = forecast((), None, waiting, [bench])
    show(found, render_forecast(found, title), arguments)
    return 0


def _query(arguments: argparse.Namespace) -> TernQuery:
    return TernQuery(tenant=arguments.tenant, version=arguments.version, limit=arguments.limit or MOST_RUNS)


async def _terns(program: Program, chosen: Chosen, arguments: argparse.Namespace) -> int:
    query = _query(arguments)
    async with evaluating(program, arguments, extend=chosen.extend) as session:
        pace = pace_of(session, arguments, None)
        report = await stoppable(
            pace, lambda: eval_terns(session, chosen.use, chosen.key, chosen.shown, pace, query)
        )
    show(report, render_eval(report), arguments)
    if not report.versions and program.plan.suites and not arguments.quiet:
        print(f"for the cases of a suite: --suite NAME; {_suites(program)}", file=sys.stderr)
    write_junit(arguments.junit, f"eval {report.workflow}", _junit_of_runs(report))
    return exit_of(arguments, means=[report.mean], stopped=report.stopped, incomplete=bool(report.causes))


def _junit_of_runs(report: EvalReport) -> Sequence[JUnitCase]:
    return [
        JUnitCase(
            report.judge,
            each.run,
            0.0,
            failure=each.result.reason or "failed" if each.result.passed is False else None,
            error=each.result.error or "unreadable" if each.result.passed is None else None,
        )
        for each in report.scored
    ]


# --- suites -------------------------------------------------------------------------------------------------


async def _suite(program: Program, suite: SuitePlan, arguments: argparse.Namespace) -> int:
    chosen, uses = _checks_of(program, suite, arguments.judge)
    path = Path(arguments.cases) if arguments.cases else program.root / suite.cases
    file = cases_of(path, arguments)
    if arguments.dry_run:
        plan = with_profile(program.plan, arguments.profile)
        count = len(limited(file.cases, arguments.limit)) * arguments.repeat
        bench = Bench(plan=chosen.extend(plan) if chosen is not None else plan, uses=uses)
        found = forecast([(arguments.profile or "base", plan)], suite.flow, count, [bench])
        show(found, render_forecast(found, f"{program.plan.workflow}  suite {suite.name}"), arguments)
        return 0
    extend = chosen.extend if chosen is not None else None
    async with evaluating(program, arguments, profile=arguments.profile, extend=extend) as session:
        run = _fitting(session, suite, file.name, limited(file.cases, arguments.limit), arguments)
        run = attrs.evolve(run, faults=(*file.faults, *run.faults))
        tell_faults(run.faults)
        pace = pace_of(session, arguments, arguments.suite)
        checks = Checks(session, uses, pace.account, suite.cascade)
        report = await stoppable(pace, lambda: run_suite(session, run, checks, pace))
    show(report, render_suite(report), arguments)
    write_junit(arguments.junit, f"suite {report.suite}", junit_of_cases(report))
    for case in report.cases:
        if case.state != "passed":
            annotate(report.file, case.line, f"{report.suite}: {case.id} {case.state}", case.cause or "")
    return exit_of(
        arguments,
        means=[report.mean.value],
        stopped=report.stopped,
        incomplete=report.missing > 0 or (report.mean.value is None and report.stopped is None),
        # With a bar the mean decides.
        failed=arguments.fail_under is None and report.failed > 0,
    )


def _checks_of(
    program: Program, suite: SuitePlan, judge: str | None
) -> tuple[Chosen | None, Sequence[UsePlan]]:
    """A suite's own checks; without any, or where a judge is named, that judge."""
    if suite.checks and judge is None:
        return None, suite.checks
    chosen = choose_judge(program.plan, judge)
    return chosen, (chosen.use,)


def _fitting(
    session: Session, suite: SuitePlan, name: str, cases: Sequence[Case], arguments: argparse.Namespace
) -> SuiteRun:
    kept, faults = fitting(session, suite.flow, cases, name, suite.checks)
    if faults and (arguments.strict or not kept):
        raise broken_cases(faults)
    return SuiteRun(
        name=suite.name,
        file=name,
        flow=suite.flow,
        cases=kept,
        faults=faults,
        limits=suite.limits,
        repeats=arguments.repeat,
        tenant=arguments.tenant,
    )


def junit_of_cases(report: SuiteReport) -> Sequence[JUnitCase]:
    return [
        JUnitCase(
            report.suite,
            _junit_name(case),
            case.seconds,
            failure=case.cause or "failed" if case.state == "failed" else None,
            error=case.cause or "no result" if case.state == "no result" else None,
        )
        for case in report.cases
    ]


def _junit_name(case: CaseResult) -> str:
    return case.id if not case.repeat else f"{case.id} #{case.repeat + 1}"
