"""`jrun test FILE`: the file's `test` blocks, with scripted models."""

from __future__ import annotations

import argparse
from typing import Any

from .loading import loading


def add_parser(subparsers: Any) -> None:
    parser = subparsers.add_parser(
        "test",
        description="Runs the `test` blocks of files. Every model is scripted: no key and no network is needed.",
    )
    parser.add_argument("files", nargs="+", metavar="FILE.judge")
    parser.add_argument("-k", metavar="TEXT", default="", help="only tests whose name contains this text")
    parser.add_argument("--junit", metavar="OUT.xml", help="write a JUnit report")
    parser.add_argument(
        "--record",
        action="store_true",
        help="ask the real models once and write their answers into the blocks, then run these",
    )
    parser.set_defaults(handler=handle)


def handle(arguments: argparse.Namespace) -> int:
    with loading():
        from .test_blocks import test_files  # noqa: PLC0415  # trio, only when something runs

    return test_files(arguments)
