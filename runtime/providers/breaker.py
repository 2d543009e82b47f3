"""A circuit breaker: a service that is down, or has nothing left for us, is left alone for a while."""

from __future__ import annotations

import trio

from ..judge.errors import ProviderError
from .failures import FAILURES, Failures


class Breaker:
    """Opens after `threshold` calls in a row that a service could not answer, retries included, or at once
    when the quota is spent. After `cooldown` seconds one call tries; if it is answered, all may."""

    def __init__(self, failures: Failures, *, threshold: int = 5, cooldown: float = 30.0) -> None:
        self._failures = failures
        self._threshold = threshold
        self._cooldown = cooldown
        self._in_a_row = 0
        self._open_until = 0.0
        self._cause = ""

    def check(self, *, trial: bool = False) -> bool:
        """Raises `provider.circuit-open`. The first call after the cooldown is the trial, and told so: it
        may go on while the others wait for what becomes of it."""
        if trial or not self._open_until:
            return trial
        left = self._open_until - trio.current_time()
        if left > 0:
            raise self._failures.make(
                "provider.circuit-open", f"{left:.0f} s more, because of: {self._cause}"
            )
        self._open_until = trio.current_time() + self._cooldown
        return True

    def went_well(self) -> None:
        self._in_a_row = 0
        self._open_until = 0.0

    def failed(self, error: ProviderError) -> None:
        """A call failed for good."""
        if error.code == "provider.quota":
            self._open(error)
        elif error.code in FAILURES and FAILURES[error.code].down:
            self._in_a_row += 1
            if self._in_a_row >= self._threshold:
                self._open(error)

    def _open(self, error: ProviderError) -> None:
        self._cause = error.message
        self._open_until = trio.current_time() + self._cooldown
