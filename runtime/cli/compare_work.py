"""Runs `jrun compare`."""

from __future__ import annotations

import argparse
from collections.abc import Callable, Sequence
from contextlib import AsyncExitStack
from pathlib import Path

import attrs
import trio

from ...dsl.plan import Plan, SuitePlan, UsePlan
from ..evaluate.cases import Case, CaseFile, broken_cases, content_name
from ..evaluate.checks import Checks, told_apart
from ..evaluate.compare import CompareReport, Side, compare
from ..evaluate.forecast import Bench, forecast, render_forecast
from ..evaluate.inputs import fitting
from ..evaluate.judges import choose_judge
from ..evaluate.measure import PREFERS, added_name, decision_model, with_judge
from ..evaluate.pairwise import Pairwise
from ..evaluate.render_comparison import render_comparison
from ..evaluate.suites import SuiteRun
from ..flow.profiles import with_profile
from ..program import Program, Session
from ..report.junit import Case as JUnitCase
from ..store.query import TernFilter
from ..store.terns import Store
from ..store.writer import StoreWriter
from .eval_work import suite_of
from .evaluating import (
    cases_of,
    evaluated,
    exit_of,
    kept,
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
from .wrong_use import WrongUse

BASE = "base"


@attrs.frozen(kw_only=True)
class _Judging:
    """Who checks all sides, and how the first program has to be extended for it."""

    uses: Sequence[UsePlan]
    cascade: str
    prefers: str | None
    shown: str
    extend: Callable[[Plan], Plan]


def run_compare(arguments: argparse.Namespace) -> int:
    """The handler of `jrun compare`."""
    return answering(lambda: _run_compare(arguments))


def _run_compare(arguments: argparse.Namespace) -> int:
    programs = [loaded(file) for file in arguments.files]
    named = _sides(programs, arguments)
    suite = suite_of(programs[0], arguments.suite) if arguments.suite is not None else None
    if suite is not None:
        refuse(arguments, ["flow"], "goes with --cases FILE or --last N: a suite says its flow")
    judging = _judging(programs[0].plan, suite, arguments)
    if arguments.dry_run:
        return _forecast(named, suite, judging, arguments)
    return trio.run(_compare, named, suite, judging, arguments)


def _sides(
    programs: Sequence[Program], arguments: argparse.Namespace
) -> list[tuple[str, Program, str | None]]:
    """Each side's name, program and profile: profiles of one file, or files."""
    if arguments.profiles is not None and len(programs) > 1:
        raise WrongUse("--profiles are those of one file; compare files without it")
    if arguments.profiles is None:
        if len(programs) < 2:
            known = ", ".join(programs[0].plan.profiles) or "none"
            raise WrongUse(f"name two files, or --profiles {BASE},…; the file has profiles: {known}")
        names = _short_names(programs)
        return [(name, program, None) for name, program in zip(names, programs, strict=True)]
    names = [name.strip() for name in arguments.profiles.split(",")]
    choices = (BASE, *programs[0].plan.profiles)
    unknown = [name for name in names if name not in choices]
    if unknown or len(names) < 2 or len(set(names)) < len(names):
        raise WrongUse(
            f"--profiles {arguments.profiles}: name two or more different ones of {', '.join(choices)}"
        )
    return [(name, programs[0], None if name == BASE else name) for name in names]


def _short_names(programs: Sequence[Program]) -> list[str]:
    """Names that are all different: results are kept by them, and one file may stand on both sides to see what
    chance alone does."""
    stems = [program.path.stem for program in programs]
    names = stems if len(set(stems)) == len(stems) else [str(program.path) for program in programs]
    return told_apart(names)


def _judging(plan: Plan, suite: SuitePlan | None, arguments: argparse.Namespace) -> _Judging:
    uses: Sequence[UsePlan] = suite.checks if suite is not None else ()
    extends: list[Callable[[Plan], Plan]] = []
    if not uses or arguments.judge is not None:
        chosen = choose_judge(plan, arguments.judge)
        uses = (chosen.use,)
        extends.append(chosen.extend)
    prefers, shown = None, ""
    if arguments.pairwise is not None:
        model = decision_model(plan, arguments.pairwise)
        prefers, shown = added_name(plan, PREFERS), model.slug
        extends.append(lambda found: with_judge(found, PREFERS, model))

    def extend(found: Plan) -> Plan:
        for each in extends:
            found = each(found)
        return found

    return _Judging(
        uses=uses,
        cascade=suite.cascade if suite is not None else "all",
        prefers=prefers,
        shown=shown,
        extend=extend,
    )


def _forecast(
    named: Sequence[tuple[str, Program, str | None]],
    suite: SuitePlan | None,
    judging: _Judging,
    arguments: argparse.Namespace,
) -> int:
    first = named[0][1]
    flow = suite.flow if suite is not None else first.flow_name(arguments.flow)
    if arguments.last is not None:
        cases = arguments.last
    else:
        path = Path(arguments.cases) if suite is None else first.root / suite.cases
        cases = len(limited(cases_of(path, arguments).cases, arguments.limit))
    plan = judging.extend(first.plan)
    benches = [Bench(plan=plan, uses=judging.uses, times=len(named))]
    if judging.prefers is not None:
        benches.append(Bench(plan=plan, uses=(UsePlan(judging.prefers),), times=2 * (len(named) - 1)))
    sides = [(name, with_profile(program.plan, profile)) for name, program, profile in named]
    found = forecast(sides, flow, cases * arguments.repeat, benches)
    show(
        found,
        render_forecast(found, f"{first.plan.workflow}  {', '.join(name for name, _, _ in named)}"),
        arguments,
    )
    return 0


async def _compare(
    named: Sequence[tuple[str, Program, str | None]],
    suite: SuitePlan | None,
    judging: _Judging,
    arguments: argparse.Namespace,
) -> int:
    first = named[0][1]
    async with AsyncExitStack() as stack:
        # The judges are those of the first file, whatever a side's profile makes of its own.
        cache = stack.enter_context(kept(arguments))
        bench = await stack.enter_async_context(evaluated(first, cache, extend=judging.extend))
        sides = [
            Side(
                name,
                await stack.enter_async_context(evaluated(program, cache, profile=profile)),
            )
            for name, program, profile in named
        ]
        run = await _cases(bench, sides, first, suite, arguments)
        tell_faults(run.faults)
        pace = pace_of(bench, arguments, suite.name if suite is not None else None)
        checks = Checks(bench, judging.uses, pace.account, "stop" if judging.cascade == "stop" else "all")
        pairwise = None
        if judging.prefers is not None:
            use = UsePlan(judging.prefers)
            pairwise = Pairwise(Checks(bench, (use,), pace.account), use)
        report = await stoppable(pace, lambda: compare(sides, run, checks, pace, pairwise, judging.shown))
    show(report, render_comparison(report), arguments)
    write_junit(arguments.junit, f"compare {report.workflow}", _junit(report))
    return exit_of(
        arguments,
        means=[side.mean.value for side in report.sides[1:]],
        stopped=report.stopped,
        incomplete=any(side.missing for side in report.sides)
        or any(each.pairwise is not None and each.pairwise.no_choice for each in report.against),
    )


async def _cases(
    bench: Session,
    sides: Sequence[Side],
    first: Program,
    suite: SuitePlan | None,
    arguments: argparse.Namespace,
) -> SuiteRun:
    """The cases that every side can take."""
    flow = suite.flow if suite is not None else first.flow_name(arguments.flow)
    if arguments.last is not None:
        file = await _last_tasks(bench, flow, arguments)
    else:
        file = cases_of(Path(arguments.cases) if suite is None else first.root / suite.cases, arguments)
    kept: Sequence[Case] = limited(file.cases, arguments.limit)
    faults = list(file.faults)
    for side in sides:
        if flow not in side.session.plan.flows:
            raise WrongUse(f"{side.name} has no flow `{flow}`")
        uses = suite.checks if suite is not None else ()
        kept, wrong = fitting(side.session, flow, kept, file.name, uses)
        faults += wrong
    if faults and (arguments.strict or not kept):
        raise broken_cases(faults)
    return SuiteRun(
        name=suite.name if suite is not None else "",
        file=file.name,
        flow=flow,
        cases=kept,
        faults=faults,
        limits=suite.limits if suite is not None else (),
        repeats=arguments.repeat,
        tenant=arguments.tenant,
    )


async def _last_tasks(bench: Session, flow: str, arguments: argparse.Namespace) -> CaseFile:
    """The last different tasks that were answered, oldest first; replays and evaluations' own runs are none."""
    writer = bench.writer
    assert isinstance(writer, StoreWriter)

    def read(store: Store) -> list[Case]:
        query = TernFilter(tenant=arguments.tenant, flow=flow, status="answered")
        found: dict[str, Case] = {}
        for head in store.list_terns(query):
            name = content_name(head.task)
            own = head.workflow == bench.plan.workflow and head.replay_of is None and head.evaluation is None
            if own and name not in found:
                found[name] = Case(id=name, input=head.task)
            if len(found) == arguments.last:
                break
        return [*found.values()][::-1]

    cases = await writer.read(read)
    if not cases:
        raise WrongUse(f"no answered run of {flow} to take tasks from; give --cases or --suite")
    return CaseFile("past runs", tuple(cases))


def _junit(report: CompareReport) -> Sequence[JUnitCase]:
    return [
        JUnitCase(
            side.name,
            case.id if not case.repeat else f"{case.id} #{case.repeat + 1}",
            case.seconds,
            failure=case.cause or "failed" if case.state == "failed" else None,
            error=case.cause or "no result" if case.state == "no result" else None,
        )
        for side in report.sides
        for case in side.cases
    ]
