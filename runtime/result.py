"""How a run ended, as Python sees it."""

from __future__ import annotations

from typing import Any

import attrs

from .flow.outcomes import Guarded, Paused
from .judge.errors import AbortError, GuardedError, PausedError
from .store.money import Cost
from .store.records import Status, Tern


@attrs.frozen
class Result:
    """`answer` is a text or JSON data; `status` is answered, guarded, failed, paused or cancelled."""

    answer: Any
    record: Tern = attrs.field(repr=lambda tern: f"<{tern.status} run {tern.id}>")
    """The whole run, prompts and tool results with it: no representation shows it."""
    error: Exception | None = attrs.field(default=None, repr=False)

    @property
    def status(self) -> Status:
        """How it ended."""
        return self.record.status

    @property
    def cost(self) -> Cost:
        """In dollars: `.total`, what is `.known` of it, and `.parties`."""
        return self.record.cost

    @property
    def thread(self) -> str:
        """Its conversation, which another run can continue."""
        return self.record.thread

    def raised(self) -> Result:
        """Itself where the run was answered; raises what ended it otherwise: a `JudgeflowError` such as `StepError`,
        `GuardedError` or `LimitReached`, and `AbortError` where the run was stopped from elsewhere."""
        if self.error is not None:
            raise self.error
        if self.status != "answered":
            raise AbortError(f"the run was {self.status} before its end")
        return self


def ended_by(error: Exception | None) -> Exception | None:
    """What ended a run, as its caller is told. Inside, a gate's block is no failure, and nothing takes it for one."""
    match error:
        case Guarded():
            return GuardedError(error.reason, code=error.code, value=error.value)
        case Paused():
            return PausedError(error.question, showing=error.showing)
    return error
