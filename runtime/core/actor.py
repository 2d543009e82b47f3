"""An actor: state that outlives a message, and the messages it handles.

A handler runs in the task of whoever asks, under a cancel scope of the actor's: cancelling the asker is cancelling the
handler, its deadline is the handler's, and a reply is a return. The actor keeps the state, lets at most `concurrency`
in at once, and ends who is inside when its life ends. What is told has nobody waiting, and is handled in the life's
own nursery.
"""

import logging
from collections import OrderedDict
from collections.abc import Awaitable, Callable
from contextvars import Context, copy_context
from functools import partial
from math import inf
from typing import Any, Generic, TypeAlias, cast

import attrs
import trio
from outcome import Error, Outcome, Value
from trio.lowlevel import Abort, ParkingLot, RaiseCancelT, current_task, reschedule

from .errors import ActorCrashed, ActorStopped, AskTimeout, Finished, MailboxFull, StepFailure
from .spec import ActorSpec, M_contra, R_co
from .trace import Kind, MailboxStatistics, Trace, TraceEvent

Cause: TypeAlias = BaseException | None
Tell: TypeAlias = Callable[[Outcome[Any]], None]
"""Called when the turn of a message comes, with the life that lets it in, or with why there is none."""
_log = logging.getLogger(__name__)


@attrs.define(eq=False)
class Envelope:
    """A message on its way. `scope` is its handler's; no `result`: none yet, or its life was ended before there was
    one."""

    message: object
    scope: trio.CancelScope = attrs.field(factory=trio.CancelScope)
    is_begun: bool = False
    result: Outcome[Any] | None = None


@attrs.define(eq=False)
class Life:
    """One instance. `scope` ends it at once, `retired` lets it finish what it has let `inside`; `cause` is why, and
    `settled` says that its supervisor has decided what follows. `fault` is what it died of."""

    scope: trio.CancelScope
    retired: trio.Event = attrs.field(factory=trio.Event)
    cause: Cause = None
    is_open: bool = False
    settled: bool = False
    inside: dict[Envelope, None] = attrs.field(factory=dict)
    fault: Exception | None = None
    handle: Callable[[Any], Awaitable[Any]] = attrs.field(init=False)
    nursery: trio.Nursery = attrs.field(init=False)


