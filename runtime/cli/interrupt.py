"""One run that listens to Ctrl-C, to SIGTERM and to a terminal that is closed while it runs.

First signal: nothing new starts, calls in flight have the grace. Second: now. Third: KeyboardInterrupt. Whichever it
was, the record is kept.
"""

from __future__ import annotations

import signal
from collections.abc import Awaitable, Callable
from typing import Any

import attrs
import trio

from ..flow.execute import Execution
from ..judge.errors import JudgeflowError
from ..result import Result
from ..run import events

Start = Callable[[Callable[[Execution], None]], Awaitable[Result]]
"""Starts the run; what it is given is told of the execution before its first step."""


def stop_signals() -> tuple[signal.Signals, ...]:
    """What stops a run: Ctrl-C, a request to end, and the loss of the terminal, unless `nohup` has that ignored."""
    signals = [signal.SIGINT, signal.SIGTERM]
    hangup = getattr(signal, "SIGHUP", None)
    if hangup is not None and signal.getsignal(hangup) is not signal.SIG_IGN:
        signals.append(hangup)
    return tuple(signals)


async def interruptible(start: Start, grace: float) -> Result:
    """The run's result. `grace` are the seconds that calls in flight have after the first signal."""
    stopper = _Stopper(grace)
    results: list[Result] = []
    failures: list[Exception] = []
    with trio.open_signal_receiver(*stop_signals()) as signals:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(stopper.watch, signals)
            try:
                results.append(await start(stopper.started))
            except JudgeflowError as error:
                failures.append(error)
            nursery.cancel_scope.cancel()
    if failures:
        raise failures[0]
    return results[0]


@attrs.define(eq=False)
class _Stopper:
    grace: float
    _seen: int = 0
    _executions: list[Execution] = attrs.field(factory=list)

    def started(self, execution: Execution) -> None:
        """A signal that came before there was anything to stop stops it now."""
        self._executions.append(execution)
        if self._seen:
            execution.abort()

    async def watch(self, signals: Any) -> None:
        async with trio.open_nursery() as nursery:
            async for _ in signals:
                self._seen += 1
                if self._seen > 2:
                    raise KeyboardInterrupt
                for execution in self._executions:
                    if self._seen == 2:
                        execution.abort()
                    else:
                        nursery.start_soon(self._softly, execution)

    async def _softly(self, execution: Execution) -> None:
        run = execution.run
        run.emit(events.Stopping(run=run.info.id, at=run.now(), in_flight=execution.guard.in_flight))
        execution.stop()
        await trio.sleep(self.grace)
        execution.abort()
