"""Several things at once, ending as one: the first failure cancels the rest and is raised as itself."""

from __future__ import annotations

from collections.abc import Awaitable, Callable, Iterable, Sequence
from typing import Any

import trio

Task = Callable[[], Awaitable[Any]]


async def all_of(tasks: Sequence[Task]) -> list[Any]:
    """Every result, in order."""
    return await bounded(tasks, len(tasks))


async def bounded(tasks: Iterable[Task], at_once: int) -> list[Any]:
    """Every result, in order, with at most `at_once` under way; tasks are taken one by one from their iterator."""
    results: dict[int, Any] = {}
    failed: list[Exception] = []
    waiting = enumerate(tasks)

    async def worker() -> None:
        for at, task in waiting:
            try:
                results[at] = await task()
            except Exception as error:
                failed.append(error)
                nursery.cancel_scope.cancel()
                return

    async with trio.open_nursery() as nursery:
        for _ in range(at_once):
            nursery.start_soon(worker)
    if failed:
        raise failed[0]
    return [results[at] for at in range(len(results))]


async def each_outcome(tasks: Sequence[Task]) -> list[Any]:
    """Every result in order; an exception in the place of a task that failed. None of them ends the others."""
    results: list[Any] = [None] * len(tasks)

    async def one(at: int, task: Task) -> None:
        try:
            results[at] = await task()
        except Exception as error:
            results[at] = error

    async with trio.open_nursery() as nursery:
        for at, task in enumerate(tasks):
            nursery.start_soon(one, at, task)
    return results


async def first_success(tasks: Sequence[Task]) -> Any:
    """The first result; the others are cancelled. The last failure where none succeeds."""
    won: list[Any] = []
    failed: list[Exception] = []

    async def one(task: Task) -> None:
        try:
            result = await task()
        except Exception as error:
            failed.append(error)
        else:
            if not won:
                won.append(result)
            nursery.cancel_scope.cancel()

    async with trio.open_nursery() as nursery:
        for task in tasks:
            nursery.start_soon(one, task)
    if won:
        return won[0]
    raise failed[-1]
