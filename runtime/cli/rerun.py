"""`jrun rerun RUN`: the same input again, under today's file."""

from __future__ import annotations

import argparse
from typing import Any

from .loading import loading
from .run import add_run_options


def add_parser(subparsers: Any) -> None:
    parser = subparsers.add_parser(
        "rerun",
        description=(
            "Runs the input of a past run again, under its file as it is today and its profile. It is a new run in a "
            "thread of its own, and its record names the first one."
        ),
    )
    parser.add_argument("run", metavar="RUN", help="its id, or enough of its beginning to be the only one")
    parser.add_argument("--file", metavar="FILE.judge", help="where the program stands now, if it was moved")
    add_run_options(parser)
    parser.set_defaults(handler=handle)


def handle(arguments: argparse.Namespace) -> int:
    with loading():
        from .rerun_work import rerun  # noqa: PLC0415  # trio, only when something runs

    return rerun(arguments)
