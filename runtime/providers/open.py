"""A target becomes a provider whose connections, or whose process, live as long as its `async with`."""

from __future__ import annotations

from collections.abc import AsyncIterator
from contextlib import asynccontextmanager

import trio

from ..judge.errors import ConfigurationError
from ..judge.protocol import Provider
from .clockwork import Clockwork
from .echo import Echo
from .settings import CONCURRENCY, Target

_CLOSING = 5.0


@asynccontextmanager
async def open_provider(target: Target, clockwork: Clockwork | None = None) -> AsyncIterator[Provider]:
    """Nothing is sent before the first call. What a run leaves open is closed here, however the run ended."""
    provider = make_provider(target, clockwork or Clockwork())
    try:
        yield provider
    finally:
        with trio.move_on_after(_CLOSING, shield=True):
            await provider.aclose()


def make_provider(target: Target, clockwork: Clockwork) -> Provider:
    """A provider that its maker closes. Services are imported where one is asked for: an echo needs no HTTP."""
    if target.api == "echo":
        return Echo(target.name, target.concurrency or CONCURRENCY)
    if target.api == "local":
        from .local import LocalModel  # noqa: PLC0415

        return LocalModel(target, clockwork)
    if target.api in ("openai", "anthropic"):
        from .chat import ANTHROPIC, OPENAI, ChatService  # noqa: PLC0415

        return ChatService(target, OPENAI if target.api == "openai" else ANTHROPIC, clockwork)
    if target.api in ("systemone", "decisions"):
        from .decide import DECISIONS, SYSTEM_ONE, DecisionService  # noqa: PLC0415

        return DecisionService(target, SYSTEM_ONE if target.api == "systemone" else DECISIONS, clockwork)
    raise ConfigurationError(f"{target.name}: scripted models are opened by the program, not by a service")
