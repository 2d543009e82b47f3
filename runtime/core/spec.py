"""What an author writes: the behaviour of an actor, and how it and its supervisor are to run."""

from collections.abc import Awaitable, Callable
from contextlib import AbstractAsyncContextManager, nullcontext
from random import Random
from typing import Generic, Literal, TypeAlias, TypeVar

import attrs

M_contra = TypeVar("M_contra", contravariant=True)
R_co = TypeVar("R_co", covariant=True)
Restart: TypeAlias = Literal["permanent", "transient", "temporary"]
Strategy: TypeAlias = Literal["one_for_one", "rest_for_one", "one_for_all"]

Behaviour: TypeAlias = Callable[[], AbstractAsyncContextManager[Callable[[M_contra], Awaitable[R_co]]]]
"""Sets up, yields `async def handle(message) -> reply`, tears down: once for every life."""


def stateless(handle: Callable[[M_contra], Awaitable[R_co]]) -> Behaviour[M_contra, R_co]:
    """The behaviour of a handler that needs no set-up."""
    return lambda: nullcontext(handle)


@attrs.frozen(kw_only=True)
class ActorSpec(Generic[M_contra, R_co]):
    """`concurrency` messages are handled at once (`math.inf`: any number), `mailbox` more may wait.

    `restart`: permanent, always; transient, after a crash only; temporary, never. A `service` outlives the
    workers beside it, is shielded from cancellation around its supervisor, and stops last, drained.
    """

    name: str
    behaviour: Behaviour[M_contra, R_co]
    concurrency: float = attrs.field(default=1, validator=attrs.validators.ge(1))
    mailbox: int = attrs.field(default=32, validator=attrs.validators.ge(1))
    restart: Restart = "permanent"
    service: bool = False


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
