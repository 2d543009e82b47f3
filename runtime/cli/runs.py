"""`jrun runs`: the store, listed, searched, exported and cleaned up."""

from __future__ import annotations

import argparse
import os
import shutil
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from datetime import UTC, datetime, timedelta
from pathlib import Path
from typing import TYPE_CHECKING, Any, TextIO

from .durations import seconds_of
from .eval_arguments import count
from .loading import loading
from .store_file import store_file
from .whole_file import PROGRAM
from .wrong_use import WrongUse

if TYPE_CHECKING:
    from ..store.query import TernFilter
    from ..store.terns import Store

# SQLite and msgspec are imported where a store is opened: `--help` and a wrong use need neither.

DONE, FAILED, WRONG_USE = 0, 1, 2
SHOWN = 20
WIDTH = 110
"""Columns, where the output is no terminal."""
_NARROWEST = 60
_FILTERS = ("flow", "status", "since", "thread", "version", "text", "limit")
_STATUSES = ("running", "answered", "guarded", "failed", "paused", "cancelled", "abandoned")


def add_parser(subparsers: Any) -> None:
    parser = subparsers.add_parser(
        "runs",
        description="Lists past runs, newest first. All conditions must hold; times are UTC.",
    )
    add_filters(parser, default=None)
    parser.add_argument("--limit", type=count, metavar="N", help=f"the newest N; {SHOWN} if not said")
    parser.add_argument("--json", action="store_true", help="print an array of runs, without their steps")
    parser.set_defaults(handler=handle_list)
    actions = parser.add_subparsers(metavar="export | prune | recover")

    export = actions.add_parser(
        "export",
        help="write runs as JSON lines",
        description="Writes whole runs, one to a line, oldest first.",
    )
    export.add_argument("file", metavar="FILE", help="where to; - is standard output")
    # Suppressed defaults leave alone what stood before the word `export`.
    add_filters(export, default=argparse.SUPPRESS)
    export.add_argument(
        "--limit", type=count, default=argparse.SUPPRESS, metavar="N", help="the newest N; all if not said"
    )
    export.set_defaults(handler=handle_export)

    prune = actions.add_parser(
        "prune",
        help="remove old runs",
        description="Removes runs, but none that still runs or waits for a person. Say --older or --keep.",
    )
    prune.add_argument("--older", metavar="30d", help="those that started longer ago, or before a date")
    prune.add_argument("--keep", type=count, metavar="N", help="never one of the newest N")
    prune.add_argument("--dry-run", action="store_true", help="only say how many")
    prune.add_argument("--tenant", default=argparse.SUPPRESS, metavar="NAME", help="whose runs")
    prune.set_defaults(handler=handle_prune)

    recover = actions.add_parser(
        "recover",
        help="save what can be read of a damaged store",
        description="Reads a damaged store, changing nothing in it, and writes all that could be read to a new one.",
    )
    recover.add_argument("file", metavar="NEW.sqlite", help="where to; it must not be there yet")
    recover.set_defaults(handler=handle_recover)


def add_filters(parser: argparse.ArgumentParser, *, default: str | None, statuses: bool = True) -> None:
    """The options that `filter_of` reads; `--status` only where `statuses` says so."""

    def add(name: str, metavar: str, what: str, **more: Any) -> None:
        parser.add_argument(name, metavar=metavar, help=what, **({"default": default} | more))

    add("--flow", "NAME", "runs of this flow")
    if statuses:
        add("--status", "STATUS", f"one of: {', '.join(_STATUSES)}", choices=_STATUSES)
    add("--since", "2h", "started within this time, or since a date such as 2026-03-01")
    add("--thread", "ID", "turns of this conversation")
    add("--version", "V", "a workflow version, or the first 8 characters or more of a hash")
    add("--text", "WORDS", "in the task, the answer or the reason")
    add("--tenant", "NAME", "whose runs; tenants see only their own", default=default or "")


def handle_list(arguments: argparse.Namespace) -> int:
    return answering("runs", lambda: _list(arguments, sys.stdout))


def handle_export(arguments: argparse.Namespace) -> int:
    return answering("runs export", lambda: _export(arguments))


def handle_prune(arguments: argparse.Namespace) -> int:
    return answering("runs prune", lambda: _prune(arguments))


def handle_recover(arguments: argparse.Namespace) -> int:
    return answering("runs recover", lambda: _recover(Path(arguments.file)))


def answering(verb: str, work: Callable[[], None]) -> int:
    """Does `work` and gives the exit code; what went wrong is told on standard error."""
    with loading():
        from ..store import terns  # noqa: F401, PLC0415  # all that the work needs of the store
        from ..store.errors import AmbiguousIdError, StoreError, UnknownIdError  # noqa: PLC0415

    try:
        work()
    except (WrongUse, UnknownIdError, AmbiguousIdError) as error:
        print(f"jrun {verb}: {error}", file=sys.stderr)
        return WRONG_USE
    except StoreError as error:
        print(f"jrun {verb}: {error}", file=sys.stderr)
        return FAILED
    return DONE


@contextmanager
def read_store() -> Iterator[Store | None]:
    """The user's store to look at; None where nothing has run yet."""
    from ..store.errors import NoStoreError  # noqa: PLC0415
    from ..store.terns import Store  # noqa: PLC0415

    try:
        store = Store.read(store_file())
    except NoStoreError:
        yield None
        return
    with store:
        yield store


