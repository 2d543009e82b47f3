"""Standard output for the answer alone."""

from __future__ import annotations

import io
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout, suppress
from typing import TextIO

from .streams import lead_nowhere

_STDOUT, _STDERR = 1, 2


@contextmanager
def answers_only() -> Iterator[TextIO]:
    """Standard output as it is, to be used inside alone. What hooks and tools print meanwhile goes to standard error
    and spoils no answer; so does what the programs print that they run. Raises `OSError` where it takes no more."""
    out = sys.stdout
    with redirect_stdout(sys.stderr):
        if _number(out) != _STDOUT:
            yield out
            return
        out.flush()
        with _moved(out) as moved:
            yield moved


@contextmanager
def _moved(out: TextIO) -> Iterator[TextIO]:
    """A stream to where `out` leads; file 1, which every program inherits, leads to standard error."""
    kept = os.dup(_STDOUT)
    file = io.FileIO(os.dup(_STDOUT), "w")
    moved = io.TextIOWrapper(file, encoding=out.encoding, errors=out.errors, line_buffering=True)
    os.dup2(_STDERR, _STDOUT)
    try:
        yield moved
        moved.flush()
    except OSError:
        lead_nowhere(moved)
        raise
    finally:
        os.dup2(kept, _STDOUT)
        os.close(kept)
        with suppress(OSError):
            moved.close()


def _number(stream: TextIO) -> int | None:
    try:
        return stream.fileno()
    except (OSError, ValueError):
        return None
