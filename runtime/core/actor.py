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
from itertools import islice
from math import inf
from typing import Any, Generic, TypeAlias, cast

import attrs
import trio
from outcome import Error, Outcome, Value
from trio.lowlevel import (
    Abort,
    RaiseCancelT,
    Task,
    current_task,
    disable_ki_protection,
    enable_ki_protection,
    reschedule,
)
from trio.lowlevel import wait_task_rescheduled as park

from .errors import ActorCrashed, ActorFailure, ActorStopped, AskTimeout, Finished, MailboxFull, StepFailure
from .spec import ActorSpec, M_contra, R_co
from .trace import Kind, MailboxStatistics, Trace, TraceEvent

Cause: TypeAlias = BaseException | None
_log = logging.getLogger(__name__)


@attrs.define(eq=False)
class Envelope:
    """`asker` is parked until its turn comes, `teller` until there is room. `scope`: its handler has begun."""

    message: object
    asker: Task | None = None
    teller: Task | None = None
    scope: trio.CancelScope | None = None


@attrs.define(eq=False)
class Life:
    """One instance. `scope` ends it at once, `retired` lets it finish what it has begun, which is `inside`; `cause` is
    why, and `settled` says that its supervisor has decided what follows. `is_over`: it is torn down, and known what
    came of it."""

    scope: trio.CancelScope
    retired: trio.Event = attrs.field(factory=trio.Event)
    cause: Cause = None
    is_open: bool = False
    settled: bool = False
    is_cut: bool = False
    is_over: bool = False
    failure: Exception | None = None
    inside: dict[Envelope, None] = attrs.field(factory=dict)
    handle: Callable[[Any], Awaitable[Any]] = attrs.field(init=False)
    nursery: trio.Nursery = attrs.field(init=False)
    _empty: trio.Event | None = None
    _over: trio.Event | None = None

    async def finish(self) -> None:
        """Returns when what it has begun has ended; it begins nothing any more."""
        if self.inside:
            if self._empty is None:
                self._empty = trio.Event()
            await self._empty.wait()

    async def cut(self) -> None:
        """Cancels what it has begun, and returns when that has unwound."""
        self.is_cut = True
        for envelope in self.inside:
            if envelope.scope is not None:
                envelope.scope.cancel()
        await self.finish()

    def leave(self, envelope: Envelope) -> None:
        del self.inside[envelope]
        if self._empty is not None and not self.inside:
            self._empty.set()

    def bury(self, failure: Exception | None) -> None:
        self.is_over, self.failure = True, failure
        if self._over is not None:
            self._over.set()

    async def end(self, name: str) -> ActorFailure:
        """Why a message that was cut has no reply, once that is known."""
        if not self.is_over:
            if self._over is None:
                self._over = trio.Event()
            await self._over.wait()
        return ActorStopped(name, self.cause) if self.failure is None else ActorCrashed(name, self.failure)


