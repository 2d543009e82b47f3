"""Conversations: a list of them, and one with its turns and what it remembers."""

from __future__ import annotations

from collections.abc import Iterator, Sequence

from ..store.records import Summary, TernHead
from ..store.threads import ThreadHead
from .text import columns, cost_of, mark, moment, one_line, padded, wrapped

WIDTH = 110
_HEADINGS = ("thread", "turns", "last (UTC)", "status", "flow")
_NARROWEST = 20
_SHORT = 8
_INDENT = 6


def render_threads(threads: Sequence[ThreadHead], *, total: int, width: int = WIDTH) -> str:
    """One line a thread, in the order given."""
    if not threads:
        return "no threads\n"
    length = _id_length([thread.id for thread in threads])
    rows = [_cells(thread, length) for thread in threads]
    widths = [max(columns(cell) for cell in column) for column in zip(_HEADINGS, *rows, strict=True)]
    room = max(width - sum(widths) - 2 * len(widths), _NARROWEST)
    lines = [_line(_HEADINGS, widths, "first task")]
    lines += [
        _line(row, widths, one_line(thread.first.task, room))
        for row, thread in zip(rows, threads, strict=True)
    ]
    if total > len(threads):
        lines.append(f"{len(threads)} of {total:,} threads; --limit {total} shows them all")
    return "\n".join(lines) + "\n"


def render_thread(
    thread: str, turns: Sequence[TernHead], memory: Sequence[tuple[Summary, str]], width: int = WIDTH
) -> str:
    """Every turn of one thread, and each summary behind the turns that it stands for."""
    lines = [f"thread {thread}  {_counted(len(turns), 'turn')}" + _remembered(memory)]
    waiting = list(memory)
    for turn in turns:
        while waiting and waiting[0][0].last < turn.turn:
            lines += _summary(*waiting.pop(0), width)
        lines += _turn(turn, width)
    for summary, made in waiting:
        lines += _summary(summary, made, width)
    return "\n".join(line.rstrip() for line in lines) + "\n"


def _turn(turn: TernHead, width: int) -> Iterator[str]:
    facts = f"{moment(turn.started)}  {turn.id[:_SHORT]}  {cost_of(turn.cost)}"
    yield f"{turn.turn:>4}  {mark(turn.status)} {turn.status}  {facts}"
    yield from _said("Q: ", turn.task, width)
    if turn.status == "answered":
        yield from _said("A: ", turn.answer, width)
    elif turn.reason:
        yield from _said("   ", turn.reason, width)


def _summary(summary: Summary, made: str, width: int) -> Iterator[str]:
    turns = (
        f"turn {summary.first}" if summary.first == summary.last else f"turns {summary.first}–{summary.last}"
    )
    yield f"   ·  {turns} summed up  {moment(made)}"
    yield from _said("   ", summary.text, width)


def _said(label: str, value: object, width: int) -> Iterator[str]:
    for at, line in enumerate(wrapped(value, width - _INDENT - len(label))):
        yield f"{'':<{_INDENT}}{'   ' if at else label}{line}"


def _cells(thread: ThreadHead, length: int) -> tuple[str, ...]:
    last = thread.last
    return (
        one_line(thread.id[:length], length),
        str(thread.turns),
        moment(last.started),
        f"{mark(last.status)} {last.status}",
        one_line(f"{last.workflow} · {last.flow}", 24),
    )


def _line(cells: Sequence[str], widths: Sequence[int], last: str) -> str:
    padding = [padded(cell, width) for cell, width in zip(cells, widths, strict=True)]
    return "  ".join([*padding, last]).rstrip()


def _id_length(ids: Sequence[str]) -> int:
    length = _SHORT
    while len({thread[:length] for thread in ids}) < len(set(ids)):
        length += 1
    return length


def _remembered(memory: Sequence[tuple[Summary, str]]) -> str:
    return f"  {_counted(len(memory), 'summary', 'summaries')}" if memory else ""


def _counted(number: int, one: str, many: str | None = None) -> str:
    return f"{number} {one if number == 1 else many or f'{one}s'}"
