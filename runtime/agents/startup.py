"""Actors whose set-up fails say so to everyone who asks, instead of failing again and again."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from functools import partial
from typing import Any, NoReturn

from ..core import StepFailure
from ..judge.errors import ConfigurationError

Opens = Callable[[], AbstractAsyncContextManager[Callable[[Any], Awaitable[Any]]]]


@asynccontextmanager
async def or_its_failure(name: str, opens: Opens) -> AsyncIterator[Callable[[Any], Awaitable[Any]]]:
    """The handler of a behaviour; where it cannot be set up, one that answers with the reason."""
    async with AsyncExitStack() as stack:
        try:
            handle = await stack.enter_async_context(opens())
        except Exception as error:
            handle = partial(_refuse, _told(name, error))
        yield handle


def _told(name: str, error: Exception) -> StepFailure:
    if isinstance(error, StepFailure):
        return error
    failure = ConfigurationError(
        f"{name} cannot be started: {type(error).__name__}: {error}", code="actor.start"
    )
    failure.__cause__ = error
    return failure


async def _refuse(failure: StepFailure, message: object) -> NoReturn:
    # Raised to many askers over time: the traceback of each would be kept for ever.
    raise failure.with_traceback(None)
