"""A supervisor keeps its children alive, each life in a task of its own.

It is itself the state of an actor that takes no messages (`_node`), so supervisors nest, crash, are renewed
and stop like any other actor.
"""

from collections import deque
from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from functools import partial
from math import inf
from random import Random
from typing import Any, Never, TypeAlias, overload

import attrs
import trio

from .actor import ActorRef
from .cancel import shielded, shrink
from .exceptions import ActorStopped, RestartsExhausted
from .life import Cause, Life
from .spec import ActorSpec, Backoff, Intensity, M, R, Strategy, SupervisorSpec
from .trace import Trace

Node: TypeAlias = ActorRef[Never, Any]
_ROOT_INTENSITY, _BACKOFF = Intensity(1, 60.0), Backoff()


@attrs.define(eq=False)
class Supervisor:
    """Made by `open_supervisor`, or by `start` of another one. The calls of `start` set the start order."""

    _spec: SupervisorSpec
    _trace: Trace | None
    _random: Random
    _node: Node = attrs.field(init=False)
    _children: "dict[Node, Supervisor | None]" = attrs.field(factory=dict, init=False)
    _nursery: trio.Nursery | None = attrs.field(default=None, init=False)
    _history: deque[tuple[float, Node]] = attrs.field(factory=deque, init=False)
    _failures: list[Exception] = attrs.field(factory=list, init=False)
    _changed: trio.lowlevel.ParkingLot = attrs.field(factory=trio.lowlevel.ParkingLot, init=False)
    _turn: trio.Lock = attrs.field(factory=trio.Lock, init=False)

    def __attrs_post_init__(self) -> None:
        spec = self._spec
        own = ActorSpec(name=spec.name, behaviour=self._running, restart=spec.restart, service=spec.service)
        self._node = ActorRef(own, self._trace)

    @overload
    def start(self, spec: ActorSpec[M, R]) -> ActorRef[M, R]: ...
    @overload
    def start(self, spec: SupervisorSpec) -> "Supervisor": ...
    def start(self, spec: ActorSpec[Any, Any] | SupervisorSpec) -> "ActorRef[Any, Any] | Supervisor":
        """Start a child. It is set up in its own task; what is sent to it meanwhile waits.

        Raises `ActorStopped` once this supervisor is stopped.
        """
        if self._node._closed:
            raise ActorStopped(self._spec.name)
        if isinstance(spec, SupervisorSpec):
            nested = Supervisor(spec, self._trace, self._random)
            self._adopt(nested._node, nested)
            return nested
        ref: ActorRef[Any, Any] = ActorRef(spec, self._trace)
        self._adopt(ref, None)
        return ref

    async def stop(self, grace: float | None = None) -> None:
        """Stop all children in reverse start order: workers within `grace` seconds in all (default: as
        specified), then services, drained. A second call may shorten what the first allowed."""
        self._node._closed = True
        seconds = self._spec.grace if grace is None else grace
        await self._halt(self._level(service=False), trio.current_time() + seconds)
        await self._halt(self._level(service=True), trio.current_time() + self._spec.drain)
        self._node._close()

    def _adopt(self, child: Node, nested: "Supervisor | None") -> None:
        self._children[child] = nested
        if self._nursery is not None:
            self._launch(child)

    def _launch(self, child: Node, delay: float = 0.0) -> None:
        assert self._nursery is not None
        life = Life(trio.CancelScope(shield=child._spec.service))
        child._lives[life] = None
        self._nursery.start_soon(self._live, child, life, delay, name=child.name)

    async def _live(self, child: Node, life: Life, delay: float) -> None:
        failure: Exception | None = None
        renew = partial(self._renew, child, life)
        try:
            with life.scope:
                await trio.sleep(delay)
                await child._run(life, renew)
        except Exception as exc:
            failure = exc
            child._crash(exc)
            cancelled = trio.current_effective_deadline() == -inf and not child._spec.service
            if not cancelled and not child._is_done():
                if not life.superseded:
                    renew(exc)
            elif not isinstance(exc, RestartsExhausted):  # whoever met the crash was told
                self._failures.append(exc)
        finally:
            del child._lives[life]
            child._bury(life, failure)
            if child._closed and not child._lives:
                self._forget(child, failure or life.cause)
            self._changed.unpark_all()
            if life.is_open:
                child._emit("stopped")

    def _forget(self, child: Node, cause: Cause) -> None:
        """The end of a child, and of all below it."""
        child._close(cause)
        if (nested := self._children.pop(child, None)) is not None:
            for each in list(nested._children):
                nested._forget(each, cause)

    def _renew(self, child: Node, life: Life, cause: Cause) -> None:
        """Decide what follows a life that ended by itself: nothing, a new one, several, or giving up."""
        assert self._nursery is not None
        life.superseded = True
        if child._spec.restart == "temporary" or (child._spec.restart == "transient" and cause is None):
            child._close(cause)
            return
        now, limit = trio.current_time(), self._spec.intensity
        self._history.append((now, child))
        while self._history[0][0] < now - limit.seconds:
            self._history.popleft()
        if len(self._history) > limit.restarts:
            text = f"more than {limit.restarts} restarts in {limit.seconds:g} s"
            exhausted = RestartsExhausted(f"{self._spec.name!r} gave up on {child.name!r}: {text}")
            exhausted.__cause__ = cause
            if self._node._closed:
                child._close(exhausted)  # the stop goes on in its order
            else:
                self._nursery.start_soon(_raise, exhausted)
            return
        delay = self._spec.backoff.delay(sum(each is child for _, each in self._history), self._random)
        child._counts.restarts += 1
        child._emit("restarted", error=cause, delay=delay)
        if self._spec.strategy == "one_for_one" or self._node._closed:
            self._launch(child, delay)
        else:
            self._nursery.start_soon(self._renew_group, child, cause, delay)

    async def _renew_group(self, child: Node, cause: Cause, delay: float) -> None:
        async with self._turn:  # two crashes at once: one group after the other
            group = self._level(service=child._spec.service)
            if self._spec.strategy == "rest_for_one" and child in group:
                group = group[group.index(child) :]
            await self._halt(group, trio.current_time() + self._spec.grace, cause)
            await trio.sleep(delay)
            for member in group:
                if member._spec.restart == "temporary":
                    self._forget(member, cause)
                elif not member._is_done():
                    self._launch(member)

    def _level(self, *, service: bool) -> list[Node]:
        return [child for child in self._children if child._spec.service is service]

    async def _halt(self, children: Sequence[Node], deadline: float, cause: Cause = None) -> None:
        """End lives in reverse order, for good if this supervisor is closed; by force after the deadline."""
        for child in reversed(children):
            while True:
                if self._node._closed:
                    child._close(cause)
                for life in child._lives:
                    if not self._node._closed:
                        life.retire(cause)
                    life.scope.deadline = min(life.scope.deadline, deadline)
                if not child._lives:
                    break
                await self._changed.park()

    @asynccontextmanager
    async def _running(self) -> AsyncIterator[Callable[[Never], Awaitable[None]]]:
        """Whatever ends the workers, services are drained once the last worker has gone."""
        alone: BaseException | None = None
        self._history.clear()
        self._failures.clear()
        try:
            async with trio.open_nursery() as self._nursery:
                for child in self._children:
                    self._launch(child)
                try:
                    yield _no_message
                    await self._halt(self._level(service=False), trio.current_time() + self._spec.grace)
                finally:
                    self._nursery.cancel_scope.cancel()
                    await self._drain()
                    for failure in self._failures:
                        self._nursery.start_soon(_raise, failure)
        except BaseExceptionGroup as group:
            # Cancelled from above, it is moot that this supervisor gave up: it will not be renewed either way.
            moot = self._node._lives and group.subgroup(trio.Cancelled)
            left = (group.split(RestartsExhausted)[1] if moot else None) or group
            alone = left.exceptions[0] if len(left.exceptions) == 1 else left  # the nursery is ours alone
        finally:
            self._nursery = None
        if alone is not None:
            raise alone

    async def _drain(self) -> None:
        with trio.CancelScope(shield=True):
            while any(child._lives for child in self._level(service=False)):  # cancelled: they only unwind
                await self._changed.park()
        with shielded(self._spec.drain):
            await self._halt(self._level(service=True), shrink())


async def _no_message(message: Never) -> None:
    """A supervisor is told nothing."""


async def _raise(exc: Exception) -> None:
    raise exc


@asynccontextmanager
async def open_supervisor(
    name: str = "root",
    *,
    strategy: Strategy = "one_for_one",
    intensity: Intensity = _ROOT_INTENSITY,
    backoff: Backoff = _BACKOFF,
    grace: float = 5.0,
    drain: float = 2.0,
    trace: Trace | None = None,
    random: Random | None = None,
) -> AsyncIterator[Supervisor]:
    """The root of a tree, stopped in order when the block ends.

    If the block raises or is cancelled, workers are cancelled at once; services still have their `drain`.
    Raises `RestartsExhausted` if the tree gave up, and what tear-downs raised at the stop.
    """
    spec = SupervisorSpec(
        name=name, strategy=strategy, intensity=intensity, backoff=backoff, grace=grace, drain=drain
    )
    root = Supervisor(spec, trace, random or Random())
    cause: Exception | None = None
    try:
        async with root._running():
            try:
                yield root
            finally:
                root._node._closed = True
    except Exception as failure:
        cause = failure
        raise
    finally:
        for child in list(root._children):
            root._forget(child, cause)
