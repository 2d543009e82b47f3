"""One service: the path that every call takes to it. Permit, send, read, and again where that may help."""

from __future__ import annotations

import math
from collections.abc import Callable
from typing import Generic, Protocol, TypeVar
from urllib.parse import urlsplit

import attrs
import trio

from ..judge.errors import ConfigurationError, ProviderError
from ..judge.protocol import Caller, Usage
from .breaker import Breaker
from .clockwork import Clockwork
from .exchange import ExchangeError, Head, Sink
from .failures import FAILURES, Failures
from .permits import Permits
from .pool import Pool
from .retry import Retries, RetryBudget
from .settings import CONCURRENCY, Target
from .usage import UNKNOWN, total
from .wire import EncodingError, Inflater, TooLargeError

T_co = TypeVar("T_co", covariant=True)
T = TypeVar("T")


class Reader(Protocol[T_co]):
    """Makes an answer of a body. Both raise `ProviderError` for what is no whole answer."""

    @property
    def progress(self) -> int:
        """Grows with what matters; signs of life are nothing to it."""

    def feed(self, chunk: bytes) -> bool:
        """Returns whether all that matters has come."""

    def finish(self, whole: bool) -> T_co:
        """The answer. `whole` is false where the connection broke within the body."""


@attrs.frozen
class Call(Generic[T]):
    path: str
    body: bytes
    read: Callable[[Head], Reader[T]]
    caller: Caller
    timeout: float | None = None
    most: int = 64 * 2**20
    """Bytes of the body, decompressed."""
    method: str = "POST"


class Service:
    def __init__(self, target: Target, clockwork: Clockwork, *, auth: tuple[tuple[str, str], ...]) -> None:
        """`auth` are the headers that carry the key in the way of this API."""
        self.name = target.name
        self.failures = Failures(target.name, target.secrets, target.keys, clockwork.wall)
        self.limit = target.concurrency or CONCURRENCY
        self._hint = target.hint
        self._clockwork = clockwork
        self._retries = Retries(
            attrs.evolve(clockwork.policy, retries=target.retries),
            RetryBudget(),
            self.failures,
            clockwork.random,
        )
        self._permits = Permits(self.limit, start=target.concurrency)
        self._breaker = Breaker(self.failures)
        own = tuple((name, value.reveal()) for name, value in target.headers)
        try:
            self._pool = Pool(
                target.url, _headers((*auth, *own)), clockwork.environ, clockwork.timing, clockwork.tls
            )
        except ValueError as error:
            raise ConfigurationError(
                f"provider {target.name}: its url is no http(s) address: {error}", code="model.bad-url"
            ) from None

    async def call(self, call: Call[T]) -> tuple[T, tuple[Usage, ...]]:
        """The answer, and what the attempts before it used. Raises `ProviderError` with the number of
        attempts and with what they used; a cancellation passes through untouched."""
        paid: list[Usage] = []
        seconds = math.inf if call.timeout is None else call.timeout
        with trio.CancelScope(deadline=trio.current_time() + seconds) as scope:
            return await self._attempts(call, scope, paid), tuple(paid)
        raise self.failures.make("provider.timeout", f"{seconds:g} s", usage=total([*paid, UNKNOWN]))

    async def aclose(self) -> None:
        await self._pool.aclose()

    async def _attempts(self, call: Call[T], scope: trio.CancelScope, paid: list[Usage]) -> T:
        trial = self._breaker.check()
        self._retries.budget.earn()
        attempt = 0
        while True:
            attempt += 1
            try:
                answer = await self._attempt(call, scope)
            except ProviderError as error:
                _book(error, paid)
                delay = self._delay(error, attempt, scope)
                if self._clockwork.on_retry is not None:
                    self._clockwork.on_retry(call.caller, delay, error)
                if call.caller.turn is not None:
                    call.caller.turn.waits(delay, error.message, attempt + 1)
                await trio.sleep(delay)
                self._breaker.check(trial=trial)
            else:
                self._breaker.went_well()
                return answer

    def _delay(self, error: ProviderError, attempt: int, scope: trio.CancelScope) -> float:
        try:
            delay = self._retries.delay(error, attempt)
            if trio.current_time() + delay >= scope.deadline:
                raise error
        except ProviderError as final:
            self._breaker.failed(final)
            raise
        return delay

    async def _attempt(self, call: Call[T], scope: trio.CancelScope) -> T:
        """One exchange under a permit. Waiting for the permit is not the service's fault, so no clock
        runs; and nothing is under way, so a run that is stopped meanwhile sends nothing."""
        deadline, asked_at, turn = scope.deadline, trio.current_time(), call.caller.turn
        scope.deadline = math.inf
        if turn is not None:
            turn.give()
        while True:
            async with self._permits:
                if turn is None or await turn.try_take():
                    sent_at = trio.current_time()
                    scope.deadline = deadline + (sent_at - asked_at)
                    return await self._permitted(call, sent_at)
            await turn.take()  # the run was stopped: it ends here, and holds no permit that others wait for
            turn.give()

    async def _permitted(self, call: Call[T], sent_at: float) -> T:
        try:
            answer = await self._exchange(call)
        except ProviderError as error:
            if error.code in ("provider.rate-limited", "provider.overloaded"):
                self._permits.slow_down(sent_at)
            if call.caller.turn is not None:
                call.caller.turn.give()
            raise
        self._permits.went_well()
        return answer

    async def _exchange(self, call: Call[T]) -> T:
        receiver = Receiver(call, self.failures, self._clockwork.timing.nothing_new)
        try:
            await self._pool.send(call.method, call.path, call.body, receiver.start)
        except ExchangeError as error:
            if receiver.was_refused:
                # The head said it all: what to wait for is not lost with the rest of an error page.
                return receiver.answer()
            hint = f"; {self._hint}" if self._hint and error.code == "provider.refused" else ""
            raise self.failures.make(error.code, f"{error}{hint}") from None
        except TooLargeError:
            raise self.failures.make("provider.too-large", f"over {call.most:,} bytes") from None
        except EncodingError as error:
            raise self.failures.make("provider.bad-encoding", str(error)) from None
        return receiver.answer()


