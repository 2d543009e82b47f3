"""Several things at once, ending as one.

What is expected to go wrong (a failed step, a block) is a setback, and each way to wait says what becomes of one.
A bug and whatever ends the run (a limit) cancel the rest at once. One that waits for a person lets the others go on:
what they have paid for must not be paid for again.
"""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Iterator, Sequence
from typing import Any

import attrs
import trio

from ..core import StepFailure
from ..judge.errors import EndsRun
from .members import PastMembers
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


async def bounded(
    tasks: Iterable[Task], at_once: int, check: Check, past: PastMembers | None = None
) -> list[Any]:
    """Every result, in order, with at most `at_once` under way; tasks are taken one by one from their iterator. The
    first setback cancels the rest and is raised as itself. `past` is what an earlier process has settled of them."""
    results = await _settle(tasks, at_once, check, lambda result: isinstance(result, Setback), past)
    for result in results:
        if isinstance(result, Setback):
            raise result.error
    return results


async def each_outcome(tasks: Sequence[Task], check: Check) -> list[Any]:
    """Every result in order; a `Setback` in the place of a task that failed. None of them ends the others."""
    return await _settle(tasks, len(tasks), check, lambda result: False)


async def first_success(tasks: Sequence[Task], check: Check, past: PastMembers | None = None) -> Any:
    """The first result; the others are cancelled. Where none succeeds, the setback of the first that is listed."""
    results = await _settle(tasks, len(tasks), check, lambda result: not isinstance(result, Setback), past)
    for result in results:
        if not isinstance(result, Setback):
            return result
    raise results[0].error


async def _settle(
    tasks: Iterable[Task],
    at_once: int,
    check: Check,
    is_enough: Callable[[Any], bool],
    past: PastMembers | None = None,
) -> list[Any]:
    """Results and setbacks in the order of the tasks, until one is enough; then what came before it is dropped."""
    settled: dict[int, Any] = {}
    enough: list[Any] = []
    fatal: list[Exception] = []
    paused: dict[int, Paused] = {}

    async def attempt(at: int, task: Task) -> bool:
        """Runs one task; whether it ends the others."""
        try:
            result = await task()
        except Paused as pause:
            paused[at] = pause
            return False
        except Exception as error:
            if not is_setback(error):
                fatal.append(error)
                return True
            result = Setback(error)
        settled[at] = result
        if is_enough(result):
            enough.append(result)
        return bool(enough)

    waiting = _Waiting(tasks, past)
    if not await waiting.settle(attempt):
        await _at_once(waiting, at_once, check, attempt)
    waiting.keep_others()
    await check()
    if fatal:
        raise fatal[0]
    if enough:
        return enough[:1]
    if paused:
        raise paused[min(paused)]
    return [settled[at] for at in range(len(settled))]


Attempt = Callable[[int, Task], Awaitable[bool]]


async def _at_once(waiting: Iterable[tuple[int, Task]], at_once: int, check: Check, attempt: Attempt) -> None:
    async def worker() -> None:
        await check()
        for at, task in waiting:
            if await attempt(at, task):
                nursery.cancel_scope.cancel()
                return

    async with trio.open_nursery() as nursery:
        for _ in range(at_once):
            nursery.start_soon(worker)
            # Tasks that are started together run in any order; these start in the order in which they are written.
            await trio.lowlevel.checkpoint()


class _Waiting:
    """The tasks that are still to be begun, with their places. Those that an earlier process has settled go first."""

    def __init__(self, tasks: Iterable[Task], past: PastMembers | None) -> None:
        self._past = past
        self._tasks: Iterator[tuple[int, Task]] = enumerate(tasks)
        self._known: Iterator[tuple[int, Task]] = iter(())
        if past is not None:
            members = list(self._tasks)
            self._known = iter([member for member in members if past.is_settled(member[0])])
            self._tasks = iter([member for member in members if not past.is_settled(member[0])])

    def __iter__(self) -> Iterator[tuple[int, Task]]:
        return self._tasks

    async def settle(self, attempt: Attempt) -> bool:
        """Goes through what is known, which asks nobody; whether that ends the others."""
        for at, task in self._known:
            if await attempt(at, task):
                return True
        return False

    def keep_others(self) -> None:
        """What was not begun in this process stays in the record as it was."""
        if self._past is not None:
            for at, _ in (*self._known, *self._tasks):
                self._past.keep(at)
