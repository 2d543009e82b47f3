"""A supervisor keeps its children alive: actors, and further supervisors. Each life has a task of its own."""

from collections import deque
from collections.abc import AsyncIterator, Callable, Sequence
from contextlib import asynccontextmanager
from functools import partial
from random import Random
from typing import Any, Literal, TypeAlias, TypeVar, overload

import attrs
import trio

from .actor import ActorRef, ActorSpec
from .cancel import shielded, shrink
from .exceptions import ActorStopped, RestartsExhausted
from .life import Child, Life, Restart
from .trace import Trace

M = TypeVar("M")
R = TypeVar("R")
Node: TypeAlias = "ActorRef[Any, Any] | Supervisor"
Strategy: TypeAlias = Literal["one_for_one", "rest_for_one", "one_for_all"]


@attrs.frozen
class Intensity:
    """At most `restarts` in any `seconds`; one more and the supervisor gives up."""

    restarts: int = 3
    seconds: float = 30.0


@attrs.frozen
class Backoff:
    """Seconds before a child's n-th restart in its supervisor's window: `first`, times `factor` for each
    further one, at most `most`; chance takes off up to the share `jitter`."""

    first: float = 0.05
    factor: float = 2.0
    most: float = 5.0
    jitter: float = 0.5

    def delay(self, n: int, random: Random) -> float:
        return min(self.most, self.first * self.factor ** (n - 1)) * (1 - self.jitter * random.random())


@attrs.frozen(kw_only=True)
class SupervisorSpec:
    """A crash restarts that child (one_for_one), also those started after it (rest_for_one), or all of them
    (one_for_all); workers and services apart. `grace`: seconds that all workers together have to finish what
    they have begun, at a stop and at a restart of several. `drain`: what services have after them."""

    name: str
    strategy: Strategy = "one_for_one"
    restart: Restart = "permanent"
    service: bool = False
    intensity: Intensity = Intensity()
    backoff: Backoff = Backoff()
    grace: float = 5.0
    drain: float = 2.0


