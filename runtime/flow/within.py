"""A step of the record around a piece of work: whatever ends the work, the step says so before it goes on."""

from __future__ import annotations

from collections.abc import Awaitable
from typing import TypeVar

from ..core import StepFailure
from ..judge.errors import EndsRun, StepError, failed_step
from ..run import Step
from ..store.records import StepKind
from .frame import Frame
from .outcomes import Guarded, Paused

T = TypeVar("T")

INTERNAL = "internal"
"""The code of a bug of ours."""


def begin(frame: Frame, site: str, kind: StepKind, name: str, binding: str | None) -> Step:
    return frame.run.begin_step(frame.path + site, kind, name, parent=frame.parent, binding=binding)


async def within(frame: Frame, step: Step, work: Awaitable[T]) -> T:
    """The work's result; the step is left open for whoever ends it well."""
    run = frame.run
    try:
        return await work
    except (EndsRun, StepError) as error:
        run.end_step(step, "failed", code=error.code, reason=error.message)
        raise
    except StepFailure as failure:
        failed = failed_step(step.name, f"step.{step.kind}", failure)
        run.end_step(step, "failed", code=failed.code, reason=failed.message)
        raise failed from failure
    except Guarded as guarded:
        run.end_step(step, "blocked", code=guarded.code, reason=guarded.reason)
        raise
    except Paused as paused:
        run.end_step(step, "paused", reason=paused.question)
        raise
    except Exception as bug:
        run.end_step(step, "failed", code=INTERNAL, reason=f"{type(bug).__name__}: {bug}")
        raise
    except BaseException:
        run.end_step(step, "cancelled")
        raise
