"""The server as a process of its own, started by an editor."""

from __future__ import annotations

import gc
import logging
import sys

import trio

GC_THRESHOLDS = (50_000, 20, 100)
"""Trees are many small objects without cycles: a collector that looks at them often only costs latency."""


def main(version: str) -> int:
    """Serve one editor over standard input and output; the exit code. `version` is what the editor is
    told."""
    gc.disable()
    # A library's stray print would be read as a message.
    sys.stdout = sys.stderr
    logging.getLogger("pygls").addHandler(logging.NullHandler())
    from .server import build_server  # noqa: PLC0415  (a thousand classes, defined with the collector off)
    from .transport import serve_stdio  # noqa: PLC0415

    server = build_server(version)
    gc.freeze()
    gc.set_threshold(*GC_THRESHOLDS)
    gc.enable()
    try:
        return trio.run(serve_stdio, server)
    except KeyboardInterrupt:
        return 130
