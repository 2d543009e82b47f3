"""`jrun FILE.judge [TASK]`: the arguments. What they start is in `run_flow`, with everything heavy."""

from __future__ import annotations

import argparse
from typing import Any

from .loading import loading


def add_parser(subparsers: Any) -> None:
    parser = subparsers.add_parser(
        "run",
        description="Runs the entry flow of a file: `main`, else the only one. Standard output holds the answer alone.",
    )
    parser.add_argument("file", metavar="FILE.judge")
    parser.add_argument("task", nargs="?", metavar="TASK", help="the input of a flow that takes one text")
    parser.add_argument("--flow", metavar="NAME", help="the flow to run")
    parser.add_argument(
        "--input",
        action="append",
        default=[],
        metavar="NAME=VALUE",
        help="a parameter by name; repeat for more",
    )
    parser.add_argument("--input-file", metavar="FILE.json", help="the parameters as a JSON object")
    parser.add_argument("--thread", metavar="ID", help="continue a conversation")
    parser.add_argument("--no-store", action="store_true", help="keep no record")
    parser.add_argument("--dry-run", action="store_true", help="show what would run; no call is made")
    add_run_options(parser)
    parser.set_defaults(handler=handle)


def add_run_options(parser: argparse.ArgumentParser) -> None:
    """What is said of a run however it is started."""
    parser.add_argument(
        "--tenant", default="", metavar="NAME", help="whose run it is; tenants see only their own"
    )
    parser.add_argument("--profile", metavar="NAME", help="a profile of the file")
    parser.add_argument(
        "--model",
        action="append",
        default=[],
        metavar="AGENT=SLUG",
        help="another model for one agent, judge or decision, or for all (`*=SLUG`)",
    )
    parser.add_argument("--max-cost", metavar="0.50", help="end the run when it has cost so many US dollars")
    parser.add_argument("--timeout", metavar="2m", help="end the run after this time")
    parser.add_argument("--grace", default="5s", metavar="5s", help="what calls in flight get after Ctrl-C")
    parser.add_argument(
        "--cache",
        action="store_true",
        help="answer requests that were made before with the replies kept then",
    )
    parser.add_argument(
        "--record", metavar="SCRIPT.jsonl", help="write all replies as a script that `script/…` models replay"
    )
    parser.add_argument(
        "--capture", action="store_true", help="keep full prompts and raw replies in the record"
    )
    parser.add_argument("--json", action="store_true", help="print the run as one JSON object")
    parser.add_argument("--events", action="store_true", help="print events as JSON lines while it runs")
    parser.add_argument(
        "--strict", action="store_true", help="treat warnings that have a strict form as errors"
    )
    parser.add_argument("--quiet", action="store_true", help="no live view; the thread's id is still shown")


def handle(arguments: argparse.Namespace) -> int:
    with loading():
        from .run_flow import run_file  # noqa: PLC0415  # trio, only when something runs

    return run_file(arguments)
