"""`jrun resume RUN`: goes on with a run that waits for a person, was stopped, or whose process died."""

from __future__ import annotations

import argparse
from typing import Any

from .loading import loading


def add_parser(subparsers: Any) -> None:
    parser = subparsers.add_parser(
        "resume",
        description="Goes on where the run was left. What its record says was done is not done again.",
    )
    parser.add_argument("run", metavar="RUN", help="its id, or enough of its beginning to be the only one")
    answer = parser.add_mutually_exclusive_group()
    answer.add_argument(
        "--yes", dest="answer", action="store_true", default=None, help="what is asked is approved"
    )
    answer.add_argument("--no", dest="answer", action="store_false", help="what is asked is refused")
    answer.add_argument(
        "--answer",
        dest="answers",
        action="append",
        default=[],
        metavar="NAME=yes",
        help="an answer, yes or no, to the approval of this name or question, where several wait; again for each",
    )
    parser.add_argument("--file", metavar="FILE.judge", help="where the program stands now, if it was moved")
    parser.add_argument(
        "--model",
        action="append",
        default=[],
        metavar="AGENT=SLUG",
        help="the same as when it was started, if it was said then",
    )
    parser.add_argument("--tenant", default="", metavar="NAME", help="whose run")
    parser.add_argument(
        "--max-cost", metavar="0.50", help="end the run when it has cost so many US dollars in all"
    )
    parser.add_argument("--timeout", metavar="2m", help="end the run after this time")
    parser.add_argument("--grace", default="5s", metavar="5s", help="what calls in flight get after Ctrl-C")
    parser.add_argument(
        "--cache",
        action="store_true",
        help="answer requests that were made before with the replies kept then",
    )
    parser.add_argument(
        "--capture", action="store_true", help="keep full prompts and raw replies in the record"
    )
    parser.add_argument("--json", action="store_true", help="print the run as one JSON object")
    parser.add_argument("--events", action="store_true", help="print events as JSON lines while it runs")
    parser.add_argument("--quiet", action="store_true", help="no live view; the thread's id is still shown")
    # Half a run is no script.
    parser.set_defaults(handler=handle, record=None)


def handle(arguments: argparse.Namespace) -> int:
    with loading():
        from .resume_flow import resume_run  # noqa: PLC0415  # trio, only when something runs

    return resume_run(arguments)
