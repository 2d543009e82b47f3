"""How actors start: all of them before the first message, and one whose set-up fails says so to everyone who asks."""

from __future__ import annotations

from collections.abc import AsyncIterator, Awaitable, Callable
from contextlib import AbstractAsyncContextManager, AsyncExitStack, asynccontextmanager
from functools import partial
from typing import Any, NoReturn

import trio

from ..core import StepFailure
from ..judge.errors import ConfigurationError

Opens = Callable[[], AbstractAsyncContextManager[Callable[[Any], Awaitable[Any]]]]


class Starting:
    """Tells when every actor of a program has been set up: what is sent to several before that would be handled in
    any order."""

    def __init__(self) -> None:
        self._missing: set[object] = set()
        self._all_there = trio.Event()

    def expect(self) -> Callable[[], None]:
        """One more actor; to be called when it is there."""
        token = object()
        self._missing.add(token)

        def arrived() -> None:
            self._missing.discard(token)
            if not self._missing:
                self._all_there.set()

        return arrived

    async def wait(self) -> None:
        if self._missing:
            await self._all_there.wait()


@asynccontextmanager
async def or_its_failure(
    name: str, opens: Opens, arrived: Callable[[], None]
) -> AsyncIterator[Callable[[Any], Awaitable[Any]]]:
    """The handler of a behaviour; where it cannot be set up, one that answers with the reason."""
    async with AsyncExitStack() as stack:
        try:
            handle = await stack.enter_async_context(opens())
        except Exception as error:
            handle = partial(_refuse, _told(name, error))
        arrived()
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