def _book(error: ProviderError, paid: list[Usage]) -> None:
    """An attempt failed: what it used is kept, with what those before it used, in case it is the last."""
    used = error.usage or (UNKNOWN if FAILURES[error.code].may_cost else None)
    if used is not None:
        paid.append(used)
    error.usage = total(paid) if paid else None


class Receiver(Generic[T]):
    """Between a connection and a reader: decompresses, counts, and keeps the body of an error."""

    def __init__(self, call: Call[T], failures: Failures, nothing_new: float) -> None:
        self._call = call
        self._failures = failures
        self._nothing_new = nothing_new
        self._progress = 0
        self._last_new = trio.current_time()
        self._head: Head | None = None
        self._reader: Reader[T] | None = None
        self._inflater: Inflater | None = None
        self._error = bytearray()
        self._whole = False

    def start(self, head: Head) -> Sink:
        self._head = head
        good = 200 <= head.status < 300
        self._last_new = trio.current_time()
        self._inflater = Inflater(head.headers.get("content-encoding", "").lower(), self._call.most)
        self._reader = self._call.read(head) if good else None
        return self

    def feed(self, chunk: bytes) -> bool:
        assert self._inflater is not None
        plain = self._inflater.feed(chunk)
        if self._reader is not None:
            done = self._reader.feed(plain)
            self._watch(self._reader.progress)
            return done
        self._error += plain[: _MOST_OF_AN_ERROR - len(self._error)]
        return len(self._error) >= _MOST_OF_AN_ERROR

    def _watch(self, progress: int) -> None:
        """A stream that only says that it is alive, or sends an event that never ends, stalls too."""
        if progress > self._progress:
            self._progress, self._last_new = progress, trio.current_time()
        elif trio.current_time() - self._last_new > self._nothing_new:
            raise self._failures.make(
                "provider.stalled", f"{self._nothing_new:g} s of nothing but signs of life"
            )

    def closed(self, whole: bool) -> None:
        self._whole = whole

    @property
    def was_refused(self) -> bool:
        return self._head is not None and self._reader is None

    def answer(self) -> T:
        assert self._head is not None
        if self._reader is not None:
            return self._reader.finish(self._whole)
        head = self._head
        if 300 <= head.status < 400:
            there = _place(head.headers.get("location", ""))
            raise self._failures.make(
                "provider.redirect", f"to {there}; set the url to that", status=head.status
            )
        raise self._failures.from_status(head.status, head.headers, bytes(self._error))


_MOST_OF_AN_ERROR = 65_536


def _place(location: str) -> str:
    """Where a redirect leads, without a query, which may hold a key."""
    try:
        there = urlsplit(location)
    except ValueError:
        return "no address"
    return f"{there.scheme}://{there.hostname}{there.path}" if there.hostname else there.path


def _headers(extra: tuple[tuple[str, str], ...]) -> dict[str, str]:
    ours = {
        "user-agent": "judgeflow",
        "accept": "application/json, text/event-stream",
        "accept-encoding": "identity",
        "content-type": "application/json",
    }
    return ours | {name.lower(): value for name, value in extra}
