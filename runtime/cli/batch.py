"""`jrun batch FILE --cases x.jsonl`: the arguments. What they start is in `batch_work`, with everything heavy."""

from __future__ import annotations

import argparse
from typing import Any

from .eval_arguments import count
from .loading import loading


def add_parser(subparsers: Any) -> None:
    parser = subparsers.add_parser(
        "batch",
        description=(
            "Runs a flow over the cases of a file, many at once. A line of JSON is written for each case as it ends, "
            "so that a batch that was stopped or killed goes on with --resume. A case that failed is run again then; "
            "one that was answered or judged is not."
        ),
    )
    parser.add_argument("file", metavar="FILE.judge")
    parser.add_argument(
        "--cases", required=True, metavar="CASES", help="the tasks: a .jsonl, .json, .csv or .yaml file"
    )
    parser.add_argument(
        "--out", metavar="OUT.jsonl", help="where results go; CASES.results.jsonl if not said"
    )
    parser.add_argument("--flow", metavar="NAME", help="the flow to run")
    again = parser.add_mutually_exclusive_group()
    again.add_argument("--resume", action="store_true", help="go on: run what has no result yet, or failed")
    again.add_argument("--fresh", action="store_true", help="throw earlier results away and begin anew")
    _add_choice(parser)
    _add_run(parser)
    parser.add_argument("--json", action="store_true", help="print the summary as one JSON object")
    parser.add_argument(
        "--exit-zero-on-fail",
        action="store_true",
        help="exit with 0 where cases are only not good enough",
    )
    parser.add_argument("--quiet", action="store_true", help="show no progress")
    parser.set_defaults(handler=handle)


def _add_choice(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--concurrency", type=count, default=8, metavar="N", help="cases at once; 8 if not said"
    )
    parser.add_argument("--limit", type=count, metavar="N", help="only the first N cases")
    parser.add_argument("--sample", type=count, metavar="N", help="N cases by chance")
    parser.add_argument("--shuffle", action="store_true", help="in an order by chance")
    parser.add_argument("--seed", type=int, default=0, metavar="N", help="another chance; 0 if not said")
    parser.add_argument(
        "--engine", choices=("local", "ray"), default="local", help="where cases run; local if not said"
    )


def _add_run(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("--profile", metavar="NAME", help="a profile of the file")
    parser.add_argument(
        "--model", action="append", default=[], metavar="AGENT=SLUG", help="another model, as for `jrun run`"
    )
    parser.add_argument("--tenant", default="", metavar="NAME", help="whose runs they are")
    parser.add_argument(
        "--max-cost", metavar="5", help="begin no other case when all have cost so many US dollars"
    )
    parser.add_argument("--timeout", metavar="2m", help="end each run after this time")
    parser.add_argument("--grace", default="5s", metavar="5s", help="what calls in flight get after Ctrl-C")
    parser.add_argument("--no-store", action="store_true", help="keep no records, only the results")
    parser.add_argument(
        "--capture", action="store_true", help="keep full prompts and raw replies in the records"
    )
    parser.add_argument(
        "--cache", action="store_true", help="answer requests that were made before from the cache"
    )
    parser.add_argument("--record", metavar="SCRIPT.jsonl", help="write all replies as a script")
    parser.add_argument(
        "--strict", action="store_true", help="treat warnings that have a strict form as errors"
    )


def handle(arguments: argparse.Namespace) -> int:
    with loading():
        from .batch_work import run_batch  # noqa: PLC0415  # trio, only when something runs

    return run_batch(arguments)