@attrs.define(eq=False)
class ActorRef(Generic[M_contra, R_co]):
    """The address of an actor, good for all its lives. Made by `Supervisor.start`."""

    _spec: ActorSpec[Any, Any]
    _trace: Trace | None
    _lives: dict[Life, None] = attrs.field(factory=dict, init=False)
    _life: Life | None = attrs.field(default=None, init=False)  # the one that new messages go to
    _closed: bool = attrs.field(default=False, init=False)
    _begun: int = attrs.field(default=0, init=False)
    _queue: OrderedDict[Envelope, Context | None] = attrs.field(factory=OrderedDict, init=False)
    _counts: MailboxStatistics = attrs.field(factory=MailboxStatistics, init=False)

    @property
    def name(self) -> str:
        return self._spec.name

    @enable_ki_protection
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
        if (life := self._room()) is not None:
            self._begin(life, envelope)
        else:
            life = await self._turn(envelope)
        try:
            await trio.lowlevel.checkpoint()
        except BaseException:
            self._counts.dropped += 1
            self._end(life, envelope)
            raise
        result = await self._handled(life, envelope)
        try:
            if result is None:
                raise await life.end(self.name)
            return cast(R_co, result.unwrap())
        finally:
            del result  # an error that is raised here holds this frame

    @enable_ki_protection
    async def tell(self, message: M_contra) -> None:
        """Send and wait for room in the mailbox only. To a stopped actor: a dead letter, no error."""
        await trio.lowlevel.checkpoint()
        envelope = Envelope(message)
        if not self._send(envelope):
            envelope.teller = current_task()
            await park(partial(self._withdraw, envelope))

    @enable_ki_protection
    def tell_nowait(self, message: M_contra) -> None:
        """Send now or raise `MailboxFull`. To a stopped actor: a dead letter, no error."""
        if len(self._queue) >= self._spec.mailbox and not self._closed:
            raise MailboxFull(self.name, self._spec.mailbox)
        self._send(Envelope(message))

    def statistics(self) -> MailboxStatistics:
        """As of now; a copy."""
        waiting = min(len(self._queue), self._spec.mailbox)
        blocked = len(self._queue) - waiting
        return attrs.evolve(self._counts, waiting=waiting, blocked=blocked, in_flight=self._begun)

    async def _turn(self, envelope: Envelope) -> Life:
        """The life that an asker's turn comes in. A message that is not begun yet goes with its asker."""
        if self._closed:
            await self.tell(cast(M_contra, envelope.message))  # a dead letter
            raise ActorStopped(self.name)
        envelope.asker = current_task()
        self._queue[envelope] = None
        return cast(Life, await park(partial(self._withdraw, envelope)))

    def _send(self, envelope: Envelope) -> bool:
        """False if it waits beyond the mailbox: who tells is blocked, as who asks is anyway."""
        if self._closed:
            self._dead_letter(envelope)
        elif (life := self._room()) is not None:
            self._start(life, envelope)
        else:
            self._queue[envelope] = copy_context()
            return len(self._queue) <= self._spec.mailbox
        return True

    def _room(self) -> Life | None:
        return self._life if self._begun < self._spec.concurrency else None

    def _begin(self, life: Life, envelope: Envelope) -> None:
        self._begun += 1
        life.inside[envelope] = None

    def _start(self, life: Life, envelope: Envelope) -> None:
        """Handle what was told."""
        self._begin(life, envelope)
        life.nursery.start_soon(self._handled, life, envelope, name=self._spec.name)

    def _pump(self) -> None:
        while self._queue and (life := self._room()) is not None:
            envelope, context = self._queue.popitem(last=False)
            self._unblock()
            if context is not None:
                context.run(self._start, life, envelope)
            elif envelope.asker is not None:
                self._begin(life, envelope)
                reschedule(envelope.asker, Value(life))
        if self._is_done():
            for each in self._lives:
                self._retire(each)

    def _unblock(self) -> None:
        for envelope in islice(self._queue, self._spec.mailbox - 1, self._spec.mailbox):
            if envelope.teller is not None:
                reschedule(envelope.teller)
                envelope.teller = None

    def _withdraw(self, envelope: Envelope, _raise_cancel: RaiseCancelT) -> Abort:
        self._counts.dropped += 1
        del self._queue[envelope]
        self._unblock()
        return Abort.SUCCEEDED

    @enable_ki_protection
    async def _handled(self, life: Life, envelope: Envelope) -> Outcome[Any] | None:
        """The reply or the failure. None: its life was ended before there was one. An asker's own cancellation goes
        through."""
        if life.is_cut:  # before it could begin
            self._dead_letter(envelope)
            self._end(life, envelope)
            return None
        result: Outcome[Any] | None = None
        scope = envelope.scope = trio.CancelScope()
        try:
            with scope:
                if self._trace is not None:
                    self._emit("begun", envelope.message)
                result = Value(await _interruptible(life.handle, envelope.message))
        except Exception as fault:
            # Beside a `Cancelled` that the scope took, no failure is why: its life was ended from outside.
            result = None if scope.cancelled_caught else self._judge(life, fault)
        except BaseExceptionGroup as group:
            # There is a `Cancelled` in it: its asker was cancelled, and no failure beside it is why.
            raise group.split(StepFailure)[1] or group from None
        finally:
            self._settle(life, envelope, result)
        return result

    def _judge(self, life: Life, fault: Exception) -> Outcome[Any]:
        """An answer or a bug? A bug ends this life, and fails no message but its own."""
        group = fault if isinstance(fault, ExceptionGroup) else ExceptionGroup("", [fault])
        if group.split(StepFailure)[1] is None:
            self._counts.failed += 1
            assert fault.__traceback__ is not None
            return Error(fault.with_traceback(fault.__traceback__.tb_next))  # the frame that will hold this
        if isinstance(fault, Finished):
            self._retire(life, settled=False)
            return Value(fault.reply)
        self._crash(fault)
        self._retire(life, fault, settled=False)
        return Error(ActorCrashed(self.name, fault))

    def _settle(self, life: Life, envelope: Envelope, result: Outcome[Any] | None) -> None:
        """The end of a message that was handled. No result: its asker left, its time was up, or its life ended."""
        if result is None:
            self._counts.cancelled += 1
        elif type(result) is Value:
            self._counts.handled += 1
        if self._trace is not None:
            error = result.error if isinstance(result, Error) else None
            self._emit("cancelled" if result is None else "ended", envelope.message, error)
        self._end(life, envelope)

    def _end(self, life: Life, envelope: Envelope) -> None:
        """It leaves its place to the next."""
        self._begun -= 1
        life.leave(envelope)
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

    async def _serve(self, life: Life) -> None:
        """Open, until this life is to end."""
        life.is_open = True
        self._emit("started")
        self._life = None if life.retired.is_set() else life
        self._pump()
        try:
            await life.retired.wait()
        finally:
            self._life = None

    def _retire(self, life: Life, cause: Cause = None, *, settled: bool = True) -> None:
        """Let a life finish what it has begun, and nothing else. `settled`: what follows it is decided."""
        if not life.retired.is_set():
            life.cause, life.settled = cause, settled
            life.retired.set()
            self._life = None
            if not life.is_open:  # in its backoff or set-up: nothing to finish
                life.scope.cancel()

    def _bury(self, life: Life, failure: Exception | None) -> None:
        del self._lives[life]
        life.bury(failure)
        if life.is_open:
            self._emit("stopped")

    def _is_done(self) -> bool:
        return self._closed and not self._queue

    def _close(self, cause: Cause = None) -> None:
        """Take no more messages. What waits is refused, except that a service is drained of it."""
        self._closed = True
        while self._queue and not (self._spec.service and self._lives):
            envelope, _ = self._queue.popitem(last=False)
            self._unblock()
            self._dead_letter(envelope)
            if envelope.asker is not None:
                reschedule(envelope.asker, Error(ActorStopped(self.name, cause)))
        self._pump()


@disable_ki_protection
async def _interruptible(handle: Callable[[Any], Awaitable[Any]], message: object) -> object:
    """A handler, which Ctrl-C may interrupt where it is."""
    return await handle(message)
