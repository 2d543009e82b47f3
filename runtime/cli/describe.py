"""`jrun describe FILE`: the arguments. What they start is in `describe_work`."""

from __future__ import annotations

import argparse
from typing import Any

from .loading import loading


def add_parser(subparsers: Any) -> None:
    parser = subparsers.add_parser(
        "describe",
        description="Shows a file's versions (8 of 64 characters) and whether they have drifted, its flows with their "
        "worst case, and its agents, judges, decisions and gates. No call is made.",
    )
    parser.add_argument("file", metavar="FILE.judge")
    parser.add_argument("--profile", metavar="NAME", help="as it is under a profile of the file")
    parser.add_argument("--tenant", default="", metavar="NAME", help="whose runs tell what has drifted")
    parser.add_argument("--json", action="store_true", help="print one JSON object, with whole hashes")
    parser.set_defaults(handler=handle)


def handle(arguments: argparse.Namespace) -> int:
    with loading():
        from .describe_work import run_describe  # noqa: PLC0415  # the compiler, only when a file is read

    return run_describe(arguments)
