"""Runs as a table, a line each."""

from __future__ import annotations

from collections.abc import Sequence

from ..store.history import as_text
from ..store.records import TernHead
from .text import columns, cost_of, elapsed, mark, moment, one_line, padded

WIDTH = 110
_HEADINGS = ("run", "started (UTC)", "status", "flow", "time", "cost")
_SHORTEST_ID = 8
_WIDEST_NAME = 24
_NARROWEST_TASK = 20


def render_runs(runs: Sequence[TernHead], *, total: int | None = None, width: int = WIDTH) -> str:
    """One line a run, in the order given, and a last one where `total` says that there are more."""
    if not runs:
        return "no runs\n"
    length = _id_length([run.id for run in runs])
    rows = [_cells(run, length) for run in runs]
    widths = [max(columns(cell) for cell in column) for column in zip(_HEADINGS, *rows, strict=True)]
    room = max(width - sum(widths) - 2 * len(widths), _NARROWEST_TASK)
    lines = [_line(_HEADINGS, widths, "task")]
    lines += [_line(row, widths, one_line(_about(run), room)) for row, run in zip(rows, runs, strict=True)]
    if total is not None and total > len(runs):
        lines.append(f"{len(runs)} of {total:,} runs; --limit {total} shows them all")
    return "\n".join(lines) + "\n"


def _cells(run: TernHead, length: int) -> tuple[str, ...]:
    status = f"{mark(run.status)} {run.status}"
    if run.unreadable:
        status += f", {run.unreadable} unreadable"
    return (
        one_line(run.id[:length], length),
        moment(run.started),
        status,
        one_line(f"{run.workflow} · {run.flow}", _WIDEST_NAME),
        elapsed(run.started, run.ended),
        cost_of(run.cost),
    )


def _about(run: TernHead) -> str:
    task = as_text(run.task)
    return task if run.status == "answered" or not run.reason else f"{task} — {run.reason}"


def _line(cells: Sequence[str], widths: Sequence[int], last: str) -> str:
    padding = [padded(cell, width) for cell, width in zip(cells, widths, strict=True)]
    return "  ".join([*padding, last]).rstrip()


def _id_length(ids: Sequence[str]) -> int:
    """How many characters tell these ids apart."""
    length = _SHORTEST_ID
    while len({run[:length] for run in ids}) < len(set(ids)):
        length += 1
    return length
