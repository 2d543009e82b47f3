"""What an application is told of each decision, and what happens when being told goes wrong."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from contextlib import suppress
from inspect import iscoroutine, iscoroutinefunction
from typing import Any, Literal

import attrs

from ..judge.errors import ConfigurationError, ObservabilityError
from ..judge.protocol import Usage


@attrs.frozen
class Captured:
    """What is sensitive: only there where capturing is on."""

    context: Mapping[str, Any]
    raw: Any


@attrs.frozen(kw_only=True)
class DecisionEvent:
    """A decision was validated and its branch is known; nothing of the branch has run."""

    id: str
    """The invocation's, as callbacks get it."""
    kind: Literal["boolean", "choice", "score"]
    selected: str | bool
    """Of a score the label of its likeliest level."""
    confidence: float
    outcome: Literal["accepted", "uncertain"]
    duration_ms: float
    """Of the provider's work."""
    provider: str
    gateway: str | None = None
    model: str | None = None
    usage: Usage | None = None
    captured: Captured | None = attrs.field(default=None, repr=False)


OnDecision = Callable[[DecisionEvent], object]
OnError = Callable[[ObservabilityError], object]


def check_hooks(on_decision: object, on_error: object) -> None:
    for name, hook in (("on_decision", on_decision), ("on_error", on_error)):
        if hook is None:
            continue
        if not callable(hook):
            raise ConfigurationError(f"`{name}` must be a function", code="decision.hook")
        if iscoroutinefunction(hook):
            raise ConfigurationError(
                f"`{name}` must be a plain function: it is called between the answer and the branch, where nothing "
                "may wait. Put the event into a memory channel with `send_nowait` to do more with it",
                code="decision.hook",
            )


@attrs.frozen(eq=False)
class Hooks:
    """Isolated: whatever they do, the decision and its branch are the same."""

    on_decision: OnDecision | None
    on_error: OnError | None

    def tell(self, event: DecisionEvent) -> None:
        if self.on_decision is None:
            return
        try:
            returned = self.on_decision(event)
            if iscoroutine(returned):
                returned.close()
                raise ConfigurationError(
                    "`on_decision` returned a coroutine, which nobody awaits", code="decision.hook"
                )
        except Exception as error:
            self.failed(f"on_decision failed ({type(error).__name__})", event.id, error)

    def failed(self, what: str, id: str, cause: Exception | None = None) -> None:
        """Something that is only there to be looked at went wrong."""
        if self.on_error is None:
            return
        failure = ObservabilityError(what, id=id)
        failure.__cause__ = cause
        with suppress(Exception):
            returned = self.on_error(failure)
            if iscoroutine(returned):
                returned.close()
