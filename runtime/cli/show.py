"""`jrun show RUN`: one run as a tree."""

from __future__ import annotations

import argparse
import sys
from typing import Any, TextIO

from .runs import answering, read_store, width_of


def add_parser(subparsers: Any) -> None:
    parser = subparsers.add_parser(
        "show",
        description="Shows a run with its steps, attempts, verdicts, tool calls, costs and times.",
    )
    parser.add_argument("run", metavar="RUN", help="its id, or enough of its beginning to be the only one")
    parser.add_argument("--json", action="store_true", help="print the whole record as one JSON object")
    parser.add_argument("--tenant", default="", metavar="NAME", help="whose run")
    parser.set_defaults(handler=handle)


def handle(arguments: argparse.Namespace) -> int:
    return answering("show", lambda: _show(arguments, sys.stdout))


def _show(arguments: argparse.Namespace, out: TextIO) -> None:
    import msgspec  # noqa: PLC0415  # as in `runs`: only where a store is opened

    from ..report.tern_tree import render_tree  # noqa: PLC0415
    from ..store.errors import UnknownRunError  # noqa: PLC0415

    with read_store() as store:
        if store is None:
            raise UnknownRunError(arguments.run)
        tern = store.get(arguments.run, tenant=arguments.tenant)
    if arguments.json:
        out.write(msgspec.json.format(msgspec.json.encode(tern), indent=2).decode() + "\n")
    else:
        out.write(render_tree(tern, width=width_of(out)))
