"""An actor: state that outlives a message, and the messages it handles.

Below the actor's `concurrency` an asker starts the handler's task itself, in the nursery of the current life,
and parks; the handler's end reschedules it. Above, the message waits until a handler ends. No task between.
"""

from collections import OrderedDict
from collections.abc import Callable
from contextvars import copy_context
from functools import partial
from math import inf
from typing import Any, Generic, TypeVar, cast

import attrs
import trio
from outcome import Error, Outcome, Value, capture
from trio.lowlevel import Abort, RaiseCancelT, current_task, enable_ki_protection, reschedule
from trio.lowlevel import wait_task_rescheduled as park

from .exceptions import ActorCrashed, ActorStopped, AskTimeout, Finished, MailboxFull, StepFailure
from .life import Cause, Envelope, Life, MailboxStatistics
from .spec import ActorSpec
from .trace import Kind, Trace, TraceEvent, emit

M_contra = TypeVar("M_contra", contravariant=True)
R_co = TypeVar("R_co", covariant=True)


@attrs.define(eq=False)
class ActorRef(Generic[M_contra, R_co]):
    """The address of an actor, good for all its lives. Made by `Supervisor.start`."""

    _spec: ActorSpec[Any, Any]
    _trace: Trace | None
    _lives: dict[Life, None] = attrs.field(factory=dict, init=False)
    _closed: bool = attrs.field(default=False, init=False)
    _counts: MailboxStatistics = attrs.field(factory=MailboxStatistics, init=False)
    _life: Life | None = attrs.field(default=None, init=False)
    _in_flight: int = attrs.field(default=0, init=False)
    _waiting: OrderedDict[Envelope, None] = attrs.field(factory=OrderedDict, init=False)
    _blocked: OrderedDict[Envelope, None] = attrs.field(factory=OrderedDict, init=False)

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
            with trio.CancelScope(deadline=trio.current_time() + within):
                return await self.ask(message)
            raise AskTimeout(self.name, within)
        if self._closed:
            await trio.lowlevel.checkpoint()
            self._dead_letter(message)
            raise ActorStopped(self.name)
        envelope = Envelope(message, current_task(), trio.current_effective_deadline())
        if not self._submit(envelope):
            self._blocked[envelope] = None
        return cast(R_co, await park(partial(self._abandon, envelope)))

    @enable_ki_protection
    async def tell(self, message: M_contra) -> None:
        """Send and wait for room in the mailbox only. To a stopped actor: a dead letter, no error."""
        await trio.lowlevel.checkpoint_if_cancelled()
        envelope = Envelope(message)
        if self._submit(envelope):
            await trio.lowlevel.cancel_shielded_checkpoint()
        else:
            envelope.sender = current_task()
            self._blocked[envelope] = None
            await park(partial(self._abandon, envelope))

    @enable_ki_protection
    def tell_nowait(self, message: M_contra) -> None:
        """Send now or raise `MailboxFull`. To a stopped actor: a dead letter, no error."""
        if not self._submit(Envelope(message)):
            raise MailboxFull(self.name, self._spec.mailbox)

    def statistics(self) -> MailboxStatistics:
        """As of now; a copy."""
        waiting, blocked = len(self._waiting), len(self._blocked)
        return attrs.evolve(self._counts, waiting=waiting, blocked=blocked, in_flight=self._in_flight)

    def _submit(self, envelope: Envelope) -> bool:
        if (life := self._life) is not None and self._in_flight < self._spec.concurrency:
            self._begin(life, envelope)
            return True
        envelope.context = copy_context()
        if self._closed:
            self._dead_letter(envelope.message)
        elif len(self._waiting) < self._spec.mailbox:
            self._waiting[envelope] = None
        else:
            return False
        return True

    def _begin(self, life: Life, envelope: Envelope) -> None:
        self._in_flight += 1
        life.begun[envelope] = None
        life.nursery.start_soon(self._handle, life, envelope, name=self._spec.name)

    def _take(self) -> Envelope:
        envelope, _ = self._waiting.popitem(last=False)
        self._refill()
        return envelope

    def _refill(self) -> None:
        if self._blocked:
            envelope, _ = self._blocked.popitem(last=False)
            self._waiting[envelope] = None
            if envelope.sender is not None:
                reschedule(envelope.sender)

    def _pump(self) -> None:
        while self._waiting and (life := self._life) is not None and self._in_flight < self._spec.concurrency:
            envelope = self._take()
            assert envelope.context is not None
            envelope.context.run(self._begin, life, envelope)
        if self._is_done():
            for each in self._lives:
                each.retire()

    def _abandon(self, envelope: Envelope, raise_cancel: RaiseCancelT) -> Abort:
        if envelope.scope is not None:
            envelope.raise_cancel = raise_cancel
            envelope.scope.cancel()
            return Abort.FAILED
        envelope.gone = True
        self._counts.dropped += 1
        if envelope in self._waiting:
            del self._waiting[envelope]
            self._refill()
        else:
            self._blocked.pop(envelope, None)
        return Abort.SUCCEEDED

    async def _handle(self, life: Life, envelope: Envelope) -> None:
        result: Outcome[Any] | None = None
        try:
            if not envelope.gone:
                if self._trace is not None:
                    self._emit("begun", envelope.message)
                with trio.CancelScope(deadline=envelope.deadline) as envelope.scope:
                    result = Value(await life.handle(envelope.message))
        except Exception as fault:
            self._end(life, envelope, self._judge(life, fault))
        except BaseExceptionGroup as group:
            # There is a `Cancelled` in it: this life is ended from outside, and no failure beside it is why.
            raise group.split(StepFailure)[1] or group from None
        else:
            self._end(life, envelope, result)

    def _judge(self, life: Life, fault: Exception) -> Outcome[Any]:
        """An answer or a bug? A bug ends this life, and fails no message but its own."""
        failures = isinstance(fault, ExceptionGroup) and fault.split(StepFailure)[1] is None
        if failures or isinstance(fault, StepFailure):
            self._counts.failed += 1
            return Error(fault)
        if self._life is life:
            self._life = None
        if isinstance(fault, Finished):
            life.retire(renew=True)
            return Value(fault.reply)
        self._crash(fault)
        life.retire(fault, renew=True)
        return Error(ActorCrashed(self.name, fault))

    @enable_ki_protection
    def _end(self, life: Life, envelope: Envelope, result: Outcome[Any] | None) -> None:
        del life.begun[envelope]
        self._in_flight -= 1
        if not envelope.gone:
            if type(result) is Value:
                self._counts.handled += 1
            elif result is None:
                self._counts.cancelled += 1
            if self._trace is not None:
                error = result.error if isinstance(result, Error) else None
                self._emit("cancelled" if result is None else "ended", envelope.message, error)
            self._settle(envelope, result)
        if self._waiting or self._closed:
            self._pump()

    def _settle(self, envelope: Envelope, result: Outcome[Any] | None) -> None:
        if envelope.asker is not None:
            if result is None:
                cancel = envelope.raise_cancel
                result = Error(AskTimeout(self.name)) if cancel is None else capture(cancel)
            reschedule(envelope.asker, result)

    def _dead_letter(self, message: object) -> None:
        self._counts.dead_letters += 1
        self._emit("dead_letter", message)

    def _crash(self, cause: BaseException) -> None:
        self._counts.crashed += 1
        self._emit("crashed", error=cause)

    def _emit(self, kind: Kind, message: object = None, error: Cause = None, delay: float = 0.0) -> None:
        if self._trace is not None:
            emit(self._trace, TraceEvent(kind, self.name, message, error, delay))

    async def _run(self, life: Life, renew: Callable[[Cause], None]) -> None:
        async with self._spec.behaviour() as life.handle, trio.open_nursery() as life.nursery:
            life.is_open = True
            self._emit("started")
            try:
                if not life.retired.is_set():
                    self._life = life
                    self._pump()
                await life.retired.wait()
            finally:
                if self._life is life:
                    self._life = None
            if life.renew:
                renew(life.cause)

    def _is_done(self) -> bool:
        return self._closed and not self._waiting

    def _close(self, cause: Cause = None) -> None:
        self._closed = True
        if not (self._spec.service and self._lives):
            self._refuse(cause)
        self._pump()

    def _bury(self, life: Life, failure: Cause) -> None:
        for envelope in list(life.begun):
            result: Outcome[Any] | None = None
            if envelope.raise_cancel is None:
                self._counts.cancelled += 1
                crash = ActorCrashed(self.name, failure) if failure is not None else None
                result = Error(crash or ActorStopped(self.name, life.cause))
            self._end(life, envelope, result)

    def _refuse(self, cause: Cause) -> None:
        while self._waiting:
            envelope = self._take()
            self._dead_letter(envelope.message)
            self._settle(envelope, Error(ActorStopped(self.name, cause)))
