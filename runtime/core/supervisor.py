"""A supervisor keeps its children alive, each life in a task of its own.

It is itself the state of an actor that takes no messages (`_node`), so supervisors nest, crash, are renewed
and stop like any other actor.
"""

from collections.abc import AsyncIterator, Awaitable, Callable, Sequence
from contextlib import asynccontextmanager
from math import inf
from random import Random
from typing import Any, Never, TypeAlias

import attrs
import trio

from .actor import ActorRef, Cause, Life
from .errors import ActorStopped
from .spec import ActorSpec, Intensity, M_contra, R_co, SupervisorSpec
from .trace import Trace

Node: TypeAlias = ActorRef[Never, Any]
ROOT = SupervisorSpec(name="root", intensity=Intensity(1, 60.0))


class RestartsExhausted(Exception):
    """A supervisor gave up: more restarts than its intensity allows. `__cause__` is the last crash."""


@attrs.define(eq=False)
class Supervisor:
    """Made by `open_supervisor`, or by `start` of another one. The calls of `start` set the start order."""

    _spec: SupervisorSpec
    _trace: Trace | None
    _random: Random
    _node: Node = attrs.field(init=False)
    _children: "dict[Node, Supervisor | None]" = attrs.field(factory=dict, init=False)
    _nursery: trio.Nursery | None = attrs.field(default=None, init=False)
    _history: list[tuple[float, Node]] = attrs.field(factory=list, init=False)
    _failures: list[BaseException] = attrs.field(factory=list, init=False)
    _changed: trio.lowlevel.ParkingLot = attrs.field(factory=trio.lowlevel.ParkingLot, init=False)
    _turn: trio.Lock = attrs.field(factory=trio.Lock, init=False)

    def __attrs_post_init__(self) -> None:
        spec = self._spec
        own = ActorSpec(name=spec.name, behaviour=self._running, restart=spec.restart, service=spec.service)
        self._node = ActorRef(own, self._trace, self._changed)

    def start(self, spec: ActorSpec[M_contra, R_co]) -> ActorRef[M_contra, R_co]:
        """Start a child. It is set up in its own task; what is sent to it meanwhile waits.

        Raises `ActorStopped` once this supervisor is stopped.
        """
        ref: ActorRef[M_contra, R_co] = ActorRef(spec, self._trace, self._changed)
        self._adopt(ref, None)
        return ref

    def nest(self, spec: SupervisorSpec) -> "Supervisor":
        """Start a child that is a supervisor itself."""
        nested = Supervisor(spec, self._trace, self._random)
        self._adopt(nested._node, nested)
        return nested

    @trio.lowlevel.enable_ki_protection
    async def stop(self, grace: float | None = None) -> None:
        """Stop all children in reverse start order: workers within `grace` seconds in all (default: as
        specified), then services, drained. A second call may shorten what the first allowed."""
        self._node._closed = True
        await self._halt_all(self._spec.grace if grace is None else grace)
        self._node._close()

    def _adopt(self, child: Node, nested: "Supervisor | None") -> None:
        if self._node._closed:
            raise ActorStopped(self._spec.name)
        self._children[child] = nested
        self._launch(child)

    @trio.lowlevel.enable_ki_protection
    def _launch(self, child: Node, delay: float = 0.0) -> None:
        if self._nursery is not None:  # else together with all others
            life = Life(trio.CancelScope(shield=child._spec.service))
            child._lives[life] = None
            self._nursery.start_soon(self._live, child, life, delay, name=child.name)

    @trio.lowlevel.enable_ki_protection
    async def _live(self, child: Node, life: Life, delay: float) -> None:
        try:
            with life.scope:
                await trio.sleep(delay)
                async with child._spec.behaviour() as life.handle, trio.open_nursery() as life.nursery:
                    await child._serve(life, lambda: self._renew(child, life, life.cause))
        except Exception as exc:
            life.fault = exc
            child._crash(exc)
            if not child._is_done() and (child._spec.service or trio.current_effective_deadline() > -inf):
                self._renew(child, life, exc)
            elif not isinstance(exc, RestartsExhausted):  # whoever met the crash was told
                self._failures.append(exc)
        finally:
            child._bury(life)
            if child._closed and not child._lives:
                self._forget(child, life.fault or life.cause)
            self._changed.unpark_all()

    def _forget(self, child: Node, cause: Cause) -> None:
        """The end of a child, and of all below it."""
        child._close(cause)
        if (nested := self._children.pop(child, None)) is not None:
            for each in list(nested._children):
                nested._forget(each, cause)

    def _renew(self, child: Node, life: Life, cause: Cause) -> None:
        """Decide once what follows a life: nothing, a new one, several, or giving up."""
        if self._nursery is None or life.settled:
            return
        life.settled = True
        if child._spec.restart == "temporary" or (child._spec.restart == "transient" and cause is None):
            child._close(cause)
            return
        now, limit = trio.current_time(), self._spec.intensity
        self._history = [*(each for each in self._history if each[0] >= now - limit.seconds), (now, child)]
        if len(self._history) > limit.restarts:
            text = f"more than {limit.restarts} restarts in {limit.seconds:g} s"
            exhausted = RestartsExhausted(f"{self._spec.name!r} gave up on {child.name!r}: {text}")
            exhausted.__cause__ = cause
            if self._node._closed:
                child._close(exhausted)  # the stop goes on in its order
            else:
                self._failures.append(exhausted)
                self._nursery.cancel_scope.cancel()
            return
        delay = self._spec.backoff.delay(sum(each is child for _, each in self._history), self._random)
        child._counts.restarts += 1
        child._emit("restarted", error=cause, delay=delay)
        if self._spec.strategy == "one_for_one" or self._node._closed:
            self._launch(child, delay)
        else:
            self._nursery.start_soon(self._renew_group, child, cause, delay)

    @trio.lowlevel.enable_ki_protection
    async def _renew_group(self, child: Node, cause: Cause, delay: float) -> None:
        async with self._turn:  # two crashes at once: one group after the other
            group = self._level(service=child._spec.service)
            if self._spec.strategy == "rest_for_one" and child in group:
                group = group[group.index(child) :]
            await self._halt(group, self._spec.grace, cause)
            await trio.sleep(delay)
            for member in group:
                if member._spec.restart == "temporary":
                    self._forget(member, cause)
                elif not member._is_done():
                    self._launch(member)

    def _level(self, *, service: bool) -> list[Node]:
        return [child for child in self._children if child._spec.service is service]

    async def _halt_all(self, grace: float) -> None:
        cause = self._failures[0] if self._failures else None
        await self._halt(self._level(service=False), grace, cause)
        await self._halt(self._level(service=True), self._spec.drain, cause)

    async def _halt(self, children: Sequence[Node], grace: float, cause: Cause = None) -> None:
        """End lives in reverse order, for good if this supervisor is closed; by force after `grace` seconds."""
        deadline = trio.current_time() + grace
        for child in reversed(children):
            while True:
                if self._node._closed:
                    child._close(cause)
                for life in child._lives:
                    if not self._node._closed:
                        child._retire(life, cause)
                    life.scope.deadline = min(life.scope.deadline, deadline)
                if not child._lives:
                    break
                await self._changed.park()
            if self._node._closed:
                self._forget(child, cause)

    @asynccontextmanager
    async def _running(self) -> AsyncIterator[Callable[[Never], Awaitable[None]]]:
        """Whatever ends the workers, services are drained once the last worker has gone. What failed is raised
        outside the nursery, when nobody is left in it."""
        failures = self._failures = []
        self._history.clear()
        try:
            async with trio.open_nursery() as self._nursery:
                for child in self._children:
                    self._launch(child)
                try:
                    yield _no_message
                    await self._halt(self._level(service=False), self._spec.grace)
                except Exception as failure:
                    failures.append(failure)
                finally:
                    self._nursery.cancel_scope.cancel()
                    with trio.CancelScope(shield=True):
                        await self._halt_all(grace=0)
        except BaseExceptionGroup as group:
            if self._node._lives:  # it will not be renewed either way: that it gave up is moot
                failures[:] = [each for each in failures if not isinstance(each, RestartsExhausted)]
            failures.extend(group.exceptions)
        self._nursery, self._failures = None, []
        if failures:
            raise failures[0] if len(failures) == 1 else BaseExceptionGroup(self._spec.name, failures)


async def _no_message(message: Never) -> None:
    """A supervisor is told nothing."""


@asynccontextmanager
@trio.lowlevel.enable_ki_protection
async def open_supervisor(
    spec: SupervisorSpec = ROOT, *, trace: Trace | None = None, random: Random | None = None
) -> AsyncIterator[Supervisor]:
    """The root of a tree, stopped in order when the block ends.

    If the block raises or is cancelled, workers are cancelled at once; services still have their `drain`.
    Raises `RestartsExhausted` if the tree gave up, and what tear-downs raised at the stop.
    """
    root = Supervisor(spec, trace, random or Random())
    async with root._running():
        try:
            yield root
        finally:
            root._node._closed = True