def width_of(out: TextIO) -> int:
    """Columns that a line may have."""
    return max(shutil.get_terminal_size((WIDTH, 24)).columns, _NARROWEST) if out.isatty() else WIDTH


def moment_before(text: str, now: datetime) -> datetime:
    """`2h` or `30d` before `now`, or the moment that an ISO date names, in UTC where it has no zone."""
    seconds = seconds_of(text)
    if seconds is not None:
        try:
            return now - timedelta(seconds=seconds)
        except OverflowError:
            raise WrongUse(f"{text} ago is before all dates") from None
    try:
        moment = datetime.fromisoformat(text)
    except ValueError:
        raise WrongUse(f"{text!r} is no time: write 30m, 2h, 7d or a date such as 2026-03-01") from None
    return moment if moment.tzinfo is not None else moment.replace(tzinfo=UTC)


def filter_of(arguments: argparse.Namespace, *, most: int | None) -> TernFilter:
    """Which runs are meant; at most `most` where no limit was given."""
    from ..store.query import TernFilter  # noqa: PLC0415

    return TernFilter(
        tenant=arguments.tenant,
        flow=arguments.flow,
        status=arguments.status,
        since=moment_before(arguments.since, datetime.now(UTC)) if arguments.since else None,
        thread=arguments.thread,
        version=arguments.version,
        text=arguments.text,
        limit=most if arguments.limit is None else arguments.limit,
    )


def _list(arguments: argparse.Namespace, out: TextIO) -> None:
    import msgspec  # noqa: PLC0415

    from ..report.run_table import render_runs  # noqa: PLC0415

    query = filter_of(arguments, most=SHOWN)
    with read_store() as store:
        runs = store.list_terns(query) if store else ()
        if arguments.json:
            out.write(msgspec.json.format(msgspec.json.encode(runs), indent=2).decode() + "\n")
        elif store is None:
            out.write(f"no runs yet: {store_file()} is made by the first `jrun FILE.judge`\n")
        else:
            out.write(render_runs(runs, total=store.count_terns(query), width=width_of(out)))


def _export(arguments: argparse.Namespace) -> None:
    import msgspec  # noqa: PLC0415

    query = filter_of(arguments, most=None)
    with read_store() as store:
        lines = (msgspec.json.encode(tern) + b"\n" for tern in (store.export(query) if store else ()))
        if arguments.file == "-":
            sys.stdout.flush()
            for line in lines:
                sys.stdout.buffer.write(line)
            sys.stdout.buffer.flush()
            return
        count = _write_whole(Path(arguments.file), lines)
    print(f"{count} run{'' if count == 1 else 's'} written to {arguments.file}", file=sys.stderr)


def _write_whole(path: Path, lines: Iterator[bytes]) -> int:
    """Writes all lines, or leaves the file as it was; how many. Its owner alone may read it."""
    if path.suffix == ".judge":
        raise WrongUse(f"{path}: {PROGRAM}")
    part = path.with_name(f"{path.name}.{os.getpid()}.part")
    if path.exists() and not path.is_file():
        part = path  # a pipe or a device takes what comes
    count = 0
    try:
        with open(os.open(part, os.O_WRONLY | os.O_CREAT | os.O_TRUNC, 0o600), "wb") as file:
            for line in lines:
                file.write(line)
                count += 1
        if part is not path:
            part.replace(path)
    except OSError as error:
        raise WrongUse(f"{path}: {error.strerror or error}; choose another file, or -") from None
    finally:
        if part is not path:
            part.unlink(missing_ok=True)
    return count


def _prune(arguments: argparse.Namespace) -> None:
    from ..store.connection import is_there  # noqa: PLC0415
    from ..store.terns import Store  # noqa: PLC0415

    given = [name for name in _FILTERS if getattr(arguments, name) is not None]
    if given:
        # Obeying the half of it that we understand would remove runs that nobody meant.
        raise WrongUse(
            f"--{given[0]} chooses what is listed or exported; prune looks at age and number alone"
        )
    if arguments.older is None and arguments.keep is None:
        raise WrongUse("say what may go: --older 30d, --keep 1000 or both")
    older = moment_before(arguments.older, datetime.now(UTC)) if arguments.older else None
    path = store_file()
    if not is_there(path):
        print("no runs yet")
        return
    with Store.open(path) as store:
        pruned = store.prune(
            older_than=older, keep=arguments.keep or 0, tenant=arguments.tenant, dry_run=arguments.dry_run
        )
    did = "would remove" if arguments.dry_run else "removed"
    threads = f" and {pruned.threads} thread{'' if pruned.threads == 1 else 's'}" if pruned.threads else ""
    print(f"{did} {pruned.runs} run{'' if pruned.runs == 1 else 's'}{threads}")


def _recover(saved: Path) -> None:
    from ..store.recover import recover  # noqa: PLC0415

    found = recover(store_file(), saved)
    print(f"{found.runs} run{'' if found.runs == 1 else 's'} with {found.steps} steps saved in {saved}")
    if found.unreadable or found.homeless:
        parts = [f"rows of {', '.join(found.unreadable)} could not be read"] if found.unreadable else []
        parts += [f"{found.homeless} rows belong to a run that could not be read"] if found.homeless else []
        print("; ".join(parts), file=sys.stderr)
    else:
        print("nothing was lost", file=sys.stderr)
    print(f"to use it: TERN_DB={saved.absolute()}, or move it to {store_file()}", file=sys.stderr)
