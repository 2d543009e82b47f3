"""The live view: what a run does, line by line, on standard error. Plain lines where there is no terminal."""

from __future__ import annotations

import math
from collections.abc import Callable
from decimal import Decimal
from typing import TextIO

from ..run import events
from ..store.clock import parse_timestamp
from ..store.records import StepRecord
from .text import MARKS, cut, elapsed

_COLOURS = {
    "✔": "\x1b[32m",
    "✖": "\x1b[31m",
    "?": "\x1b[33m",
    "▶": "\x1b[36m",
    "‖": "\x1b[33m",
    "⊘": "\x1b[33m",
}
_RESET = "\x1b[0m"
_WIDE = 100
_LONGEST = 2_000
"""Characters of a line: a reason may be megabytes, and the record has it whole."""


class LiveView:
    """A hook that writes to `stream`. `live` rewrites a last line with what is under way, no longer than the terminal
    is wide, for a line that wraps cannot be taken back; `colour` uses ANSI codes; `allowed` is what a run may cost, if
    that is limited."""

    def __init__(
        self,
        stream: TextIO,
        *,
        live: bool,
        colour: bool,
        workflow: str,
        allowed: Decimal | None = None,
        width: Callable[[], int] = lambda: _WIDE,
    ) -> None:
        self._width = width
        self._stream = stream
        self._live = live
        self._colour = colour
        self._workflow = workflow
        self._allowed = allowed
        self._running: dict[str, str] = {}
        self._shown = False

    def __call__(self, event: events.Event) -> None:
        name = _HANDLERS.get(type(event))
        if name is not None:
            handler: Callable[[events.Event], None] = getattr(self, name)
            handler(event)

    def _started(self, event: events.RunStarted) -> None:
        profile = f"  profile {event.profile}" if event.profile else ""
        self._line("", f"{self._workflow}  thread {event.thread[:8]}…{profile}")
        if event.scripted:
            self._line("?", f"scripted answers: no model is asked ({', '.join(event.scripted)})")

    def _step_started(self, event: events.StepStarted) -> None:
        self._running[event.step] = f"{event.name}…"
        self._status()

    def _gate_asked(self, event: events.GateAsked) -> None:
        self._running[event.step] = (
            f"{event.gate}  {event.passed} of {event.total} scorers, asking {event.party}…"
        )
        self._status()

    def _rejected(self, event: events.AttemptRejected) -> None:
        for judge, reason in event.reasons:
            said = f"{judge}: {reason}" if judge else f"wrong shape: {reason}"
            self._line("✖", f"{event.agent:<14} attempt {event.attempt + 1}  {said}")

    def _retrying(self, event: events.Retrying) -> None:
        minutes, seconds = divmod(math.ceil(event.delay), 60)
        again = f"retrying in {minutes}:{seconds:02} (attempt {event.attempt})"
        self._line("?", f"{event.party}  {again}  {event.reason}")

    def _step_ended(self, event: events.StepEnded) -> None:
        self._running.pop(event.record.id, None)
        if event.record.kind == "memory":
            self._status()
            return  # told under the answer
        mark, text = step_line(event.record)
        self._line(mark, text)

    def _stopping(self, event: events.Stopping) -> None:
        calls = "1 call" if event.in_flight == 1 else f"{event.in_flight} calls"
        self._line("?", f"stopping, {calls} in flight (Ctrl-C again to stop now)")

    def _ended(self, event: events.RunEnded) -> None:
        tern = event.tern
        of = "" if self._allowed is None else f" of ${self._allowed:f}"
        tokens = tern.usage.input_tokens + tern.usage.output_tokens
        parts = [f"{dollars(tern.cost.total)}{of}", f"{tokens:,} tokens", elapsed(tern.started, tern.ended)]
        if tern.usage.from_cache:
            parts.append(f"{tern.usage.from_cache} of {tern.usage.calls} replies from the cache")
        if tern.unreadable:
            parts.append(f"{tern.unreadable} unreadable judgement{'s' if tern.unreadable > 1 else ''}")
        for warning in tern.warnings:
            self._line("?", warning)
        if tern.status != "answered":
            code = f" [{tern.code}]" if tern.code else ""
            self._line(MARKS.get(tern.status, "✖"), f"{tern.status}: {tern.reason}{code}")
        self._line("", "   ".join(parts))

    def _line(self, mark: str, text: str) -> None:
        self._clear()
        shown = clean(text if len(text) <= _LONGEST else f"{text[:_LONGEST]}…")
        if mark:
            coloured = f"{_COLOURS[mark]}{mark}{_RESET}" if self._colour else mark
            shown = f"{coloured} {shown}"
        self._stream.write(shown + "\n")
        self._status()

    def _status(self) -> None:
        if not self._live:
            return
        self._clear()
        if self._running:
            running = list(self._running.values())
            more = f" and {len(running) - 3} more" if len(running) > 3 else ""
            line = f"▶ {clean(', '.join(running[-3:]) + more)}"
            self._stream.write(cut(line, min(_WIDE, self._width() - 1)))
            self._shown = True
        self._stream.flush()

    def _clear(self) -> None:
        if self._shown:
            self._stream.write("\r\x1b[2K")
            self._shown = False


