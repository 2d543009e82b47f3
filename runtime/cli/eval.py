"""`jrun eval FILE`: the arguments. What they start is in `eval_work`, with everything heavy."""

from __future__ import annotations

import argparse
from typing import Any

from .eval_arguments import add_bar, add_common, add_runs_of_cases, count
from .loading import loading

DESCRIPTION = """\
Judges the answered runs of a file that have no score yet: how likely is each answer adequate? With --suite it runs
the cases of a suite instead and holds its checks against every answer.

Pays from the account WORKFLOW:eval, which has a day of its own; when that is spent it ends well, with what there is.
Exit codes: 0 done, 1 some cases have no result, 2 wrong use, 3 errors in the file, 4 not good enough.
"""


def add_parser(subparsers: Any) -> None:
    parser = subparsers.add_parser(
        "eval",
        description=DESCRIPTION,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("file", metavar="FILE.judge")
    parser.add_argument(
        "--judge", metavar="NAME", help="a judge, a decision model, or a slug; else the only decision model"
    )
    parser.add_argument(
        "--version", metavar="V", help="runs of a declared version, or of a hash from 8 characters on"
    )
    parser.add_argument(
        "--limit", type=count, metavar="N", help="at most so many runs (100 if not said) or cases (all)"
    )
    parser.add_argument("--suite", metavar="NAME", help="run the cases of this suite")
    parser.add_argument(
        "--cases",
        metavar="FILE",
        help="other cases for the suite, or cases for --judge alone: .jsonl, .json, .csv or .yaml",
    )
    parser.add_argument("--flow", metavar="NAME", help="the flow that --cases without a suite are for")
    parser.add_argument("--profile", metavar="NAME", help="a profile of the file, for the cases")
    add_runs_of_cases(parser)
    add_bar(parser)
    add_common(parser)
    parser.set_defaults(handler=handle)


def handle(arguments: argparse.Namespace) -> int:
    with loading():
        from .eval_work import run_eval  # noqa: PLC0415  # trio, only when something runs

    return run_eval(arguments)
