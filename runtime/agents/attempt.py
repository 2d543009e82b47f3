"""One answer of an agent in the making, and its line in the record, however it ends."""

from __future__ import annotations

from collections.abc import Set
from types import TracebackType
from typing import Any, Literal

import msgspec

from ..expr import to_json
from ..judge.protocol import ChatReply, Message
from ..run import Run, Step
from ..store.money import Money
from ..store.records import AttemptOutcome, AttemptRecord, Usage
from .answers import TypedAnswer
from .tool_use import masked


class Attempt:
    """A context: when it is left, the attempt is in the step's record. What was paid for is in it even where the run
    was cancelled before anything was made of it."""

    __slots__ = (
        "_answer",
        "_mark",
        "_messages",
        "_outcome",
        "_reason",
        "_reply",
        "_run",
        "_secrets",
        "_spent",
        "_started",
        "_step",
        "number",
    )

    def __init__(self, run: Run, step: Step, number: int, messages: list[Message], secrets: Set[str]) -> None:
        self.number = number
        self._run = run
        self._step = step
        self._messages = messages
        self._secrets = secrets
        self._mark = step.ledger.mark()
        self._spent: tuple[Usage, Money] | None = None
        self._started = run.stamp()
        self._reply: ChatReply | None = None
        self._answer: TypedAnswer | None = None
        self._outcome: AttemptOutcome = "cancelled"
        self._reason: str | None = None

    @property
    def replied(self) -> ChatReply:
        """The last reply of the agent's model."""
        assert self._reply is not None
        return self._reply

    def came(self, reply: ChatReply, answer: TypedAnswer | None) -> None:
        """A reply is there, and maybe an answer in it."""
        self._reply = reply
        if answer is not None:
            self._answer = answer
            self._spent = self._step.ledger.since(self._mark)

    def judged(self, reasons: str) -> None:
        self._outcome = "rejected" if reasons else "accepted"
        self._reason = reasons or None

    def failed(self, reason: str) -> None:
        self._outcome = "failed"
        self._reason = reason

    def __enter__(self) -> Attempt:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        if isinstance(error, Exception) and self._outcome == "cancelled":
            self.failed(f"{type(error).__name__}: {error}")
        # Without an answer no judge was asked: all that was spent since the start are the agent's own calls.
        usage, cost = self._spent or self._step.ledger.since(self._mark)
        reply, answer = self._reply, self._answer
        self._step.attempts.append(
            AttemptRecord(
                number=self.number,
                outcome=self._outcome,
                variant=answer.variant if answer else None,
                answer=answer.value if answer else None,
                reason=self._reason,
                model=reply.model if reply else None,
                usage=usage,
                cost=cost,
                started=self._started,
                ended=self._run.stamp(),
                prompt=self._captured(msgspec.to_builtins(self._messages)) if self._run.capture else None,
                raw=self._captured(_raw(reply)) if self._run.capture and reply else None,
                form=_form(reply),
            )
        )

    def _captured(self, value: Any) -> Any:
        return masked(value, tuple(self._secrets))


def _form(reply: ChatReply | None) -> Literal["tools", "schema", "words"] | None:
    return reply.form if reply is not None and (reply.tool_calls or reply.form != "tools") else None


def _raw(reply: ChatReply) -> str:
    return reply.text or to_json(msgspec.to_builtins(reply.tool_calls))
