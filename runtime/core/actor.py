"""An actor: state that outlives a message, and the messages it handles.

Below the actor's `concurrency` an asker starts the handler's task itself, in the nursery of the current life,
and parks; the handler's end reschedules it. Above, the message waits until a handler ends. No task between.
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
from trio.lowlevel import Abort, RaiseCancelT, Task, current_task, enable_ki_protection, reschedule
from trio.lowlevel import wait_task_rescheduled as park

from .errors import ActorCrashed, ActorStopped, AskTimeout, Finished, MailboxFull, StepFailure
from .spec import ActorSpec, M_contra, R_co
from .trace import Kind, MailboxStatistics, Trace, TraceEvent

Cause: TypeAlias = BaseException | None
_LEFT = object()
_log = logging.getLogger(__name__)


@attrs.define(eq=False)
class Envelope:
    """`asker` is parked until there is a reply, `teller` until there is room. `scope`: its handler has begun;
    `raise_cancel`: its asker has left since it was sent on to a handler."""

    message: object
    asker: Task | None = None
    deadline: float = inf
    teller: Task | None = None
    scope: trio.CancelScope | None = None
    raise_cancel: RaiseCancelT | None = None


@attrs.define(eq=False)
class Life:
    """One instance. `scope` ends it at once, `retired` lets it finish what it has begun; `cause` is why, and
    `settled` says that its supervisor has decided what follows."""

    scope: trio.CancelScope
    retired: trio.Event = attrs.field(factory=trio.Event)
    cause: Cause = None
    is_open: bool = False
    settled: bool = False
    handle: Callable[[Any], Awaitable[Any]] = attrs.field(init=False)
    nursery: trio.Nursery = attrs.field(init=False)


@attrs.define(eq=False)
class ActorRef(Generic[M_contra, R_co]):
    """The address of an actor, good for all its lives. Made by `Supervisor.start`."""

    _spec: ActorSpec[Any, Any]
    _trace: Trace | None
    _lives: dict[Life, None] = attrs.field(factory=dict, init=False)
    _life: Life | None = attrs.field(default=None, init=False)  # the one that new messages go to
    _closed: bool = attrs.field(default=False, init=False)
    _begun: dict[Envelope, Life] = attrs.field(factory=dict, init=False)
    _queue: OrderedDict[Envelope, Context] = attrs.field(factory=OrderedDict, init=False)
    _counts: MailboxStatistics = attrs.field(factory=MailboxStatistics, init=False)

    @property
    def name(self) -> str:
        return self._spec.name

    @enable_ki_protection
    async def ask(self, message: M_contra, *, within: float = inf) -> R_co:
        """Send and wait for the reply, at most `within` seconds, time in the mailbox included.

        The handler sees the asker's deadline and context variables. Cancelling the asker cancels the handler
        and returns when that has unwound; a message not yet begun is dropped.
        Raises the handler's `StepFailure`, `AskTimeout`, `ActorCrashed` or `ActorStopped`.
        """
        if within != inf:
            with trio.move_on_after(within):
                return await self.ask(message)
            raise AskTimeout(self.name, within)
        if self._closed:
            await self.tell(message)  # a dead letter
            raise ActorStopped(self.name)
        envelope = Envelope(message, current_task(), trio.current_effective_deadline())
        self._send(envelope)
        reply = await park(partial(self._abandon, envelope))
        if reply is _LEFT and envelope.raise_cancel is not None:
            envelope.raise_cancel()  # here, where it was cancelled: an exception that is passed on is a cycle
        return cast(R_co, reply)

    @enable_ki_protection
    async def tell(self, message: M_contra) -> None:
        """Send and wait for room in the mailbox only. To a stopped actor: a dead letter, no error."""
        await trio.lowlevel.checkpoint()
        envelope = Envelope(message)
        if not self._send(envelope):
            envelope.teller = current_task()
            await park(partial(self._abandon, envelope))

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
        return attrs.evolve(self._counts, waiting=waiting, blocked=blocked, in_flight=len(self._begun))

    def _send(self, envelope: Envelope) -> bool:
        """False if it waits beyond the mailbox: who tells is blocked, as who asks is anyway."""
        if self._closed:
            self._dead_letter(envelope)
        elif (life := self._life) is not None and len(self._begun) < self._spec.concurrency:
            self._begin(life, envelope)
        else:
            self._queue[envelope] = copy_context()
            return len(self._queue) <= self._spec.mailbox
        return True

    def _begin(self, life: Life, envelope: Envelope) -> None:
        self._begun[envelope] = life
        life.nursery.start_soon(self._handle, life, envelope, name=self._spec.name)

    def _pump(self) -> None:
        while self._queue and (life := self._life) is not None and len(self._begun) < self._spec.concurrency:
            envelope, context = self._queue.popitem(last=False)
            self._unblock()
            context.run(self._begin, life, envelope)
        if self._is_done():
            for each in self._lives:
                self._retire(each)

    def _unblock(self) -> None:
        for envelope in islice(self._queue, self._spec.mailbox - 1, self._spec.mailbox):
            if envelope.teller is not None:
                reschedule(envelope.teller)
                envelope.teller = None

    def _abandon(self, envelope: Envelope, raise_cancel: RaiseCancelT) -> Abort:
        envelope.raise_cancel = raise_cancel
        if envelope.scope is not None:
            envelope.scope.cancel()
        else:
            self._counts.dropped += 1
        if envelope not in self._queue:
            return Abort.FAILED
        del self._queue[envelope]
        self._unblock()
        return Abort.SUCCEEDED

    async def _handle(self, life: Life, envelope: Envelope) -> None:
        result: Outcome[Any] | None = None
        try:
            if envelope.raise_cancel is None:  # its asker is still there
                with trio.CancelScope(deadline=envelope.deadline) as envelope.scope:
                    if self._trace is not None:
                        self._emit("begun", envelope.message)
                    result = Value(await life.handle(envelope.message))
        except Exception as fault:
            result = self._judge(life, fault)
        except BaseExceptionGroup as group:
            # There is a `Cancelled` in it: this life is ended from outside, and no failure beside it is why.
            raise group.split(StepFailure)[1] or group from None
        self._end(envelope, result)

    def _judge(self, life: Life, fault: Exception) -> Outcome[Any]:
        """An answer or a bug? A bug ends this life, and fails no message but its own."""
        group = fault if isinstance(fault, ExceptionGroup) else ExceptionGroup("", [fault])
        if group.split(StepFailure)[1] is None:
            self._counts.failed += 1
            return Error(fault)
        if isinstance(fault, Finished):
            self._retire(life, settled=False)
            return Value(fault.reply)
        self._crash(fault)
        self._retire(life, fault, settled=False)
        return Error(ActorCrashed(self.name, fault))

    @enable_ki_protection
    def _end(self, envelope: Envelope, result: Outcome[Any] | None, why: Cause = None) -> None:
        """The end of a message that was begun. No result: it was cancelled, since its asker left or its time was
        up, or else its life ended, and `why` says how."""
        del self._begun[envelope]
        if type(result) is Value:
            self._counts.handled += 1
        if self._trace is not None and envelope.scope is not None:
            error = result.error if isinstance(result, Error) else why
            self._emit("cancelled" if result is None else "ended", envelope.message, error)
        if result is None:
            if envelope.scope is not None:
                self._counts.cancelled += 1
            result = Error(why or AskTimeout(self.name)) if envelope.raise_cancel is None else Value(_LEFT)
        if envelope.asker is not None:
            reschedule(envelope.asker, result)
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
        for envelope in [each for each, its in self._begun.items() if its is life]:
            crash = ActorCrashed(self.name, failure) if failure is not None else None
            self._end(envelope, None, crash or ActorStopped(self.name, life.cause))
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
