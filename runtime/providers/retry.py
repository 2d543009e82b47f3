"""Whether and when a request is sent again. The only place that does it."""

from __future__ import annotations

from random import Random

import attrs

from ..judge.errors import ProviderError
from .failures import FAILURES, Again, Failures
from .waiting import spoken


@attrs.frozen
class RetryPolicy:
    """Seconds. The n-th wait is between half and all of `base` · 2ⁿ, at most `cap`; what a service asks
    for comes first, up to `longest_wait`."""

    retries: int = 4
    base: float = 0.5
    cap: float = 30.0
    longest_wait: float = 300.0

    def backoff(self, attempt: int, random: Random) -> float:
        """The wait after the attempt of this number, from 1."""
        ceiling = min(self.cap, self.base * 2.0 ** min(attempt - 1, 32))
        return ceiling * (0.5 + random.random() / 2)


@attrs.define(eq=False)
class RetryBudget:
    """Keeps a failing service from being asked twice as often as a working one: each call earns a part of
    a retry, each retry spends one."""

    size: float = 100.0
    earned_per_call: float = 0.2
    left: float = attrs.field(init=False)

    def __attrs_post_init__(self) -> None:
        self.left = self.size

    def earn(self) -> None:
        self.left = min(self.size, self.left + self.earned_per_call)

    def spend(self) -> bool:
        if self.left < 1:
            return False
        self.left -= 1
        return True


@attrs.frozen
class Retries:
    """Decides, for one service, whether a request that failed is sent again."""

    policy: RetryPolicy
    budget: RetryBudget
    failures: Failures
    random: Random

    def delay(self, error: ProviderError, attempt: int) -> float:
        """The seconds to wait after attempt `attempt`, from 1. Raises `error` where it was the last."""
        error.attempts = attempt
        again = FAILURES[error.code].again
        most = min(self.policy.retries, 1) if again is Again.ONCE else self.policy.retries
        if again is Again.NEVER or attempt > most:
            raise error
        asked = error.retry_after
        if asked is not None and asked > self.policy.longest_wait:
            limit = spoken(self.policy.longest_wait)
            error.message = f"{error.message}; it asks to wait {spoken(asked)}, the limit is {limit}"
            error.args = (error.message,)
            raise error
        if not self.budget.spend():
            raise error
        backoff = self.policy.backoff(attempt, self.random)
        if asked is None:
            return backoff
        # Everybody who was told the same number would come back at once.
        return asked + min(backoff, 0.1 * asked + 0.05)
