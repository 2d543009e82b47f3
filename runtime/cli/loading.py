"""Ctrl-C while modules are loaded."""

from __future__ import annotations

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from typing import Any


@contextmanager
def loading() -> Iterator[None]:
    """Ctrl-C ends the process at once and says nothing: there is nothing to undo yet, and an exception in the middle
    of a class that C code makes would crash it. Where the signal is ignored, or not ours to handle, it stays so."""
    if signal.getsignal(signal.SIGINT) is not signal.default_int_handler:
        yield
        return
    try:
        signal.signal(signal.SIGINT, _end)
    except ValueError:  # not in the main thread, which alone gets signals
        yield
        return
    try:
        yield
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)


def _end(number: int, frame: Any) -> None:
    os._exit(130)
