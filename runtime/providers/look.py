"""Looks at the services that need no declaration: what is open here, and what one tiny call to each comes to."""

from __future__ import annotations

import math
from collections.abc import Mapping
from contextlib import AbstractAsyncContextManager
from decimal import Decimal
from typing import Any, Literal

import attrs
import trio

from ...dsl.prices import list_price
from ..judge.errors import JudgeflowError, ProviderError
from ..judge.protocol import Caller, ChatRequest, DecisionQuestion, DecisionRequest, Message, Provider
from .choose import BUILTIN, Found, choose, survey
from .clockwork import Clockwork
from .decide import JsonReader
from .open import open_provider
from .service import Call, Service
from .settings import ModelChoice, Target, Timing

QUICK = Timing(connect=2.0, first_byte=5.0, idle=5.0)
"""For looking; a call is given as long as any other."""
_LONGEST_CALL = 60.0
_CALLER = Caller("doctor")
_DECIDES = {"typesafe": "jev-1.13"}
"""Decision services have no list of models."""
_NO_CHAT = ("embed", "tts", "whisper", "image", "audio", "rerank", "moderation", "realtime", "transcribe")
_CUT_AND_WELL = ("provider.length", "provider.no-content")
"""One token is hardly ever a whole answer; that one came is what was to be seen."""


@attrs.frozen
class Seen:
    """`state`: `open` has its key or is running, `answered` gave an answer, `shut` lacks its key, `absent` is not
    running, `failed` is there and does not answer. `said` is what to show."""

    name: str
    url: str
    state: Literal["open", "answered", "shut", "absent", "failed"]
    said: str
    models: tuple[str, ...] = ()
    """Those that it lists, where it was asked for them."""

    @property
    def is_well(self) -> bool:
        return self.state in ("open", "answered")


async def look(environ: Mapping[str, str], clockwork: Clockwork, *, call: bool = False) -> tuple[Seen, ...]:
    """All of them, in the order of the table. Servers on this machine are looked at; a service with a key is asked
    with `call` alone, once, with its cheapest model."""
    found = survey(environ)
    seen: dict[str, Seen] = {}

    async def one(service: Found) -> None:
        seen[service.name] = await _look_at(service, environ, clockwork, call=call)

    async with trio.open_nursery() as nursery:
        for service in found:
            nursery.start_soon(one, service)
    return tuple(seen[service.name] for service in found)


async def try_call(
    opened: AbstractAsyncContextManager[Provider], model: str, *, decides: bool = False
) -> tuple[bool, str]:
    """Whether one tiny call is answered, and what to say of it."""
    began = trio.current_time()
    try:
        async with opened as provider:
            if decides:
                question = DecisionQuestion("q", "condition", "Is water wet?")
                await provider.decide(DecisionRequest(model, "Water.", (question,), _CALLER, _LONGEST_CALL))
            else:
                hello = (Message("user", "Say hi."),)
                await provider.chat(ChatRequest(model, hello, _CALLER, max_tokens=16, timeout=_LONGEST_CALL))
    except JudgeflowError as error:
        if error.code not in _CUT_AND_WELL:
            return False, f"{error.message} ({error.code})"
    return True, f"{model} answered in {trio.current_time() - began:.1f} s"


async def _look_at(found: Found, environ: Mapping[str, str], clockwork: Clockwork, *, call: bool) -> Seen:
    builtin = BUILTIN[found.name]
    if found.missing is not None:
        return Seen(found.name, found.url, "shut", f"set {found.missing}")
    try:
        target = choose(ModelChoice(f"{found.name}/x", via=found.name, retries=0), environ).target
    except JudgeflowError as error:
        return Seen(found.name, found.url, "failed", error.message)
    if builtin.key_env is not None and not call:
        return Seen(found.name, found.url, "open", f"{builtin.key_env} is set; not asked")
    models: list[str] = []
    if builtin.api in ("openai", "anthropic"):
        try:
            models = await models_of(target, clockwork)
        except ProviderError as error:
            return _not_there(found, builtin.url_env, error)
    if not call:
        return Seen(found.name, found.url, "open", f"running: {_named(models)}", tuple(models))
    model = _DECIDES.get(found.name) or cheapest(found.name, models)
    if model is None:
        return Seen(found.name, found.url, "open", "not asked: which model to ask is not known")
    well, said = await try_call(
        open_provider(target, clockwork), model, decides=builtin.api in ("systemone", "decisions")
    )
    return Seen(found.name, found.url, "answered" if well else "failed", said, tuple(models))


def _not_there(found: Found, variable: str | None, error: ProviderError) -> Seen:
    if BUILTIN[found.name].key_env is None and error.code == "provider.refused":
        return Seen(found.name, found.url, "absent", f"not running; start it, or set {variable}")
    if BUILTIN[found.name].key_env is None and error.code in ("provider.not-json", "provider.no-model"):
        said = f"something else answers there; {variable} says where {found.name} is"
        return Seen(found.name, found.url, "absent", said)
    return Seen(found.name, found.url, "failed", f"{error.message} ({error.code})")


async def models_of(target: Target, clockwork: Clockwork) -> list[str]:
    """The names of a service's models (`GET …/models`), as it lists them. Raises `ProviderError`."""
    from .chat import ANTHROPIC, OPENAI  # noqa: PLC0415  # only looking at a chat service needs them

    dialect = ANTHROPIC if target.api == "anthropic" else OPENAI
    service = Service(target, attrs.evolve(clockwork, timing=QUICK), auth=dialect.auth(target))
    try:
        call: Call[Any] = Call(
            "/models", b"", lambda head: JsonReader(service.failures), _CALLER, timeout=10.0, method="GET"
        )
        data, _ = await service.call(call)
    finally:
        with trio.move_on_after(1, shield=True):
            await service.aclose()
    listed = data.get("data") if isinstance(data, dict) else None
    if not isinstance(listed, list):
        raise service.failures.make("provider.not-json", "it lists no models")
    names = [item["id"] for item in listed if isinstance(item, dict) and isinstance(item.get("id"), str)]
    return [service.failures.hide(name) for name in names]


def cheapest(service: str, models: list[str]) -> str | None:
    """The model to try: the cheapest on the price list, else the first that can chat."""

    def dollars(model: str) -> Decimal:
        price = list_price(model if "/" in model else f"{service}/{model}")
        return Decimal(math.inf) if price is None else Decimal(price.output)

    chats = [model for model in models if not any(word in model.lower() for word in _NO_CHAT)]
    return min(chats, key=dollars, default=None)


def _named(models: list[str]) -> str:
    if not models:
        return "it has no model yet"
    more = f" and {len(models) - 4} more" if len(models) > 4 else ""
    return ", ".join(models[:4]) + more
