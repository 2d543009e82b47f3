"""Group commit: whatever waits is written in one transaction, and everyone is told after it.

A transaction costs far more than a record, so the more there is to write the less each one costs. Knows no
Trio: the jobs come through a thread's queue, and `tell` hands them back.
"""

from __future__ import annotations

from collections.abc import Callable
from contextlib import suppress
from queue import Empty, SimpleQueue
from typing import Any

import msgspec

from .terns import Store

MOST = 500
"""Jobs in one transaction, so that the first of them is not kept waiting by a thousand others."""


class Job(msgspec.Struct, eq=False):
    """Something to do with the store, and then what came of it: `result`, or the `error` that undid it."""

    apply: Callable[[Store], Any]  # each job has its own result; whoever made the job knows the type
    writes: bool = True
    size: int = 0
    """Characters that wait in memory with it."""
    run: str = ""
    step: str = ""
    """The step of a run that it keeps. A later one for the same step in the same group does for both."""
    receipt: Any = None
    """The caller's own: handed back untouched."""
    result: Any = None
    error: Exception | None = None


def serve(jobs: SimpleQueue[Job | None], store: Store, tell: Callable[[list[Job]], None]) -> None:
    """Does the jobs as they come, in order, until a None comes."""
    ended = False
    while not ended:
        group, ended = _take(jobs)
        if group:
            commit(store, _newest(group))
            tell(group)


def _newest(group: list[Job]) -> list[Job]:
    """The jobs without those that only keep a step as it was before a later one of them."""
    last = {(job.run, job.step): job for job in group if job.step}
    return [job for job in group if not job.step or job.receipt is not None or last[job.run, job.step] is job]


def commit(store: Store, group: list[Job]) -> None:
    """Does the jobs of a group in one transaction. Never raises: a job that failed has its `error`.

    A job that fails alone is undone alone. If the whole transaction is lost, every job that writes failed.
    """
    if not any(job.writes for job in group):
        _do_all(store, group)
        return
    try:
        with suppress(_OneFailed), store.database.transaction():
            _do_plainly(store, group)
            return
        with store.database.transaction():
            _do_all(store, group)
    except Exception as error:  # whatever it is, somebody waits to be told
        for job in group:
            if job.writes:
                job.result, job.error = None, job.error or _own(error)
        _do_all(store, [job for job in group if not job.writes])


class _OneFailed(Exception):
    """A job of a group has failed."""


def _do_plainly(store: Store, group: list[Job]) -> None:
    """All jobs, none of which can be undone alone: hardly ever does one fail, and marking them is half of the work.
    Where one does, all is undone and done again with marks."""
    try:
        for job in group:
            job.result = job.apply(store)
    except Exception as error:
        raise _OneFailed from error


def _do_all(store: Store, group: list[Job]) -> None:
    connection = store.database.connection
    within = connection.in_transaction
    for job in group:
        try:
            with store.database.savepoint():
                job.result = job.apply(store)
        except Exception as error:  # the caller's own function may raise anything
            job.error = error
            if within and not connection.in_transaction:
                raise  # it was more than this job that SQLite undid


def _own(error: Exception) -> Exception:
    """The same error once more: each of those who waited raises its own, with a traceback of its own."""
    copy = type(error).__new__(type(error), *error.args)
    copy.__dict__.update(error.__dict__)
    copy.__cause__ = error
    return copy


def _take(jobs: SimpleQueue[Job | None]) -> tuple[list[Job], bool]:
    """What waits, at least one, and whether the end has come."""
    group: list[Job] = []
    job = jobs.get()
    while job is not None:
        group.append(job)
        if len(group) == MOST:
            return group, False
        try:
            job = jobs.get_nowait()
        except Empty:
            return group, False
    return group, True
