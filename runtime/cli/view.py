"""`jrun view [RUN]`: the arguments. What they start is in `view_work`."""

from __future__ import annotations

import argparse
from typing import Any

from .eval_arguments import count
from .loading import loading
from .runs import add_filters

DESCRIPTION = """\
Serves the store as web pages on this machine alone, until Ctrl-C: runs with their trace, verdicts and costs,
conversations, and what became of each version. With RUN it opens that run.

--export writes one file instead, which fetches nothing and can be sent to somebody: RUN, or the runs that fit.
"""
EXPORTED = 100


def add_parser(subparsers: Any) -> None:
    parser = subparsers.add_parser(
        "view",
        description=DESCRIPTION,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("run", nargs="?", metavar="RUN", help="a run, or enough of its beginning")
    parser.add_argument(
        "--export", metavar="OUT.html", help="write one self-contained file; - is standard output"
    )
    parser.add_argument("--port", type=int, default=0, metavar="N", help="a free one if not said")
    parser.add_argument("--no-open", action="store_true", help="only say the address; open no browser")
    add_filters(parser, default=None)
    parser.add_argument(
        "--limit", type=count, metavar="N", help=f"with --export: the newest N; {EXPORTED} if not said"
    )
    parser.set_defaults(handler=handle)


def handle(arguments: argparse.Namespace) -> int:
    with loading():
        from .view_work import run_view  # noqa: PLC0415  # pages and sockets, only when they are wanted

    return run_view(arguments, most=EXPORTED)
