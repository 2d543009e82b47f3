"""Everything that can go wrong with a service: a table of names, and how a response is told to be one of
them."""

from __future__ import annotations

import enum
import re
import time
from collections.abc import Callable, Mapping
from typing import Any

import attrs

from ..judge.errors import ProviderError
from ..judge.protocol import Usage
from .service_error import ServiceError, code_of, read_error, service_error, status_of
from .waiting import wait_asked


class Again(enum.Enum):
    """Whether the same request may be sent again."""

    NEVER = "never"
    ONCE = "once"
    """A service that answered nonsense is asked once more; it is paid for each time."""
    LATER = "later"


@attrs.frozen
class Failure:
    text: str
    again: Again = Again.NEVER
    down: bool = False
    """Counts towards leaving the service alone for a while."""
    may_cost: bool = False
    """Something may have been generated, and be billed, though nothing says how much."""


FAILURES: Mapping[str, Failure] = {
    # The way there
    "provider.dns": Failure("its host name is not known"),
    "provider.dns-busy": Failure("its host name could not be looked up just now", Again.LATER, down=True),
    "provider.refused": Failure("nothing listens at its address", Again.LATER, down=True),
    "provider.unreachable": Failure("it cannot be reached", Again.LATER, down=True),
    "provider.connect-timeout": Failure("no connection in time", Again.LATER, down=True),
    "provider.tls": Failure("no trusted TLS connection"),
    "provider.reset": Failure(
        "the connection broke before the answer was whole", Again.LATER, down=True, may_cost=True
    ),
    "provider.proxy": Failure("the proxy did not let it through"),
    # Time
    "provider.slow-start": Failure(
        "no first byte of an answer in time", Again.LATER, down=True, may_cost=True
    ),
    "provider.stalled": Failure("the answer stopped coming", Again.LATER, down=True, may_cost=True),
    "provider.timeout": Failure("no whole answer within the time allowed", may_cost=True),
    # What came is no answer
    "provider.cut": Failure("the answer ended in the middle", Again.LATER, may_cost=True),
    "provider.not-http": Failure("what came back is not HTTP"),
    "provider.not-json": Failure("what came back is not JSON", Again.ONCE, may_cost=True),
    "provider.bad-chunk": Failure("a part of the answer cannot be read", Again.ONCE, may_cost=True),
    "provider.bad-encoding": Failure(
        "the answer is compressed in a way that was not asked for", may_cost=True
    ),
    "provider.too-large": Failure("the answer is larger than allowed", may_cost=True),
    "provider.no-choices": Failure("the answer holds no choice", Again.ONCE, may_cost=True),
    "provider.no-content": Failure(
        "the answer holds neither text nor a tool call", Again.ONCE, may_cost=True
    ),
    "provider.redirect": Failure("it points elsewhere, and a key is never taken along"),
    # What came is not the whole answer
    "provider.length": Failure("the answer hit the token limit and is cut; raise max_tokens", may_cost=True),
    "provider.cut-arguments": Failure(
        "the arguments of a tool call are cut; raise max_tokens", may_cost=True
    ),
    "provider.doubled-arguments": Failure(
        "the arguments of a tool call came twice", Again.ONCE, may_cost=True
    ),
    "provider.doubled-call": Failure("two tool calls have one id", Again.ONCE, may_cost=True),
    "provider.refusal": Failure("the model refused", may_cost=True),
    "provider.content-filter": Failure("a content filter stopped the answer", may_cost=True),
    # What the service says
    "provider.bad-request": Failure("it does not take this request"),
    "provider.no-tools": Failure("this model takes no tools"),
    "provider.no-schema": Failure("this model takes no JSON schema for its answer"),
    "provider.no-temperature": Failure("this model takes no temperature"),
    "provider.no-max-tokens": Failure("this model takes its token limit by another name"),
    "provider.no-logprobs": Failure("this model reports no log-probabilities"),
    "provider.no-stream-options": Failure("it does not report the usage of a stream"),
    "provider.context-limit": Failure("the request is longer than the model's context"),
    "provider.authentication": Failure("it does not accept the key"),
    "provider.forbidden": Failure("the key may not do this"),
    "provider.no-model": Failure("it has no such model, or the url is wrong"),
    "provider.request-too-large": Failure("the request is too large"),
    "provider.quota": Failure("quota or billing: the account has nothing left; it is not asked again"),
    "provider.rate-limited": Failure("rate limited", Again.LATER),
    "provider.request-timeout": Failure("it gave up on the request", Again.LATER),
    "provider.conflict": Failure("a conflict", Again.LATER),
    "provider.server-error": Failure("it failed", Again.LATER, down=True),
    "provider.overloaded": Failure("it is overloaded", Again.LATER, down=True),
    "provider.upstream": Failure("the service behind it failed", Again.LATER, down=True),
    # What we say
    "provider.circuit-open": Failure("it is left alone for a while"),
}

