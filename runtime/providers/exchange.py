"""What passes between a pool and whoever reads an answer: the head, the body as it comes, and how an
exchange fails. Plain, so that readers of answers need no HTTP."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Protocol

import attrs


@attrs.frozen
class Head:
    status: int
    headers: Mapping[str, str]
    """By lower-case name; of a name that came twice, the last."""


class Sink(Protocol):
    """Takes a body as it comes."""

    def feed(self, chunk: bytes) -> bool:
        """Returns whether all that matters has come."""

    def closed(self, whole: bool) -> None:
        """The body ended: `whole` unless the connection broke within it."""


class ExchangeError(Exception):
    """No answer, or not the whole of it. `code` is one of the failures' names."""

    def __init__(self, code: str, detail: str = "") -> None:
        super().__init__(detail)
        self.code = code
