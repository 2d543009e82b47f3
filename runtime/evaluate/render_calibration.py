"""What `jrun calibrate` shows: how far a judge agrees with people, and whether that is worth anything."""

from __future__ import annotations

from ..report.text import one_line
from .calibrate import Bar, CalibrationReport, Confusion, Measure
from .document import Document, Lines, Table
from .render import cause_lines, counted, jury_lines, number, paid, span, stopped_lines, too_few

_SHOWN = 10
_BAR_WIDTH = 20


def render_calibration(report: CalibrationReport) -> Document:
    title = f"{report.workflow}  {report.judge} against people: {counted(report.labelled, 'label')} of {report.source}"
    blocks: list[Table | Lines] = [Lines([f"skipped: {fault}" for fault in report.faults])]
    if report.judged:
        blocks += [_confusion(report.confusion), Lines(_agreement(report))]
        for measure in report.measures:
            blocks += [_sweep(measure), Lines(_best(measure)), _reliability(measure), Lines(_brier(measure))]
        blocks.append(_disagreements(report))
    blocks.append(Lines(_rest(report)))
    return Document(title, blocks)


def _confusion(found: Confusion) -> Table:
    rows = [
        ("people passed", str(found.pass_pass), str(found.pass_fail), str(found.pass_pass + found.pass_fail)),
        ("people failed", str(found.fail_pass), str(found.fail_fail), str(found.fail_pass + found.fail_fail)),
    ]
    return Table(("", "judge passed", "judge failed", "all"), rows)


def _agreement(report: CalibrationReport) -> list[str]:
    found, kappa = report.confusion, report.kappa
    lines = [
        f"agreement {number(report.agreement.value)}, 95 % interval {span(report.agreement.interval)}",
        f"Cohen's kappa {number(kappa.value)}, 95 % interval {span(kappa.interval)}"
        if kappa.value is not None
        else f"Cohen's kappa –: {kappa.reason}",
        f"base rate {number(report.base_rate)}: always saying "
        f"{'pass' if (report.base_rate or 0) >= 0.5 else 'fail'} would agree {number(report.constant)}",
        f"of what people passed it passes {_share(found.pass_pass, found.pass_fail)}, "
        f"of what they failed it fails {_share(found.fail_fail, found.fail_pass)}",
    ]
    return lines + warnings(report)


def _share(hits: int, misses: int) -> str:
    return f"{hits}/{hits + misses}"


def warnings(report: CalibrationReport) -> list[str]:
    """What a high agreement may hide."""
    found = report.confusion
    lines = []
    if found.n and not found.pass_fail + found.fail_fail:
        lines.append("the judge passes everything: it tells nothing apart")
    elif found.n and not found.pass_pass + found.fail_pass:
        lines.append("the judge fails everything: it tells nothing apart")
    elif (
        report.agreement.value is not None
        and report.constant is not None
        and report.agreement.value <= report.constant
    ):
        lines.append("it agrees no better than a judge that always says the same")
    if found.n and report.base_rate in (0.0, 1.0):
        lines.append("people said the same of everything: label some answers of the other kind")
    if not report.agreement.enough:
        lines.append(too_few(report.agreement.n, "label"))
    return lines


def _sweep(measure: Measure) -> Table:
    # Bars between which no label lies are the same judge: the first of them stands for all.
    shown = [
        bar for bar, last in zip(measure.bars, (None, *measure.bars), strict=False) if _differs(bar, last)
    ]
    rows = [
        (
            f"{bar.bar:.2f}{' *' if bar is measure.best and _is_good(bar) else ''}",
            number(bar.agreement),
            number(bar.kappa),
            _share(bar.confusion.pass_pass, bar.confusion.pass_fail),
            _share(bar.confusion.fail_fail, bar.confusion.fail_pass),
        )
        for bar in shown
    ]
    return Table((f"bar on {measure.name}", "agreement", "kappa", "passes good", "fails bad"), rows)


def _differs(bar: Bar, last: Bar | None) -> bool:
    return last is None or bar.confusion != last.confusion


def _is_good(bar: Bar | None) -> bool:
    return bar is not None and (bar.kappa or 0.0) > 0


def _best(measure: Measure) -> list[str]:
    best = measure.best
    if best is None or not _is_good(best):
        return [f"no bar on {measure.name} tells good from bad better than chance"]
    return [f"* the best of these labels; on new answers expect less than kappa {number(best.kappa)}"]


def _reliability(measure: Measure) -> Table:
    rows = [
        (
            f"{each.low:.1f} … {each.high:.1f}",
            f"{'█' * round((each.passed.value or 0) * _BAR_WIDTH):<{_BAR_WIDTH}}",
            str(each.passed.n),
            number(each.said),
            number(each.passed.value),
            span(each.passed.interval),
        )
        for each in measure.bins
    ]
    return Table((measure.name, "people passed", "labels", "judge says", "people", "95 % interval"), rows, 2)


def _brier(measure: Measure) -> list[str]:
    return [
        f"Brier score {number(measure.brier)} (0 is perfect; always saying the base rate gives "
        f"{number(measure.base_brier)})"
    ]


def _disagreements(report: CalibrationReport) -> Table:
    rows = [
        (
            f"{report.source}:{each.line}" if each.line else each.id,
            "pass" if each.label else "fail",
            one_line(each.task, 40),
            one_line(each.result.reason or "–", 50),
        )
        for each in report.disagreements[:_SHOWN]
    ]
    return Table(("disagreement", "people", "task", "the judge's reason"), rows, 4)


def _rest(report: CalibrationReport) -> list[str]:
    lines = []
    if len(report.disagreements) > _SHOWN:
        lines.append(f"{len(report.disagreements) - _SHOWN} more disagreements; --json lists all")
    if report.disputed:
        lines.append(f"{counted(report.disputed, 'answer')} left out: people disagree about them")
    missing = sum(cause.count for cause in report.causes)
    if missing:
        lines.append(f"{counted(missing, 'answer')} without a judgement")
    return [
        *lines,
        *cause_lines(report.causes),
        *stopped_lines(report.stopped, f"{counted(report.left, 'label')} not looked at"),
        *jury_lines(report.juries),
        *paid("judging", report.cost, report.account),
    ]