_KEY_LIKE = re.compile(r"\b(sk|pk|key|gsk|xai)-[\w*.…-]{5,}[\w*…]|\bBearer\s+\S+", re.I)
_NO_KEY = "<key>"
_MOST_SHOWN, _LONGEST_KEY = 60_000, 4_096


@attrs.frozen
class Failures:
    """Makes the errors of one provider. Whatever text goes in, no secret of the provider comes out."""

    provider: str
    secrets: tuple[str, ...] = attrs.field(default=(), repr=False)
    keys: tuple[str, ...] = attrs.field(default=(), repr=False)
    """Those that not even an answer may hold."""
    wall: Callable[[], float] = time.time
    """Seconds since 1970, for services that name a moment."""

    def make(
        self,
        code: str,
        detail: str = "",
        *,
        status: int | None = None,
        retry_after: float | None = None,
        usage: Usage | None = None,
    ) -> ProviderError:
        failure = FAILURES[code]
        text = f"{self.provider}: {failure.text}" + (f" (HTTP {status})" if status else "")
        # Shortened last: half a key is not known for one.
        shown = _short(self.redact(detail))
        return ProviderError(
            f"{text}: {shown}" if shown else text,
            code=code,
            status=status,
            retryable=failure.again is not Again.NEVER,
            retry_after=retry_after,
            usage=usage,
        )

    def redact(self, text: str) -> str:
        for secret in self.secrets:
            text = text.replace(secret, _NO_KEY)
        return _KEY_LIKE.sub(_NO_KEY, text)

    def hide(self, text: str) -> str:
        """A text of an answer without our own keys; nothing else in it is touched."""
        for key in self.keys:
            if key in text:
                text = text.replace(key, _NO_KEY)
        return text

    def from_status(self, status: int, headers: Mapping[str, str], body: bytes) -> ProviderError:
        """A response whose status is not 200, whatever its body is."""
        told = read_error(body)
        if told is None:
            told = ServiceError(message=excerpt(body))
        return self._told(status, told, headers)

    def from_error(self, error: Any, *, usage: Usage | None = None) -> ProviderError:
        """An `error` inside a 200 or a stream: a code between 100 and 599 is its status."""
        return self.from_service(service_error(error), usage=usage)

    def from_service(self, told: ServiceError, *, usage: Usage | None = None) -> ProviderError:
        return self._told(told.status or status_of(told.kind) or 500, told, {}, usage)

    def _told(
        self, status: int, told: ServiceError, headers: Mapping[str, str], usage: Usage | None = None
    ) -> ProviderError:
        code = code_of(status, told)
        wait = wait_asked(headers, self.wall(), told.details) if FAILURES[code].again is Again.LATER else None
        return self.make(code, told.message, status=status, retry_after=wait, usage=usage)


def excerpt(data: bytes) -> str:
    """The beginning of what cannot be read, long enough that no key is cut where it may be shown."""
    text = data[:_MOST_SHOWN].decode("utf-8", errors="replace")
    return text if len(data) <= _MOST_SHOWN else text[:-_LONGEST_KEY]


def _short(text: str) -> str:
    flat = " ".join(text.split())
    return flat if len(flat) <= 200 else flat[:199] + "…"
