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


@asynccontextmanager
async def on_demand(name: str, opens: Opens) -> AsyncIterator[Callable[[Any], Awaitable[Any]]]:
    """A behaviour that is set up by its first message, in a task of its own: whoever sent that message may be gone
    before it is there. Where it cannot be set up, everyone who asks is told."""
    wanted, settled, order = trio.Event(), trio.Event(), trio.Lock()
    handlers: list[Callable[[Any], Awaitable[Any]]] = []

    async def keep() -> None:
        await wanted.wait()
        async with or_its_failure(name, opens, settled.set) as handle:
            handlers.append(handle)
            await trio.sleep_forever()

    async def handle(message: Any) -> Any:
        if not handlers:
            wanted.set()
            # One after the other: messages that wait are handled in the order in which they came.
            async with order:
                await settled.wait()
        return await handlers[0](message)

    async with trio.open_nursery() as nursery:
        nursery.start_soon(keep)
        yield handle
        nursery.cancel_scope.cancel()


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
