"""Decision providers for applications: `judgeflow.providers`.

Each gives an object for `create_judge`. Keys are read from the environment and a missing one is a `ConfigurationError`
here, before any question. Nothing is opened before the first question; `async with create_judge(…)` closes it.
"""

from __future__ import annotations

import os
from collections.abc import Callable, Mapping
from typing import Any
from weakref import WeakKeyDictionary

import msgspec
import trio

from ..decisions import ModelDecisions
from ..judge.errors import ConfigurationError
from ..judge.protocol import DecisionModel, DecisionReply, DecisionRequest, Provider
from .choose import BUILTIN, choose
from .clockwork import Clockwork
from .open import make_provider
from .script import Line, Script, ScriptProvider
from .settings import ModelChoice, ProviderSettings

SYSTEM_ONE = "typesafe/jev-1.13"


def system_one(
    model: str = SYSTEM_ONE,
    *,
    url: str | None = None,
    timeout: float | None = None,
    retries: int | None = None,
    concurrency: int | None = None,
    environ: Mapping[str, str] = os.environ,
) -> ModelDecisions:
    """System One, the decision service of typesafe.ai, or of OpenRouter where only its key is set.

    The key is `TYPESAFE_API_KEY` or `OPENROUTER_API_KEY`. `url` is another address of the same interface, version
    included; `timeout` is in seconds for a whole question, `retries` how often it is sent again. The service rounds to
    two decimals: its probabilities are scaled to add up to 1, and `metadata.normalized` says where.
    """
    return _service(
        _moved("typesafe", model, url, environ, rounding=2) or ModelChoice(model, kind="decision"),
        timeout,
        retries,
        concurrency,
        environ,
    )


def openai_decisions(
    model: str,
    *,
    url: str | None = None,
    timeout: float | None = None,
    retries: int | None = None,
    concurrency: int | None = None,
    rounding: int | None = None,
    environ: Mapping[str, str] = os.environ,
) -> ModelDecisions:
    """OpenAI's decisions, or another service with that interface at `url`. The key is `OPENAI_API_KEY`.

    `rounding` is the number of decimals to which the service rounds, where it does.
    """
    choice = _moved("openai_decisions", model, url, environ, rounding=rounding)
    if choice is None:
        choice = ModelChoice(model, via="openai_decisions", kind="decision", rounding=rounding)
    return _service(choice, timeout, retries, concurrency, environ)


def chat_model(
    model: str,
    *,
    via: str | None = None,
    timeout: float | None = None,
    retries: int | None = None,
    concurrency: int | None = None,
    environ: Mapping[str, str] = os.environ,
) -> ModelDecisions:
    """A chat model that decides: `chat_model("openai/gpt-6-mini")`, `chat_model("ollama/qwen3:4b")`,
    `chat_model("local/smollm2")`.

    It is asked for one word and its log-probabilities are read; where a service gives none, it states numbers in JSON.
    `metadata.origin` says which it was.
    """
    return _service(ModelChoice(model, via=via, kind="decision"), timeout, retries, concurrency, environ)


def scripted(answers: Mapping[str, Any]) -> ModelDecisions:
    """Answers that are written down, by question: for tests, without a network or a key.

    A condition is P(yes), a choice an option or its probabilities by option, a score a level or its index. A list gives
    one answer a question, in turn. What is not there is a `TestSetupError`.
    """
    script = Script(
        [Line(question, value, isinstance(value, list)) for question, value in answers.items()],
        "the scripted provider",
    )
    return ModelDecisions(ScriptProvider(script), "script", "script")


class OpenedOnUse:
    """A service that is opened by its first question, once in each event loop that asks."""

    def __init__(self, make: Callable[[], Provider]) -> None:
        self._make = make
        self._open: WeakKeyDictionary[trio.lowlevel.TrioToken, Provider] = WeakKeyDictionary()

    async def decide(self, request: DecisionRequest) -> DecisionReply:
        token = trio.lowlevel.current_trio_token()
        provider = self._open.get(token)
        if provider is None:
            provider = self._open[token] = self._make()
        return await provider.decide(request)

    async def aclose(self) -> None:
        provider = self._open.pop(trio.lowlevel.current_trio_token(), None)
        if provider is not None:
            with trio.move_on_after(_CLOSING, shield=True):
                await provider.aclose()


_CLOSING = 5.0


def _service(
    choice: ModelChoice,
    timeout: float | None,
    retries: int | None,
    concurrency: int | None,
    environ: Mapping[str, str],
) -> ModelDecisions:
    if choice.slug.startswith("script/"):
        raise ConfigurationError(
            "script/… belongs to a file; use providers.scripted(…)", code="model.wrong-kind"
        )
    chosen = choose(
        msgspec.structs.replace(choice, timeout=timeout, retries=retries, concurrency=concurrency), environ
    )
    target = chosen.target
    clockwork = Clockwork(environ=environ)
    model: DecisionModel = OpenedOnUse(lambda: make_provider(target, clockwork))
    gateway = None if chosen.vendor is None else target.name
    return ModelDecisions(model, chosen.model, chosen.vendor or target.name, gateway, timeout)


def _moved(
    name: str, model: str, url: str | None, environ: Mapping[str, str], *, rounding: int | None
) -> ModelChoice | None:
    """A service of the table at another address, with its usual key where there is one."""
    if url is None:
        return None
    usual = BUILTIN[name]
    key = environ.get(usual.key_env or "", "").strip() or None
    settings = ProviderSettings(name, usual.api, url, key, rounding=rounding)
    slug = model.removeprefix(f"{name.partition('_')[0]}/")
    return ModelChoice(slug, via=name, kind="decision", provider=settings)


__all__ = ["chat_model", "openai_decisions", "scripted", "system_one"]
