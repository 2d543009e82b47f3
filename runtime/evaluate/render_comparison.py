"""What `jrun compare` shows: the sides beside each other, each against the first, and what differs between them."""

from __future__ import annotations

from ..report.text import cost_of, dollars
from .compare import Against, CompareReport, SideReport
from .document import Document, Lines, Table
from .pairwise import PairwiseReport
from .render import cause_lines, counted, number, paid, span, stopped_lines
from .render_pairs import p_value, paired_lines, verdict_on


def render_comparison(report: CompareReport) -> Document:
    names = ", ".join(side.name for side in report.sides)
    by = ", ".join(report.checks)
    title = (
        f"{report.workflow}  {names} over {counted(report.cases, 'case')} of {report.file}  checked by {by}"
    )
    headings = ("side", "mean", "95 % interval", "passed", "failed", "no result")
    money = ("cost", "per task", "p50", "p95")
    blocks: list[Table | Lines] = [
        Lines([f"skipped: {fault}" for fault in report.faults]),
        Table((*headings, *money), [_side(side) for side in report.sides]),
    ]
    blocks += [Lines(_against(report.sides[0].name, each)) for each in report.against]
    blocks.append(Lines(_at_once(len(report.against))))
    for side in report.sides:
        if side.causes:
            blocks.append(Lines([f"{side.name}: no result", *cause_lines(side.causes)]))
    blocks.append(
        Lines(
            [
                *stopped_lines(report.stopped, f"{counted(report.left, 'case')} not begun"),
                *paid("checking", report.checking, report.account),
            ]
        )
    )
    return Document(title, blocks)


def _at_once(comparisons: int) -> list[str]:
    """Several intervals at once are wrong more often than each of them."""
    if comparisons < 2:
        return []
    chance = 1 - 0.95**comparisons
    return [
        f"{comparisons} comparisons: where nothing differs, one of them looks as if it did {chance:.0%} of the time"
    ]


def _side(side: SideReport) -> tuple[str, ...]:
    return (
        side.name,
        number(side.mean.value),
        span(side.mean.interval),
        str(side.passed),
        str(side.failed),
        str(side.missing),
        cost_of(side.cost),
        dollars(side.cost_per_task),
        _seconds(side.p50),
        _seconds(side.p95),
    )


def _seconds(value: float | None) -> str:
    return "–" if value is None else f"{value:.2f} s"


def _against(first: str, each: Against) -> list[str]:
    found = each.paired
    conclusion = verdict_on(
        found,
        helps=f"{each.name} is better than {first}: the interval is above 0",
        hurts=f"{each.name} is worse than {first}: the interval is below 0",
        unit="case",
    )
    differs = each.differences or ("nothing: both are the same program, what differs is chance",)
    return [
        f"{first} → {each.name}",
        *(f"  {line}" for line in paired_lines(found, "case")),
        *(f"  {line}" for line in (conclusion if found.n else [])),
        *(
            [f"  {counted(each.unpaired, 'case')} left out: a result on one side only"]
            if each.unpaired
            else []
        ),
        *(f"  {line}" for line in (pairwise_lines(each.pairwise, each.name) if each.pairwise else [])),
        *(f"  differs: {line}" for line in differs),
    ]


def pairwise_lines(report: PairwiseReport, name: str) -> list[str]:
    """The wins in both orders, and how far the judge goes by the order."""
    if not report.cases:
        return [f"pairwise by {report.judge}: no case has an answer on both sides"]
    lines = [
        f"pairwise by {report.judge}: {name} wins {report.wins}, loses {report.losses}, ties {report.ties}; "
        f"sign test p {p_value(report.p)}",
        f"shown first wins {number(report.first_shown.value)}, 95 % interval {span(report.first_shown.interval)}; "
        f"both orders agree on {report.consistent}/{report.cases - report.no_choice}",
    ]
    if report.no_choice:
        lines.append(f"{report.no_choice} of the ties are none that the judge chose: it gave no choice there")
    if report.biased:
        lines.append("the judge goes by the order in which it is shown two answers; ties are where it did")
    if report.not_compared:
        lines.append(f"{counted(report.not_compared, 'case')} not compared: an answer is missing")
    lines += cause_lines(report.causes)
    lines.append(f"pairwise judging cost {cost_of(report.cost)}: two calls a case, one in each order")
    return lines