_HANDLERS = {
    events.RunStarted: "_started",
    events.StepStarted: "_step_started",
    events.GateAsked: "_gate_asked",
    events.AttemptRejected: "_rejected",
    events.Retrying: "_retrying",
    events.StepEnded: "_step_ended",
    events.Stopping: "_stopping",
    events.RunEnded: "_ended",
}


def step_line(step: StepRecord) -> tuple[str, str]:
    """The mark and the line of a step that has ended."""
    cost = "" if step.cost.total == "0" else f"  {dollars(step.cost.total)}"
    seconds = f"{_elapsed(step):.1f} s"
    if step.status not in ("succeeded", "blocked"):
        return MARKS.get(step.status, "✖"), f"{step.name:<14} {step.status}  {step.reason or ''}"
    if step.decision is not None:
        sure = f"  {step.decision.confidence:.2f}" if step.decision.confidence is not None else ""
        outcome = "" if step.decision.outcome == "accepted" else f"  {step.decision.outcome}"
        return "✔", f"{step.name:<14} {step.decision.selected}{sure}{outcome}  {seconds}{cost}"
    if step.approval is not None:
        said = "yes" if step.approval.approved else "no"
        return (
            "✔" if step.approval.approved else "✖",
            f"{step.name:<14} {said}  {step.approval.question}  {seconds}",
        )
    if step.gate is not None:
        return _gate_line(step, f"{seconds}{cost}")
    if step.pick is not None:
        sure = "  (unreadable: the first was taken)" if step.pick.defaulted else ""
        return "✔", f"{step.name:<14} picked {step.pick.winner} of {step.pick.count}{sure}  {seconds}{cost}"
    if step.kind == "agent":
        last = [verdict for verdict in step.verdicts if verdict.attempt == len(step.attempts) - 1]
        judged = f"  {len(last)} judge{'s' if len(last) != 1 else ''} passed" if last else ""
        return "✔", f"{step.name:<14} attempt {len(step.attempts)}{judged}  {seconds}{cost}"
    mark = "✖" if step.status == "blocked" else "✔"
    return mark, f"{step.name:<14} {seconds}{cost}"


def _gate_line(step: StepRecord, tail: str) -> tuple[str, str]:
    gate = step.gate
    assert gate is not None
    passed = sum(result.passed for result in gate.results)
    by = {"pass_when": "its first rule", "bounds": "scorers", "default": "scorers"}.get(
        gate.decided_by, gate.decided_by
    )
    unreadable = ""
    if gate.judge is not None and not gate.judge.readable:
        unreadable = f"  UNREADABLE verdict counted as {gate.verdict}"
    combined = (
        f"  combined {gate.combined}" if gate.threshold is not None and gate.combined is not None else ""
    )
    mark = "✔" if gate.verdict == "pass" else "✖"
    return mark, (
        f"{step.name:<14} {gate.verdict} by {by}  {passed} of {len(gate.results)} scorers{combined}{unreadable}  {tail}"
    )


def _elapsed(step: StepRecord) -> float:
    if step.ended is None:
        return 0.0
    return (parse_timestamp(step.ended) - parse_timestamp(step.started)).total_seconds()


def dollars(amount: str) -> str:
    """`$0.0044`, or `cost unknown`."""
    return "cost unknown" if amount == "unknown" else f"${amount}"


def clean(text: str) -> str:
    """One line without control characters: a model's text must not move the cursor or colour the screen."""
    return "".join(
        " " if mark.isspace() else mark for mark in text if mark.isspace() or mark.isprintable()
    ).rstrip()