@attrs.define(eq=False)
class Supervisor(Child):
    """Made by `open_supervisor`, or by `start` of another one. The calls of `start` set the start order."""

    _spec: SupervisorSpec
    _random: Random
    _children: dict[Node, None] = attrs.field(factory=dict, init=False)
    _nursery: trio.Nursery | None = attrs.field(default=None, init=False)
    _history: deque[tuple[float, Node]] = attrs.field(factory=deque, init=False)
    _failures: list[Exception] = attrs.field(factory=list, init=False)
    _changed: trio.lowlevel.ParkingLot = attrs.field(factory=trio.lowlevel.ParkingLot, init=False)
    _turn: trio.Lock = attrs.field(factory=trio.Lock, init=False)

    @overload
    def start(self, spec: ActorSpec[M, R]) -> ActorRef[M, R]: ...
    @overload
    def start(self, spec: SupervisorSpec) -> "Supervisor": ...
    def start(self, spec: ActorSpec[Any, Any] | SupervisorSpec) -> Node:
        """Start a child. It is set up in its own task; what is sent to it meanwhile waits.

        Raises `ActorStopped` once this supervisor is stopped.
        """
        if self._closed:
            raise ActorStopped(self.name)
        common = spec.name, spec.restart, spec.service, self._trace
        child: Node
        if isinstance(spec, SupervisorSpec):
            child = Supervisor(*common, spec, self._random)
        else:
            child = ActorRef(*common, spec)
        self._children[child] = None
        if self._nursery is not None:
            self._launch(child, self._nursery)
        return child

    async def stop(self, grace: float | None = None) -> None:
        """Stop all children in reverse start order: workers within `grace` seconds in all (default: as
        specified), then services, drained. A second call may shorten what the first allowed."""
        self._closed = True
        seconds = self._spec.grace if grace is None else grace
        await self._halt(self._level(service=False), trio.current_time() + seconds)
        await self._halt(self._level(service=True), trio.current_time() + self._spec.drain)
        self._close()

    def _launch(self, child: Node, nursery: trio.Nursery, delay: float = 0.0) -> None:
        life = Life(trio.CancelScope(shield=child._service))
        child._lives[life] = None
        nursery.start_soon(self._live, child, life, nursery, delay, name=child.name)

    async def _live(self, child: Node, life: Life, nursery: trio.Nursery, delay: float) -> None:
        failure: Exception | None = None
        renew = partial(self._renew, child, life, nursery)
        try:
            with life.scope:
                await trio.sleep(delay)
                await child._run(life, renew)
        except Exception as exc:
            failure = exc
            child._crash(exc)
            if not child._is_done():
                if not life.superseded:
                    renew(exc)
            elif not isinstance(exc, RestartsExhausted):
                self._failures.append(exc)
        finally:
            del child._lives[life]
            child._bury(life, failure)
            if child._closed and not child._lives:
                self._children.pop(child, None)
            self._changed.unpark_all()
            if life.is_open:
                child._emit("stopped")

    def _renew(self, child: Node, life: Life, nursery: trio.Nursery, cause: BaseException | None) -> None:
        """Decide what follows a life that ended by itself: nothing, a new one, several, or giving up."""
        life.superseded = True
        if child._restart == "temporary" or (child._restart == "transient" and cause is None):
            child._close(cause)
            return
        if child._is_done():
            return
        now, limit = trio.current_time(), self._spec.intensity
        self._history.append((now, child))
        while self._history[0][0] < now - limit.seconds:
            self._history.popleft()
        if len(self._history) > limit.restarts:
            nursery.start_soon(self._give_up, child, cause)
            return
        delay = self._spec.backoff.delay(sum(each is child for _, each in self._history), self._random)
        child._counts.restarts += 1
        child._emit("restarted", error=cause, delay=delay)
        if self._spec.strategy == "one_for_one" or self._closed:
            self._launch(child, nursery, delay)
        else:
            nursery.start_soon(self._renew_group, child, nursery, cause, delay)

    async def _give_up(self, child: Node, cause: BaseException | None) -> None:
        limit = f"more than {self._spec.intensity.restarts} restarts in {self._spec.intensity.seconds:g} s"
        raise RestartsExhausted(f"supervisor {self.name!r} gave up on {child.name!r}: {limit}") from cause

    async def _renew_group(
        self, child: Node, nursery: trio.Nursery, cause: BaseException | None, delay: float
    ) -> None:
        async with self._turn:  # two crashes at once: one group after the other
            group = self._level(service=child._service)
            if self._spec.strategy == "rest_for_one" and child in group:
                group = group[group.index(child) :]
            await self._halt(group, trio.current_time() + self._spec.grace, cause)
            await trio.sleep(delay)
            for member in group:
                if not (member._is_done() or member._lives):
                    self._launch(member, nursery)

    def _level(self, *, service: bool) -> list[Node]:
        return [child for child in self._children if child._service is service]

    async def _halt(
        self, children: Sequence[Node], deadline: float, cause: BaseException | None = None
    ) -> None:
        """End lives in reverse order, for good if this supervisor is closed; by force after the deadline."""
        for child in reversed(children):
            while child._lives:
                if self._closed:
                    child._close(cause)
                for life in child._lives:
                    if not self._closed:
                        life.retire(cause)
                    life.scope.deadline = min(life.scope.deadline, deadline)
                await self._changed.park()

    @asynccontextmanager
    async def _running(self) -> AsyncIterator[None]:
        """Whatever ends the workers, services are drained once the last worker has gone."""
        alone: BaseException | None = None
        try:
            async with trio.open_nursery() as nursery:
                self._nursery = nursery
                for child in self._children:
                    self._launch(child, nursery)
                try:
                    yield
                    await self._halt(self._level(service=False), trio.current_time() + self._spec.grace)
                finally:
                    nursery.cancel_scope.cancel()
                    await self._drain()
                if self._failures:
                    raise ExceptionGroup(f"while {self.name!r} stopped", self._failures)
        except BaseExceptionGroup as group:
            if len(group.exceptions) > 1:
                raise
            alone = group.exceptions[0]  # that there is a nursery is nobody else's business
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

    async def _run(self, life: Life, renew: Callable[[BaseException | None], None]) -> None:
        self._history.clear()
        async with self._running():
            life.is_open = True
            self._emit("started")
            await life.retired.wait()

    def _is_done(self) -> bool:
        return self._closed

    def _close(self, cause: BaseException | None = None) -> None:
        self._closed = True
        for life in self._lives:
            life.retire(cause)
        if not self._lives:
            for child in list(self._children):
                child._close(cause)

    def _bury(self, life: Life, failure: BaseException | None) -> None:
        if self._closed:
            self._close(failure or life.cause)


@asynccontextmanager
async def open_supervisor(
    name: str = "root",
    *,
    strategy: Strategy = "one_for_one",
    intensity: Intensity = Intensity(1, 60.0),
    backoff: Backoff = Backoff(),
    grace: float = 5.0,
    drain: float = 2.0,
    trace: Trace | None = None,
    random: Random | None = None,
) -> AsyncIterator[Supervisor]:
    """The root of a tree, stopped in order when the block ends.

    If the block raises or is cancelled, workers are cancelled at once; services still have their `drain`.
    Raises `RestartsExhausted` if the tree gave up, an `ExceptionGroup` of what tear-downs raised at the stop.
    """
    spec = SupervisorSpec(
        name=name, strategy=strategy, intensity=intensity, backoff=backoff, grace=grace, drain=drain
    )
    root = Supervisor(name, "temporary", False, trace, spec, random or Random())
    cause: Exception | None = None
    try:
        async with root._running():
            try:
                yield root
            finally:
                root._closed = True
    except Exception as failure:
        cause = failure
        raise
    finally:
        root._close(cause)
