"""What a command shows of a run: the live view and events while it goes on, its answer, and how to go on with it."""

from __future__ import annotations

import argparse
import os
import sys
from contextlib import suppress
from decimal import Decimal
from typing import Any, TextIO

import msgspec

from ..expr import to_json
from ..report.live import LiveView
from ..report.text import memory_line
from ..result import Result
from ..run import events
from .streams import columns_of, lead_nowhere


class Screen:
    """One run's screen. `out` is for the answer alone (or for JSON, where that is asked for); all else goes to
    standard error."""

    def __init__(self, arguments: argparse.Namespace, out: TextIO) -> None:
        self._arguments = arguments
        self._out = out
        self._answered = False
        self._unwritten: OSError | None = None

    def hooks(self, workflow: str, allowed: Decimal | None) -> list[events.Hook]:
        """`allowed` are the US dollars that the run may cost; None where that is not limited."""
        hooks: list[events.Hook] = []
        if self._arguments.events:
            hooks.append(self._event)
        if not self._arguments.quiet:
            hooks.append(_live_view(workflow, allowed))
        # After the live view, which must have cleared its last line.
        return [*hooks, self._kept]

    def _event(self, event: events.Event) -> None:
        """A line of JSON. That one could not be written is told at the end, where nobody was gone."""
        try:
            print(msgspec.json.encode(event).decode(), file=self._out, flush=True)
        except BrokenPipeError:
            lead_nowhere(self._out)
        except OSError as error:
            self._unwritten = error

    def _kept(self, event: events.Event) -> None:
        if isinstance(event, events.RunKept):
            self._answer(event.answer)

    def _answer(self, answer: Any) -> None:
        """Prints it, once; what fails to be printed is tried again at the end, where it is told."""
        if self._answered or answer is None or self._arguments.json or self._arguments.events:
            return
        print(answer if isinstance(answer, str) else to_json(answer), file=self._out, flush=True)
        self._answered = True

    def result(self, result: Result) -> None:
        """How the run ended. Raises `OSError` where its answer could not be printed, once all else is told."""
        try:
            if self._arguments.json:
                print(msgspec.json.encode(result.record).decode(), file=self._out)
            self._answer(result.answer)
            self._out.flush()
            if self._unwritten is not None:
                raise self._unwritten
        except BrokenPipeError:
            # Nobody reads it: that changes nothing about how the run ended.
            lead_nowhere(self._out)
        except OSError:
            what = "an event" if self._unwritten is not None else "the answer"
            _tell(f"{what} could not be printed; the record has it: jrun show {result.record.id[:8]}")
            raise
        finally:
            self._tell_how(result)

    def _tell_how(self, result: Result) -> None:
        arguments, record = self._arguments, result.record
        if arguments.quiet:
            if result.status != "answered":
                _tell(f"{result.status}: {record.reason}")
        else:
            for step in record.steps:
                if step.kind == "memory":
                    _tell(f"memory: {memory_line(step.answer, step.reason)}")
            if result.status in ("paused", "cancelled"):
                _tell(_how_to_go_on(result, arguments))
        _tell(f"thread: {result.thread}")


def _tell(line: str) -> None:
    """A remark that cannot be written is no reason to fail."""
    with suppress(OSError):
        print(line, file=sys.stderr, flush=True)


def _live_view(workflow: str, allowed: Decimal | None) -> LiveView:
    moves = sys.stderr.isatty() and os.environ.get("TERM") != "dumb"
    return LiveView(
        sys.stderr,
        live=moves,
        colour=moves and not os.environ.get("NO_COLOR"),
        workflow=workflow,
        allowed=allowed,
        width=lambda: columns_of(sys.stderr),
    )


def _how_to_go_on(result: Result, arguments: argparse.Namespace) -> str:
    if result.record.file is None:
        return "no record of it was kept (--no-store), so it cannot be gone on with"
    models = "".join(f" --model '{override}'" for override in arguments.model)
    cache = " --cache" if arguments.cache else ""
    return f"go on with: jrun resume {result.record.id[:8]}{models}{cache}"
