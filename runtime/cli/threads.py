"""`jrun threads [ID]`: conversations, and what was said in one of them."""

from __future__ import annotations

import argparse
import sys
from typing import Any, TextIO

from .eval_arguments import count
from .runs import answering, read_store, width_of
from .store_file import store_file

SHOWN = 20


def add_parser(subparsers: Any) -> None:
    parser = subparsers.add_parser(
        "threads",
        description="Lists conversations, the last used first; with an ID, shows the turns of one and what was "
        "summed up. `jrun FILE.judge TASK --thread ID` continues it.",
    )
    parser.add_argument("thread", nargs="?", metavar="ID", help="a thread, or enough of its beginning")
    parser.add_argument("--limit", type=count, metavar="N", help=f"the N last used; {SHOWN} if not said")
    parser.add_argument("--tenant", default="", metavar="NAME", help="whose; tenants see only their own")
    parser.add_argument(
        "--json", action="store_true", help="print an array of threads, or of the turns of one"
    )
    parser.set_defaults(handler=handle)


def handle(arguments: argparse.Namespace) -> int:
    work = _list if arguments.thread is None else _show
    return answering("threads", lambda: work(arguments, sys.stdout))


def _list(arguments: argparse.Namespace, out: TextIO) -> None:
    from ..report.thread_view import render_threads  # noqa: PLC0415  # as in `runs`
    from ..store.threads import count_threads, list_threads  # noqa: PLC0415

    limit = SHOWN if arguments.limit is None else arguments.limit
    with read_store() as store:
        found = list_threads(store, tenant=arguments.tenant, limit=limit) if store else ()
        if arguments.json:
            _print_json(found, out)
        elif store is None:
            out.write(f"no threads yet: {store_file()} is made by the first `jrun FILE.judge`\n")
        else:
            total = count_threads(store, tenant=arguments.tenant)
            out.write(render_threads(found, total=total, width=width_of(out)))


def _show(arguments: argparse.Namespace, out: TextIO) -> None:
    from ..report.thread_view import render_thread  # noqa: PLC0415
    from ..store.errors import NoThreadError  # noqa: PLC0415
    from ..store.summaries import summaries_of  # noqa: PLC0415
    from ..store.threads import find_thread  # noqa: PLC0415

    with read_store() as store:
        if store is None:
            raise NoThreadError(arguments.thread)
        thread = find_thread(store, arguments.thread, tenant=arguments.tenant)
        limit = -1 if arguments.limit is None else arguments.limit
        turns = store.turns(thread, after=0, limit=-1, tenant=arguments.tenant)
        turns = turns[-limit:] if limit > 0 else turns if limit < 0 else ()
        memory = summaries_of(store, thread, tenant=arguments.tenant)
    if arguments.json:
        _print_json(turns, out)
    else:
        out.write(render_thread(thread, turns, memory, width_of(out)))


def _print_json(data: object, out: TextIO) -> None:
    import msgspec  # noqa: PLC0415

    out.write(msgspec.json.format(msgspec.json.encode(data), indent=2).decode() + "\n")
