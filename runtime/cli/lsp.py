"""`jrun lsp`: the language server, as an editor starts it."""

from __future__ import annotations

import argparse
from typing import Any

from ..version import __version__
from .loading import loading


def add_parser(subparsers: Any) -> None:
    parser = subparsers.add_parser(
        "lsp",
        description="Serves one editor over standard input and output, in the Language Server Protocol.",
    )
    # What editors add on their own when they start a server.
    parser.add_argument("--stdio", action="store_true", help="the only way to talk, and the default")
    parser.add_argument("--clientProcessId", type=int, help=argparse.SUPPRESS)
    parser.set_defaults(handler=handle)


def handle(arguments: argparse.Namespace) -> int:
    with loading():
        from ...lsp.process import main  # noqa: PLC0415  # half a second that no other verb needs

    return main(__version__)
