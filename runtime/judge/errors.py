"""Every error of the run that a program may catch. Each has a stable `code` and a safe cause: no keys, no prompts."""

from __future__ import annotations

from typing import Any, Literal

from ..core import StepFailure
from ..store import records
from ..store.money import Cost
from .hook_place import place_in_hook
from .protocol import Usage

__all__ = [
    "AbortError",
    "ConfigurationError",
    "EndsRun",
    "GuardedError",
    "JudgeflowError",
    "LimitReached",
    "ModelKindError",
    "NotResumableError",
    "ObservabilityError",
    "PausedError",
    "ProviderContractError",
    "ProviderError",
    "QualityGateError",
    "SerializationError",
    "StepError",
    "TestSetupError",
    "UnknownThreadError",
    "ValidationError",
    "failed_step",
]


class JudgeflowError(StepFailure):
    """The base. `code` is stable; the message names what happened and what to do."""

    code = "error"

    def __init__(self, message: str, *, code: str | None = None) -> None:
        super().__init__(message)
        self.message = message
        if code is not None:
            self.code = code


class AbortError(JudgeflowError):
    """A caller's own handle, limit or signal ended the work. Raised at the public edge only."""

    code = "abort"


class ConfigurationError(JudgeflowError):
    """A program was put together wrongly. Raised before context is resolved and before any call."""

    code = "configuration"


class SerializationError(JudgeflowError):
    """A value that is to be sent is not JSON. `path` says where (`$.ticket.when`)."""

    code = "serialization"

    def __init__(self, message: str, *, path: str = "$") -> None:
        super().__init__(message)
        self.path = path


class ProviderError(JudgeflowError):
    """A model service did not give a whole answer.

    `status` is the HTTP status where there was one, `retryable` whether the same request may succeed later,
    `attempts` how many times it was sent, `retry_after` the seconds the service asked for, `usage` what was paid for
    all the same (a refused, filtered or cut answer), None where nothing is known to be.
    """

    code = "provider"

    def __init__(
        self,
        message: str,
        *,
        code: str | None = None,
        status: int | None = None,
        retryable: bool = False,
        attempts: int = 1,
        retry_after: float | None = None,
        usage: Usage | None = None,
    ) -> None:
        super().__init__(message, code=code)
        self.status = status
        self.retryable = retryable
        self.attempts = attempts
        self.retry_after = retry_after
        self.usage = usage


class ProviderContractError(ProviderError):
    """A service answered outside its contract; nothing of the answer was used."""

    code = "provider.contract"


class ObservabilityError(JudgeflowError):
    """Something that only looks on went wrong: an event hook raised, or what a service tells of itself cannot be read.
    Nothing else changes because of it. The cause is chained; `id` is that of the decision or run."""

    code = "observability"

    def __init__(self, message: str, *, id: str) -> None:
        super().__init__(message)
        self.id = id


class ModelKindError(JudgeflowError):
    """A chat model was asked to decide, or a decision model to chat."""

    code = "model.wrong-kind"


class ValidationError(JudgeflowError):
    """A value stands outside its legal range. `field` names it: `threshold`, `output` or `llm_response`."""

    code = "validation"

    def __init__(self, message: str, *, field: str) -> None:
        super().__init__(message)
        self.field = field


class StepError(JudgeflowError):
    """A step of a flow failed. `code` is `step.<kind>` or finer; the cause is chained."""

    code = "step"

    def __init__(self, message: str, *, code: str, step: str) -> None:
        super().__init__(message, code=code)
        self.step = step


def failed_step(step: str, code: str, cause: StepFailure, *, judge: str | None = None) -> StepError:
    """The step's own error for a cause that has no step of its own; a `StepError` keeps its code. `judge` is who broke
    where that was not the step itself."""
    message = str(cause)
    if cause.__cause__ is not None and not isinstance(cause, JudgeflowError):
        message = f"{message}: {cause.__cause__}{place_in_hook(cause.__cause__)}"
    if judge is not None and not message.startswith((f"{judge}:", f"'{judge}' ")):
        message = f"{judge}: {message}"
    return StepError(
        message if message.startswith(f"{step}:") else f"{step}: {message}",
        code=cause.code if isinstance(cause, StepError) else code,
        step=step,
    )


class QualityGateError(StepError):
    """An agent's retries are spent and its last answer was still rejected.

    `rejections` are the last answer's, (judge, reason) in listed order; `retries` how often it was sent back; `usage`
    and `cost` what the whole visit has used, its judges included.
    """

    def __init__(
        self,
        agent: str,
        rejections: tuple[tuple[str, str], ...],
        retries: int,
        usage: records.Usage,
        cost: Cost,
    ) -> None:
        reasons = "; ".join(f"{judge}: {reason}" for judge, reason in rejections)
        super().__init__(
            f"{agent}: the last of {retries + 1} answers was rejected: {reasons}",
            code="step.agent.quality-gate",
            step=agent,
        )
        self.rejections = rejections
        self.retries = retries
        self.usage = usage
        self.cost = cost


class GuardedError(JudgeflowError):
    """The run was ended by what guards it: a gate's block, a `stop`, a person's no, a loop that was spent. `code` is
    the record's; `value` a gate's own value, else None."""

    code = "guarded"

    def __init__(self, message: str, *, code: str, value: Any = None) -> None:
        super().__init__(message, code=code)
        self.value = value


class PausedError(JudgeflowError):
    """The run waits for a person: `question` is asked of them, with `showing` beside it."""

    code = "approve.waiting"

    def __init__(self, question: str, *, showing: Any = None) -> None:
        super().__init__(f"a person has to answer first: {question}")
        self.question = question
        self.showing = showing


class EndsRun(JudgeflowError):
    """Ends the run, whatever stands around the step: `try`, `race`, `best of` and fallbacks let it through."""


class LimitReached(EndsRun):
    """A limit of the run or the day is spent; the run ends as `guarded`."""

    code = "limit"

    def __init__(
        self,
        message: str,
        *,
        what: Literal["cost", "tokens", "calls", "time"],
        per: Literal["run", "day"],
        allowed: str,
        spent: str,
    ) -> None:
        super().__init__(message, code=f"limit.{what}")
        self.what = what
        self.per = per
        self.allowed = allowed
        self.spent = spent


class UnknownThreadError(JudgeflowError):
    """A run was to continue a thread that the store does not know. Raised before any call."""

    code = "thread.unknown"


class NotResumableError(JudgeflowError):
    """A run that nothing can be gone on with: it has ended, or it is under way already."""

    code = "resume.not-waiting"


class TestSetupError(EndsRun):
    """A test scripts what cannot be scripted, or leaves out what must be."""

    code = "test.setup"
    __test__ = False
