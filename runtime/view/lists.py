"""Runs, threads and versions as tables."""

from __future__ import annotations

from collections.abc import Callable, Sequence
from decimal import Decimal

import msgspec

from ..report.text import cost_of, dollars, elapsed, moment, one_line
from ..store.canonical import short_hash
from ..store.money import UNKNOWN
from ..store.records import TernHead
from ..store.scores import Label, Score
from ..store.threads import ThreadHead
from .markup import Child, Markup, element
from .texts import status_of

Link = Callable[[str], str]
"""Where the page of an id is."""

_WIDE = 160


def runs_table(runs: Sequence[TernHead], link: Link) -> Markup:
    rows = [
        _row(
            element("a", run.id[:8], href=link(run.id), class_="id"),
            moment(run.started),
            _status(run),
            f"{run.workflow} · {run.flow}",
            element("a", one_line(run.task, _WIDE), href=link(run.id)),
            elapsed(run.started, run.ended),
            cost_of(run.cost),
        )
        for run in runs
    ]
    heads = ("run", "started (UTC)", "status", "flow", "task", "time", "cost")
    return _table(heads, rows, numbers=2) if rows else element("p", "no runs", class_="soft")


def threads_table(threads: Sequence[ThreadHead], link: Link) -> Markup:
    rows = [
        _row(
            element("a", thread.id[:8], href=link(thread.id), class_="id"),
            moment(thread.last.started),
            status_of(thread.last.status),
            f"{thread.last.workflow} · {thread.last.flow}",
            element("a", one_line(thread.first.task, _WIDE), href=link(thread.id)),
            str(thread.turns),
            str(thread.summaries or ""),
        )
        for thread in threads
    ]
    heads = ("thread", "last (UTC)", "status", "flow", "first task", "turns", "summaries")
    return _table(heads, rows, numbers=2) if rows else element("p", "no threads", class_="soft")


class Version(msgspec.Struct, kw_only=True):
    """What became of all runs of one program."""

    workflow: str
    version: str | None
    prompt: str | None
    runs: int = 0
    answered: int = 0
    unreadable: int = 0
    known: Decimal = Decimal(0)
    unpriced: int = 0
    scores: list[float] = msgspec.field(default_factory=list)
    passed: int = 0
    labelled: int = 0


def versions_of(
    runs: Sequence[TernHead], scores: Sequence[Score], labels: Sequence[Label]
) -> tuple[Version, ...]:
    """By workflow, declared version and prompts, the one that ran last first; `runs` are newest first."""
    by_run: dict[str, Version] = {}
    found: dict[tuple[str, str | None, str | None], Version] = {}
    for run in runs:
        key = (run.workflow, run.versions.workflow, run.versions.prompt)
        one = found.setdefault(key, Version(workflow=key[0], version=key[1], prompt=key[2]))
        by_run[run.id] = one
        one.runs += 1
        one.answered += run.status == "answered"
        one.unreadable += run.unreadable
        one.known += Decimal(run.cost.known)
        one.unpriced += run.cost.total == UNKNOWN
    for score in scores:
        if score.score is not None and score.run in by_run:
            by_run[score.run].scores.append(score.score)
    for label in labels:
        if label.run in by_run:
            by_run[label.run].labelled += 1
            by_run[label.run].passed += label.label == "pass"
    return tuple(found.values())


def versions_table(versions: Sequence[Version], link: Callable[[Version], str]) -> Markup:
    rows = [
        _row(
            element("a", one.workflow, href=link(one)),
            f'"{one.version}"' if one.version else "",
            element("span", short_hash(one.prompt or ""), class_="id"),
            str(one.runs),
            f"{one.answered / one.runs:.0%}",
            f"{sum(one.scores) / len(one.scores):.3f} ({len(one.scores)})" if one.scores else "",
            f"{one.passed} of {one.labelled}" if one.labelled else "",
            str(one.unreadable or ""),
            dollars(f"{one.known:f}") + (f" + {one.unpriced} unknown" if one.unpriced else ""),
        )
        for one in versions
    ]
    heads = (
        "workflow", "version", "prompt", "runs", "answered", "mean score", "labelled good", "unreadable", "cost",
    )  # fmt: skip
    return _table(heads, rows, numbers=6) if rows else element("p", "no runs", class_="soft")


def _status(run: TernHead) -> Markup:
    text = run.status + (f", {run.unreadable} unreadable" if run.unreadable else "")
    return status_of(run.status, text)


def _row(*cells: Child) -> list[Child]:
    return list(cells)


def _table(heads: Sequence[str], rows: Sequence[Sequence[Child]], *, numbers: int) -> Markup:
    """`numbers`: how many of the last columns hold numbers."""
    first = len(heads) - numbers
    head = element(
        "tr", *(element("th", text, class_="n" if at >= first else None) for at, text in enumerate(heads))
    )
    body = [
        element(
            "tr", *(element("td", cell, class_="n" if at >= first else None) for at, cell in enumerate(row))
        )
        for row in rows
    ]
    return element("table", element("thead", head), element("tbody", *body))
