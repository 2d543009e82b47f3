"""`jrun replay FILE --version V`: the arguments. What they start is in `replay_work`."""

from __future__ import annotations

import argparse
from typing import Any

from .eval_arguments import add_bar, add_common, count
from .loading import loading

DESCRIPTION = """\
Runs the tasks of an old version's runs again, under the file as it is now, and scores both sides with the same judge:
before → after, paired by task, with an interval and a sign test. Each replay is a run of its own in a new thread.

Pays from the account WORKFLOW:eval. --fail-under holds the mean after against a bar.
Exit codes: 0 done, 1 some tasks could not be compared, 2 wrong use, 3 errors in the file, 4 not good enough.
"""


def add_parser(subparsers: Any) -> None:
    parser = subparsers.add_parser(
        "replay",
        description=DESCRIPTION,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("file", metavar="FILE.judge")
    parser.add_argument(
        "--version",
        required=True,
        metavar="V",
        help="the old version: as declared, or 8 characters or more of a hash (`jrun eval` lists them)",
    )
    parser.add_argument(
        "--judge", metavar="NAME", help="a judge, a decision model, or a slug; else the only decision model"
    )
    parser.add_argument(
        "--limit", type=count, default=100, metavar="N", help="the newest N tasks; 100 if not said"
    )
    parser.add_argument("--profile", metavar="NAME", help="a profile of the file")
    add_bar(parser)
    add_common(parser)
    parser.set_defaults(handler=handle)


def handle(arguments: argparse.Namespace) -> int:
    with loading():
        from .replay_work import run_replay  # noqa: PLC0415  # trio, only when something runs

    return run_replay(arguments)
