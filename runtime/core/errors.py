"""What can go wrong with an actor. A `StepFailure` is a value for whoever asked; anything else is a bug."""

from __future__ import annotations

from typing import Any


class StepFailure(Exception):
    """An expected failure (a refused answer, a provider error): it reaches the asker and crashes nobody."""

    def __reduce__(self) -> tuple[Any, ...]:
        """Copied and pickled as it is, whatever its class takes to be made."""
        return _restored, (type(self), self.args), self.__dict__


def _restored(kind: type[StepFailure], args: tuple[Any, ...]) -> StepFailure:
    return kind.__new__(kind, *args)


class ActorFailure(StepFailure):
    """An actor could not answer. `name` says which; `__cause__` is the bug behind it, where there is one."""

    def __init__(self, name: str, what: str, cause: BaseException | None = None) -> None:
        super().__init__(f"{name!r} {what}")
        self.name = name
        self.__cause__ = cause


class ActorStopped(ActorFailure):
    """It was stopped before it answered."""

    def __init__(self, name: str, cause: BaseException | None = None) -> None:
        super().__init__(name, "is stopped; use it while its supervisor runs", cause)


class ActorCrashed(ActorFailure):
    """It met a bug over this message, which is never sent again."""

    def __init__(self, name: str, cause: BaseException) -> None:
        super().__init__(name, f"crashed over this message ({type(cause).__name__})", cause)


class AskTimeout(ActorFailure):
    """No reply in time, time in the mailbox included; the handler was cancelled."""

    def __init__(self, name: str, seconds: float) -> None:
        super().__init__(name, f"gave no reply in {seconds:g} s")


class MailboxFull(ActorFailure):
    """`tell_nowait` found no room."""

    def __init__(self, name: str, size: int) -> None:
        fix = f"wait with `await ref.tell(...)`, or start it with a `mailbox` above {size}"
        super().__init__(name, f"has a full mailbox ({size} waiting): {fix}")


class Finished(Exception):
    """Raised by a handler that is done for good. Its asker gets `reply`; a permanent actor starts anew."""

    def __init__(self, reply: object = None) -> None:
        self.reply = reply
