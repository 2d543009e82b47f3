"""`--cache`: replies kept on this machine, so that the same request in a later run is answered without a service.

A request is known by what is asked of whom: service, model, messages, tools and settings, and which attempt it is.
A run that makes one request several times (`best of 3`, a loop) gets a reply of its own each time, and a later run
gets the same ones: within a run no kept reply is given twice. Only whole, valid replies are kept.
"""

from __future__ import annotations

import os
from collections import OrderedDict
from collections.abc import Awaitable, Callable, Mapping
from contextlib import suppress
from pathlib import Path
from typing import Any, TypeVar

import msgspec

from ..judge.contract import decisions_of
from ..judge.errors import JudgeflowError
from ..judge.protocol import Caller, ChatReply, ChatRequest, DecisionReply, DecisionRequest, Provider
from ..store.canonical import NonJsonValueError, canonical_hash
from .settings import Target
from .usage import NOTHING

VARIABLE = "JUDGEFLOW_CACHE"
MOST_RUNS = 1000
"""Runs of which it is remembered what they were given."""
_FORMAT = 1
"""Another one makes other keys, so that what an older version has kept is left alone."""

Asked = TypeVar("Asked", ChatRequest, DecisionRequest)
Reply = TypeVar("Reply", ChatReply, DecisionReply)


def cache_folder(environ: Mapping[str, str], *, platform: str, home: Path) -> Path:
    """The folder that `$JUDGEFLOW_CACHE` names, else one in the user's cache folder."""
    named = environ.get(VARIABLE, "").strip()
    if named:
        return home / named[2:] if named.startswith("~/") else Path(named)
    xdg = Path(environ.get("XDG_CACHE_HOME", ""))
    if xdg.is_absolute():
        return xdg / "judgeflow"
    if platform == "darwin":
        return home / "Library" / "Caches" / "judgeflow"
    if platform == "win32":
        local = environ.get("LOCALAPPDATA", "")
        return (Path(local) if local else home / "AppData" / "Local") / "judgeflow" / "Cache"
    return home / ".cache" / "judgeflow"


class ReplyCache:
    """A folder of replies: one folder a request, one file for each reply to it. Several processes may share it.

    Nothing here waits: a reply that was paid for is kept before anything can be cancelled. A folder that cannot be
    written keeps nothing, and says so in `trouble`.
    """

    def __init__(self, folder: Path) -> None:
        self._folder = folder
        self._given: OrderedDict[str, set[Path]] = OrderedDict()
        self.taken = 0
        """Replies that were given out."""
        self.trouble: str | None = None

    def take(self, run: str, key: str, place: int, kind: type[Reply]) -> Reply | None:
        """A kept reply that this run has not been given: the one at its own place, else the first."""
        given = self._given_to(run)
        for path in _in_order(self._of(key), place):
            reply = None if path in given else _read(path, kind)
            if reply is not None:
                given.add(path)
                self.taken += 1
                return reply
        return None

    def keep(self, run: str, key: str, place: int, reply: ChatReply | DecisionReply) -> None:
        """Keeps a reply at its place, or at the next one that this run does not use."""
        folder = self._of(key)
        given = self._given_to(run)
        while (path := folder / f"{place}.json") in given:
            place += 1
        given.add(path)
        try:
            folder.mkdir(mode=0o700, parents=True, exist_ok=True)
            draft = folder / f".{os.getpid()}-{place}.tmp"
            draft.write_bytes(msgspec.json.encode(reply))
            draft.replace(path)
        except OSError as error:
            self.trouble = f"{self._folder}: {error.strerror or error}"
        except (TypeError, ValueError) as error:
            self.trouble = f"a reply that is no JSON: {error}"

    def _of(self, key: str) -> Path:
        return self._folder / key[:2] / key

    def _given_to(self, run: str) -> set[Path]:
        given = self._given.setdefault(run, set())
        self._given.move_to_end(run)
        if len(self._given) > MOST_RUNS:
            self._given.popitem(last=False)
        return given


class CachedProvider:
    """A provider in front of which a cache stands. What a cached reply has cost was paid when it was kept."""

    def __init__(self, inner: Provider, cache: ReplyCache, target: Target) -> None:
        self.name = inner.name
        self.concurrency = inner.concurrency
        self._inner = inner
        self._cache = cache
        self._service = [_FORMAT, target.api, target.url, target.rounding]

    async def chat(self, request: ChatRequest) -> ChatReply:
        return await self._reply(
            "chat", request, self._inner.chat, ChatReply, lambda reply: not reply.scripted
        )

    async def decide(self, request: DecisionRequest) -> DecisionReply:
        def is_valid(reply: DecisionReply) -> bool:
            return _is_valid(request, reply)

        return await self._reply("decide", request, self._inner.decide, DecisionReply, is_valid)

    async def _reply(
        self,
        kind: str,
        request: Asked,
        ask: Callable[[Asked], Awaitable[Reply]],
        shape: type[Reply],
        is_worth_keeping: Callable[[Reply], bool],
    ) -> Reply:
        key = self._key(kind, request)
        if key is None:
            return await ask(request)
        run, place = request.caller.run, _place(request.caller)
        kept = self._cache.take(run, key, place, shape)
        if kept is not None:
            return msgspec.structs.replace(kept, usage=NOTHING, cached=True)
        reply = await ask(request)
        if is_worth_keeping(reply):
            self._cache.keep(run, key, place, reply)
        return reply

    async def aclose(self) -> None:
        await self._inner.aclose()

    def _key(self, kind: str, request: ChatRequest | DecisionRequest) -> str | None:
        """None for what is no JSON: the service's own module says what is wrong with it."""
        asked: dict[str, Any] = {
            name: value
            for name, value in msgspec.structs.asdict(request).items()
            if name not in ("caller", "timeout")
        }
        try:
            plain = msgspec.to_builtins(asked)
            return canonical_hash([kind, self._service, plain, request.caller.attempt])
        except (NonJsonValueError, TypeError, ValueError):
            return None


def _place(caller: Caller) -> int:
    return max(caller.sample - 1, 0)


def _in_order(folder: Path, place: int) -> list[Path]:
    """The replies in a folder, the one at `place` first."""
    try:
        found = [path for path in folder.iterdir() if path.stem.isdecimal() and path.suffix == ".json"]
    except OSError:
        return []
    return sorted(found, key=lambda path: (int(path.stem) != place, int(path.stem)))


def _read(path: Path, kind: type[Reply]) -> Reply | None:
    """What cannot be read is as good as not there: it is asked for, and kept, again."""
    with suppress(OSError, msgspec.DecodeError):
        return msgspec.json.decode(path.read_bytes(), type=kind)
    return None


def _is_valid(request: DecisionRequest, reply: DecisionReply) -> bool:
    """A decision that breaks its contract, or is refused, is asked for again the next time."""
    try:
        return not decisions_of(request.questions, reply).refused
    except JudgeflowError:
        return False
