"""Standard output for the answer alone."""

from __future__ import annotations

import sys
from collections.abc import Iterator
from contextlib import contextmanager, redirect_stdout
from typing import TextIO


@contextmanager
def answers_only() -> Iterator[TextIO]:
    """Standard output as it is; what hooks and tools print meanwhile goes to standard error and spoils no answer."""
    out = sys.stdout
    with redirect_stdout(sys.stderr):
        yield out
