"""`jrun explain CODE`: the page of a diagnostic."""

from __future__ import annotations

import argparse
import sys
from typing import Any

from ...dsl.explain import codes, page, title
from ...dsl.suggest import closest


def add_parser(subparsers: Any) -> None:
    parser = subparsers.add_parser(
        "explain",
        description="Prints the page of a diagnostic's code; without a code, the list of them.",
    )
    parser.add_argument("code", nargs="?", metavar="CODE", help="such as `judge.wrong-reply`")
    parser.set_defaults(handler=handle)


def handle(arguments: argparse.Namespace) -> int:
    if arguments.code is None:
        width = max(map(len, codes()))
        for code in codes():
            print(f"{code:<{width}}  {title(page(code) or '')}")
        return 0
    code = arguments.code.strip("[]`")
    text = page(code)
    if text is None:
        near = closest(code, codes())
        hint = f"Did you mean `{near}`?" if near else "`jrun explain` lists them."
        print(f"jrun explain: there is no code `{code}`. {hint}", file=sys.stderr)
        return 2
    print(text, end="")
    return 0
