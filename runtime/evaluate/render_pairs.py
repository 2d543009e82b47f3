"""What `jrun replay` and `jrun compare` show of two sides: the difference, and what it is worth."""

from __future__ import annotations

from ..report.text import cost_of, one_line
from ..store.canonical import short_hash
from ..store.records import Versions
from .document import Document, Lines, Table
from .render import cause_lines, counted, number, paid, signed, span, stopped_lines, too_few
from .replay import Replayed, ReplayReport
from .statistics import Paired

_SHOWN = 10
"""Tasks that are shown one by one."""


def verdict_on(found: Paired, *, helps: str, hurts: str, unit: str = "task") -> list[str]:
    """What may be concluded, in a sentence."""
    if found.conclusion == "too few to tell":
        return [too_few(found.n, unit)]
    if found.conclusion == "no difference shown":
        more = ""
        if found.needed is not None and found.needed > found.n:
            more = f"; a difference of this size would show with about {found.needed:,} {unit}s"
        return [f"no difference shown: the interval holds 0{more}"]
    return [helps if found.conclusion == "better" else hurts]


def paired_lines(found: Paired, unit: str = "task") -> list[str]:
    if not found.n:
        return [f"no {unit} has a score on both sides"]
    return [
        f"{number(found.before)} → {number(found.after)}  difference {signed(found.difference)}, "
        f"95 % interval {span(found.interval, sign=True)}, over {counted(found.n, unit)}",
        f"{found.better} better, {found.worse} worse, {found.same} the same; sign test p {p_value(found.p)}",
    ]


def p_value(p: float) -> str:
    return "< 0.001" if p < 0.001 else f"= {p:.3f}"


def render_replay(report: ReplayReport) -> Document:
    profile = f"  profile {report.profile}" if report.profile else ""
    title = f"{report.workflow}  replay of version {report.version}{profile}  judged by {report.judge}"
    found = report.paired
    unit = "different task"
    conclusion = verdict_on(
        found,
        helps="the change helps: the interval is above 0",
        hurts="the change hurts: the interval is below 0",
        unit=unit,
    )
    lines = [
        *paired_lines(found, unit),
        *(conclusion if found.n else []),
        *changed_lines(report.before, report.after),
        *_moved(report),
        *cause_lines(report.causes),
        *stopped_lines(report.stopped, f"{counted(report.left, 'task')} not begun"),
        f"runs cost {cost_of(report.cost_before)} before, {cost_of(report.cost_after)} now",
        *paid("judging", report.judging, report.account),
    ]
    return Document(title, [_most_changed(report.tasks), Lines(lines)])


def changed_lines(before: tuple[Versions, ...], after: Versions) -> list[str]:
    """What of the program is not what it was, by its hashes."""
    changed = [
        f"{what} {short_hash(was)} → {short_hash(now)}"
        for what, was, now in (
            ("prompts", before[0].prompt, after.prompt),
            ("models", before[0].model, after.model),
            ("all", before[0].config, after.config),
        )
        if was is not None and now is not None and was != now
    ]
    several = [f"version {before[0].workflow} was {len(before)} different plans"] if len(before) > 1 else []
    if not changed:
        return [*several, "nothing in the file has changed since: what differs is chance"]
    return [*several, f"changed: {', '.join(changed)}"]


def _moved(report: ReplayReport) -> list[str]:
    lines = []
    if report.lost or report.won:
        lines.append(f"{report.lost} answered before and not now; {report.won} answered now and not before")
    if report.unanswered:
        lines.append(f"{counted(report.unanswered, 'task')} ended as before, without an answer")
    if report.later_turns:
        lines.append(
            f"{counted(report.later_turns, 'task')} stood later in a thread, and ran without the turns before"
        )
    return lines


def _most_changed(tasks: tuple[Replayed, ...]) -> Table:
    """The tasks whose score has changed most, the worst first."""
    both = [each for each in tasks if each.before is not None and each.after is not None]
    moved = sorted((each for each in both if each.before != each.after), key=_change)
    shown = moved if len(moved) <= _SHOWN else [*moved[: _SHOWN // 2], *moved[-(_SHOWN // 2) :]]
    rows = [
        (
            each.original[:8],
            (each.run or "")[:8],
            one_line(each.task, 60),
            number(each.before),
            number(each.after),
            signed(_change(each)),
        )
        for each in shown
    ]
    return Table(("run", "replay", "task", "before", "after", "change"), rows, 3)


def _change(each: Replayed) -> float:
    return (each.after or 0.0) - (each.before or 0.0)
