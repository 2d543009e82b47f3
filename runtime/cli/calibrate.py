"""`jrun calibrate FILE`: the arguments. What they start is in `calibrate_work`."""

from __future__ import annotations

import argparse
from typing import Any

from .eval_arguments import add_bar, add_common, count
from .loading import loading

DESCRIPTION = """\
Holds a judge against what people said of the same answers: agreement, Cohen's kappa, which mistakes it makes, what a
judge that always says the same would reach, and, where it gives a number, which bar would be best.

Labels are those of `jrun label`, or of a file: {"input": "…", "answer": "…", "label": "pass"} one a line, or columns
of a table. --fail-under holds the agreement against a bar.
"""


def add_parser(subparsers: Any) -> None:
    parser = subparsers.add_parser(
        "calibrate",
        description=DESCRIPTION,
        formatter_class=argparse.RawDescriptionHelpFormatter,
    )
    parser.add_argument("file", metavar="FILE.judge")
    parser.add_argument(
        "--judge", metavar="NAME", help="a judge, a decision model, or a slug; else the only decision model"
    )
    parser.add_argument("--labels", metavar="FILE", help="labelled answers: .jsonl, .json, .csv or .yaml")
    parser.add_argument("--suite", metavar="NAME", help="the labels that this suite names")
    parser.add_argument("--flow", metavar="NAME", help="the flow whose answers the file holds")
    parser.add_argument("--version", metavar="V", help="labelled runs of this version")
    parser.add_argument("--limit", type=count, metavar="N", help="at most so many labels")
    parser.add_argument("--profile", metavar="NAME", help="a profile of the file")
    parser.add_argument(
        "--strict", action="store_true", help="ask nothing if a line of the labels cannot be read"
    )
    add_bar(parser)
    add_common(parser)
    parser.set_defaults(handler=handle)


def handle(arguments: argparse.Namespace) -> int:
    with loading():
        from .calibrate_work import run_calibrate  # noqa: PLC0415  # trio, only when something runs

    return run_calibrate(arguments)
