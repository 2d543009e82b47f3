"""Arguments that the evaluating verbs share."""

from __future__ import annotations

import argparse
import math


def share(text: str) -> float:
    """A bar between 0 and 1, both allowed."""
    try:
        value = float(text)
    except ValueError:
        value = math.nan
    if not 0 <= value <= 1:
        raise argparse.ArgumentTypeError(f"{text!r} is no bar: write a number between 0 and 1, such as 0.8")
    return value


_DIGITS = 15


def count(text: str) -> int:
    """A whole number from 1; the store takes none of more than 63 bits."""
    if not text.isascii() or not text.isdigit() or len(text) > _DIGITS or int(text) < 1:
        raise argparse.ArgumentTypeError(f"{text!r} is no count: write a whole number from 1")
    return int(text)


def add_common(parser: argparse.ArgumentParser) -> None:
    """What every evaluation takes: who it is for, how fast, and where the report goes."""
    parser.add_argument("--tenant", default="", metavar="NAME", help="whose runs; tenants see only their own")
    parser.add_argument(
        "--concurrency", type=count, default=8, metavar="N", help="cases at once; 8 if not said"
    )
    parser.add_argument(
        "--cache",
        action="store_true",
        help="answer requests that were made before with the replies kept then",
    )
    parser.add_argument("--json", action="store_true", help="print the report as one JSON object")
    parser.add_argument(
        "--html", metavar="OUT.html", help="write the report as a page that needs nothing else"
    )
    parser.add_argument("--junit", metavar="OUT.xml", help="write a JUnit report")
    parser.add_argument("--quiet", action="store_true", help="show no progress")


def add_runs_of_cases(parser: argparse.ArgumentParser) -> None:
    """What every evaluation takes that takes cases through a flow."""
    parser.add_argument(
        "--repeat",
        type=count,
        default=1,
        metavar="N",
        help="run each case so often; a case still counts once",
    )
    parser.add_argument(
        "--strict", action="store_true", help="run nothing if a line of the cases cannot be read"
    )
    parser.add_argument("--dry-run", action="store_true", help="say how many calls it would make; make none")


def add_bar(parser: argparse.ArgumentParser) -> None:
    parser.add_argument(
        "--fail-under", type=share, metavar="0.8", help="exit with 4 if the mean is below; at it passes"
    )
    parser.add_argument(
        "--exit-zero-on-fail", action="store_true", help="exit with 0 where it is only not good enough"
    )