@attrs.define(eq=False)
class ActorRef(Generic[M_contra, R_co]):
    """The address of an actor, good for all its lives. Made by `Supervisor.start`."""

    _spec: ActorSpec[Any, Any]
    _trace: Trace | None
    _changed: ParkingLot  # its supervisor's: a life has been left by everybody, or is over
    _lives: dict[Life, None] = attrs.field(factory=dict, init=False)
    _life: Life | None = attrs.field(default=None, init=False)  # the one that new messages go to
    _closed: bool = attrs.field(default=False, init=False)
    _begun: int = attrs.field(default=0, init=False)
    _queue: OrderedDict[Envelope, Tell] = attrs.field(factory=OrderedDict, init=False)
    _counts: MailboxStatistics = attrs.field(factory=MailboxStatistics, init=False)
    _tellers: ParkingLot = attrs.field(factory=ParkingLot, init=False)  # until there is room to wait

    @property
    def name(self) -> str:
        return self._spec.name

    @trio.lowlevel.enable_ki_protection
    async def ask(self, message: M_contra, *, within: float = inf) -> R_co:
        """Send and wait for the reply, at most `within` seconds, time in the mailbox included.

        The handler has the asker's deadline and context variables, and is cancelled with it; a message not yet begun
        is dropped.
        Raises the handler's `StepFailure`, `AskTimeout`, `ActorCrashed` or `ActorStopped`.
        """
        if within != inf:
            with trio.move_on_after(within):
                return await self.ask(message)
            raise AskTimeout(self.name, within)
        envelope = Envelope(message)
        if self._closed:
            await self.tell(message)  # a dead letter
            raise ActorStopped(self.name)
        if (life := self._admit(envelope)) is None:
            self._queue[envelope] = partial(reschedule, current_task())
            life = cast(Life, await trio.lowlevel.wait_task_rescheduled(partial(self._withdraw, envelope)))
        await self._handled(life, envelope)
        try:
            if envelope.result is not None:
                return cast(R_co, envelope.result.unwrap())
            while life in self._lives:
                await self._changed.park()
            fault = life.fault
            raise ActorStopped(self.name, life.cause) if fault is None else ActorCrashed(self.name, fault)
        finally:
            del envelope  # an error that is raised here holds this frame

    @trio.lowlevel.enable_ki_protection
    async def tell(self, message: M_contra) -> None:
        """Send and wait for room in the mailbox only. To a stopped actor: a dead letter, no error."""
        await trio.lowlevel.checkpoint()
        if not self._closed and len(self._queue) >= self._spec.mailbox:
            await self._tellers.park()
        self._send(Envelope(message))

    @trio.lowlevel.enable_ki_protection
    def tell_nowait(self, message: M_contra) -> None:
        """Send now or raise `MailboxFull`. To a stopped actor: a dead letter, no error."""
        if not self._closed and len(self._queue) >= self._spec.mailbox:
            raise MailboxFull(self.name, self._spec.mailbox)
        self._send(Envelope(message))

    def statistics(self) -> MailboxStatistics:
        """As of now; a copy."""
        waiting = min(len(self._queue), self._spec.mailbox)
        blocked = len(self._queue) - waiting + len(self._tellers)
        return attrs.evolve(self._counts, waiting=waiting, blocked=blocked, in_flight=self._begun)

    def _send(self, envelope: Envelope) -> None:
        if self._closed:
            self._dead_letter(envelope)
        else:
            self._queue[envelope] = partial(self._start, envelope, copy_context())
            self._pump()

    def _admit(self, envelope: Envelope) -> Life | None:
        """The life that lets it in, if there is room."""
        life = self._life if self._begun < self._spec.concurrency else None
        if life is not None:
            self._begun += 1
            life.inside[envelope] = None
        return life

    def _start(self, envelope: Envelope, context: Context, found: Outcome[Life]) -> None:
        """Handle what was told."""
        if isinstance(found, Value):
            context.run(found.value.nursery.start_soon, self._handled, found.value, envelope, name=self.name)

    def _pump(self, left: int = 0) -> None:
        """Let in who waits. For each message that `left` the queue one that is told may enter it, however many ask."""
        while self._queue and (life := self._admit(next(iter(self._queue)))) is not None:
            self._queue.popitem(last=False)[1](Value(life))
            left += 1
        self._tellers.unpark(count=inf if self._closed else left)
        if self._is_done():
            for each in self._lives:
                self._retire(each)

    def _withdraw(self, envelope: Envelope, _raise_cancel: RaiseCancelT) -> Abort:
        self._counts.dropped += 1
        del self._queue[envelope]
        self._pump(left=1)
        return Abort.SUCCEEDED

    @trio.lowlevel.enable_ki_protection
    async def _handled(self, life: Life, envelope: Envelope) -> None:
        """Until there is a reply or a failure, or its life was ended before. An asker's own cancellation goes
        through."""
        try:
            await trio.lowlevel.checkpoint()
            if not envelope.scope.cancel_called:
                with envelope.scope:
                    envelope.is_begun = True
                    self._emit("begun", envelope.message)
                    envelope.result = Value(await _interruptible(life.handle, envelope.message))
        except Exception as fault:
            # Beside a `Cancelled` that the scope took: its life was ended from outside.
            envelope.result = self._judge(life, fault, is_beside=envelope.scope.cancelled_caught)
        except BaseExceptionGroup as group:
            # There is a `Cancelled` in it: its asker was cancelled.
            self._judge(life, group, is_beside=True)
            raise group.split(Exception)[1] or group from None
        finally:
            self._settle(life, envelope)
            del life, envelope  # what was raised holds this frame

    def _judge(self, life: Life, fault: BaseException, *, is_beside: bool) -> Outcome[Any] | None:
        """An answer or a bug? A bug ends this life, and fails no message but its own. `is_beside`: it stood beside
        a `Cancelled`, where a failure is no answer but a bug is a bug."""
        group = fault if isinstance(fault, BaseExceptionGroup) else BaseExceptionGroup("", [fault])
        failures = group.split(Exception)[0]
        if failures is None or failures.split(StepFailure)[1] is None:
            self._counts.failed += not is_beside
            return None if is_beside else Error(fault)
        if isinstance(fault, Finished):
            self._retire(life, settled=False)
            return Value(fault.reply)
        self._crash(fault)
        self._retire(life, fault, settled=False)
        return Error(ActorCrashed(self.name, fault))

    def _settle(self, life: Life, envelope: Envelope) -> None:
        """A message leaves its place to the next. No result: its asker left, its time was up, or its life ended."""
        if envelope.is_begun:
            self._counts.cancelled += envelope.result is None
            self._counts.handled += type(envelope.result) is Value
            error = envelope.result.error if isinstance(envelope.result, Error) else None
            self._emit("cancelled" if envelope.result is None else "ended", envelope.message, error)
        elif envelope.scope.cancel_called:
            self._dead_letter(envelope)
        else:
            self._counts.dropped += 1
        self._begun -= 1
        del life.inside[envelope]
        if self._changed:
            self._changed.unpark_all()
        if self._queue or self._closed:
            self._pump()

    def _dead_letter(self, envelope: Envelope) -> None:
        self._counts.dead_letters += 1
        self._emit("dead_letter", envelope.message)

    def _crash(self, cause: BaseException) -> None:
        self._counts.crashed += 1
        self._emit("crashed", error=cause)

    def _emit(self, kind: Kind, message: object = None, error: Cause = None, delay: float = 0.0) -> None:
        if self._trace is not None:
            try:
                self._trace(TraceEvent(kind, self.name, message, error, delay))
            except Exception:
                _log.exception("a trace hook raised; the actors go on")

    async def _serve(self, life: Life, renew: Callable[[], None]) -> None:
        """Open, until this life is to end; `renew` decides what follows. It ends when what it has begun has ended, by
        force where it is cancelled itself."""
        life.is_open = True
        self._emit("started")
        self._life = None if life.retired.is_set() else life
        self._pump()
        try:
            await life.retired.wait()
            renew()
            await self._emptied(life)
        finally:
            self._retire(life, settled=False)
            for envelope in life.inside:
                envelope.scope.cancel()
            with trio.CancelScope(shield=True):  # cancelled as well, in the tasks of those who asked
                await self._emptied(life)

    async def _emptied(self, life: Life) -> None:
        while life.inside:
            await self._changed.park()

    def _retire(self, life: Life, cause: Cause = None, *, settled: bool = True) -> None:
        """Let a life finish what it has begun, and nothing else. `settled`: what follows it is decided."""
        if not life.retired.is_set():
            life.cause, life.settled = cause, settled
            life.retired.set()
            self._life = None
            if not life.is_open:  # in its backoff or set-up: nothing to finish
                life.scope.cancel()

    def _bury(self, life: Life) -> None:
        del self._lives[life]
        self._changed.unpark_all()
        if life.is_open:
            self._emit("stopped")

    def _is_done(self) -> bool:
        return self._closed and not self._queue

    def _close(self, cause: Cause = None) -> None:
        """Take no more messages. What waits is refused, except that a service is drained of it."""
        self._closed = True
        while self._queue and not (self._spec.service and self._lives):
            envelope, tell = self._queue.popitem(last=False)
            self._dead_letter(envelope)
            tell(Error(ActorStopped(self.name, cause)))
        self._pump()


@trio.lowlevel.disable_ki_protection
async def _interruptible(handle: Callable[[Any], Awaitable[Any]], message: object) -> object:
    """A handler, which Ctrl-C may interrupt where it is."""
    return await handle(message)
