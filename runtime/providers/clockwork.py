"""What a service gets from outside."""

from __future__ import annotations

import ssl
import time
from collections.abc import Callable, Mapping
from random import Random

import attrs

from ..judge.errors import ProviderError
from ..judge.protocol import Caller
from .retry import RetryPolicy
from .settings import Timing

OnRetry = Callable[[Caller, float, ProviderError], None]
"""Who waits, how many seconds, and because of what (`error.attempts` says how many were made)."""


@attrs.frozen
class Clockwork:
    """Everything that tests hold still. `environ` names the proxies."""

    environ: Mapping[str, str] = attrs.field(factory=dict, repr=False)
    timing: Timing = attrs.field(factory=Timing)
    policy: RetryPolicy = attrs.field(factory=RetryPolicy)
    random: Random = attrs.field(factory=Random)
    wall: Callable[[], float] = time.time
    tls: ssl.SSLContext | None = None
    on_retry: OnRetry | None = None
