"""Several things at once, ending as one.

What is expected to go wrong (a failed step, a block) is a setback, and each way to wait says what becomes of one.
A bug and whatever ends the run (a limit) cancel the rest at once. One that waits for a person lets the others go on:
what they have paid for must not be paid for again.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Sequence
from typing import Any

import attrs
import trio

from ..core import StepFailure
from ..judge.errors import EndsRun
from .outcomes import Guarded, Paused

Task = Callable[[], Awaitable[Any]]
Check = Callable[[], Awaitable[None]]
"""What each task does first: it was started a moment ago, and the run may have been stopped since."""


@attrs.frozen
class Setback:
    """A task that did not succeed."""

    error: Exception


def is_setback(error: Exception) -> bool:
    return isinstance(error, StepFailure | Guarded) and not isinstance(error, EndsRun)


async def bounded(tasks: Iterable[Task], at_once: int, check: Check) -> list[Any]:
    """Every result, in order, with at most `at_once` under way; tasks are taken one by one from their iterator. The
    first setback cancels the rest and is raised as itself."""
    results = await _settle(tasks, at_once, check, lambda result: isinstance(result, Setback))
    for result in results:
        if isinstance(result, Setback):
            raise result.error
    return results


async def each_outcome(tasks: Sequence[Task], check: Check) -> list[Any]:
    """Every result in order; a `Setback` in the place of a task that failed. None of them ends the others."""
    return await _settle(tasks, len(tasks), check, lambda result: False)


async def first_success(tasks: Sequence[Task], check: Check) -> Any:
    """The first result; the others are cancelled. Where none succeeds, the setback of the first that is listed."""
    results = await _settle(tasks, len(tasks), check, lambda result: not isinstance(result, Setback))
    for result in results:
        if not isinstance(result, Setback):
            return result
    raise results[0].error


async def _settle(
    tasks: Iterable[Task], at_once: int, check: Check, is_enough: Callable[[Any], bool]
) -> list[Any]:
    """Results and setbacks in the order of the tasks, until one is enough; then what came before it is dropped."""
    settled: dict[int, Any] = {}
    enough: list[Any] = []
    fatal: list[Exception] = []
    paused: dict[int, Paused] = {}
    waiting = enumerate(tasks)

    async def worker() -> None:
        await check()
        for at, task in waiting:
            try:
                result = await task()
            except Paused as pause:
                paused[at] = pause
                continue
            except Exception as error:
                if not is_setback(error):
                    fatal.append(error)
                    nursery.cancel_scope.cancel()
                    return
                result = Setback(error)
            settled[at] = result
            if is_enough(result):
                enough.append(result)
                nursery.cancel_scope.cancel()
                return

    async with trio.open_nursery() as nursery:
        for _ in range(at_once):
            nursery.start_soon(worker)
            # Tasks that are started together run in any order; these start in the order in which they are written.
            await trio.lowlevel.checkpoint()
    await check()
    if fatal:
        raise fatal[0]
    if enough:
        return enough[:1]
    if paused:
        raise paused[min(paused)]
    return [settled[at] for at in range(len(settled))]
