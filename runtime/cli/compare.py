"""`jrun compare`: the arguments. What they start is in `compare_work`."""

from __future__ import annotations

import argparse
from typing import Any

from .eval_arguments import add_bar, add_common, add_runs_of_cases, count
from .loading import loading

DESCRIPTION = """\
Takes the same cases through several profiles of a file, or through several files, checks every answer in the same
way, and holds each side against the first: mean score, wins and losses with an interval, cost, latency, failures, and
what differs in the configuration. The checks are those of the first file.

--fail-under holds the mean of every side but the first against a bar.

With --pairwise a decision model also says which of two answers is better, asked in both orders; how far it goes by
the order is measured and shown.
"""


def add_parser(subparsers: Any) -> None:
    parser = subparsers.add_parser(
        "compare",
        description=DESCRIPTION,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("files", nargs="+", metavar="FILE.judge")
    parser.add_argument(
        "--profiles", metavar="base,cheap", help="profiles of the file; `base` is the file without one"
    )
    source = parser.add_mutually_exclusive_group(required=True)
    source.add_argument("--suite", metavar="NAME", help="the cases and checks of this suite")
    source.add_argument("--cases", metavar="FILE", help="cases: .jsonl, .json, .csv or .yaml")
    source.add_argument("--last", type=count, metavar="N", help="the last N different tasks of past runs")
    parser.add_argument("--flow", metavar="NAME", help="the flow to run, where a suite does not say")
    parser.add_argument(
        "--judge", metavar="NAME", help="a judge, a decision model, or a slug, in place of a suite's checks"
    )
    parser.add_argument(
        "--pairwise", metavar="MODEL", help="a model that says which of two answers is better"
    )
    parser.add_argument("--limit", type=count, metavar="N", help="at most so many cases")
    add_runs_of_cases(parser)
    add_bar(parser)
    add_common(parser)
    parser.set_defaults(handler=handle)


def handle(arguments: argparse.Namespace) -> int:
    with loading():
        from .compare_work import run_compare  # noqa: PLC0415  # trio, only when something runs

    return run_compare(arguments)
