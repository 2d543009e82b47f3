"""What `jrun eval` shows: tables, and sentences that say what a number is worth."""

from __future__ import annotations

from collections.abc import Iterable

from ..report.text import columns, cost_of, one_line
from ..store.canonical import short_hash
from ..store.money import ZERO, Cost
from .document import Document, Lines, Table
from .results import Cause
from .statistics import ENOUGH, Interval, Kappa, Mean
from .suites import CaseResult, SuiteReport
from .terns import EvalReport, VersionRow

WIDTH = 110
_SHOWN_NAMES = 3
_MARKS = {"passed": "✔", "failed": "✖", "no result": "?"}


def number(value: float | None) -> str:
    return "–" if value is None else f"{value:.3f}"


def signed(value: float | None) -> str:
    return "–" if value is None else f"{value:+.3f}"


def span(interval: Interval | None, *, sign: bool = False) -> str:
    if interval is None:
        return "–"
    show = signed if sign else number
    return f"{show(interval.low)} … {show(interval.high)}"


def too_few(n: int, what: str = "case") -> str:
    return f"too few to tell: {counted(n, what)}; below {ENOUGH} an interval promises too much"


def counted(n: int, one: str, many: str | None = None) -> str:
    return f"{n:,} {one if n == 1 else many or one + 's'}"


def cause_lines(causes: Iterable[Cause]) -> list[str]:
    lines = []
    for cause in causes:
        cases = tuple(dict.fromkeys(cause.cases))  # one that is repeated may have no result each time
        names = ", ".join(cases[:_SHOWN_NAMES])
        more = f" and {len(cases) - _SHOWN_NAMES} more" if len(cases) > _SHOWN_NAMES else ""
        lines.append(f"  {cause.count} × {one_line(cause.cause, WIDTH)}  ({names}{more})")
    return lines


def stopped_lines(stopped: str | None, left: str) -> list[str]:
    return [] if stopped is None else [f"{stopped}; {left}"]


def paid(what: str, cost: Cost, account: str) -> list[str]:
    if cost.total == ZERO:
        return []
    return [f"{what} cost {cost_of(cost)}, paid by {account}"]


def jury_lines(juries: Iterable[tuple[str, Kappa]]) -> list[str]:
    lines = []
    for name, kappa in juries:
        said = f"Fleiss' kappa {kappa.value:.2f}" if kappa.value is not None else f"no kappa ({kappa.reason})"
        lines.append(f"jury {name}: {said}")
    return lines


# --- runs of the store --------------------------------------------------------------------------------------


def render_eval(report: EvalReport) -> Document:
    title = f"{report.workflow}  judged by {report.judge}"
    if not report.versions:
        return Document(title, [Lines(["no answered runs to judge"])])
    headings = ("version", "prompts", "terns", "scored", "mean", "95 % interval", "unreadable", "cost")
    few = [row for row in report.versions if not row.mean.enough and row.scored]
    lines = [
        _judged(report),
        *cause_lines(report.causes),
        *stopped_lines(report.stopped, "what is scored is kept"),
        *jury_lines(report.juries),
        *([too_few(min(row.tasks for row in few), "different task")] if few else []),
        *paid("judging", report.cost, report.account),
    ]
    return Document(
        title, [Table(headings, [_version_cells(row) for row in report.versions], 2), Lines(lines)]
    )


def _version_cells(row: VersionRow) -> tuple[str, ...]:
    return (
        row.version or "–",
        short_hash(row.prompt) if row.prompt else "–",
        str(row.terns),
        str(row.scored),
        number(row.mean.value),
        span(row.mean.interval),
        str(row.unreadable),
        cost_of(row.cost),
    )


def _judged(report: EvalReport) -> str:
    now = sum(each.result.score is not None for each in report.scored)
    rest = f"; {counted(report.unscored, 'run')} without a score" if report.unscored else ""
    return f"{now:,} scored now{rest}"


# --- suites -------------------------------------------------------------------------------------------------


def render_suite(report: SuiteReport) -> Document:
    version = f"  version {report.versions.workflow}" if report.versions.workflow else ""
    profile = f"  profile {report.profile}" if report.profile else ""
    troubled = [case_line(report.file, case) for case in report.cases if case.state != "passed"]
    rows = [(name, number(mean.value), span(mean.interval), str(mean.n)) for name, mean in report.checks]
    lines = [
        _summary(report),
        *cause_lines(report.causes),
        *stopped_lines(report.stopped, f"{counted(report.left, 'case')} not begun"),
        *jury_lines(report.juries),
        *mean_lines(report.mean),
        *paid("running", report.cost, report.account),
        *paid("checking", report.checking, report.account),
    ]
    return Document(
        f"{report.workflow}  suite {report.suite}{version}{profile}",
        [
            Lines([*(f"skipped: {fault}" for fault in report.faults), *troubled]),
            Table(("check", "passed", "95 % interval", "cases"), rows),
            Lines(lines),
        ],
    )


def case_line(file: str, case: CaseResult) -> str:
    place = f"{file}:{case.line}  " if case.line else ""
    head = f"{_MARKS[case.state]} {case.id}  {place}"
    return head + one_line(case.cause or "", max(WIDTH - columns(head), 40))


def mean_lines(mean: Mean) -> list[str]:
    if mean.value is None:
        return ["mean –: nothing could be graded"]
    line = f"mean {number(mean.value)}, 95 % interval {span(mean.interval)}, of {counted(mean.n, 'case')}"
    return [line] if mean.enough else [line, too_few(mean.n)]


def _summary(report: SuiteReport) -> str:
    missing = f", {report.missing} without a result" if report.missing else ""
    times = 1 + max((case.repeat for case in report.cases), default=0)
    repeated = f"; each case was run {times} times" if times > 1 else ""
    return f"{report.passed} passed, {report.failed} failed{missing}{repeated}"
