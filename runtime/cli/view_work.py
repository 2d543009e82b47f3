"""What `jrun view` does: serves pages, or writes them into one file."""

from __future__ import annotations

import argparse
import sys
import webbrowser
from pathlib import Path

from ..store.errors import UnknownRunError
from ..store.scores import labels, scores
from ..store.terns import Store
from ..view.export import export_page
from ..view.server import ViewServer
from .runs import answering, filter_of, read_store
from .store_file import store_file
from .whole_file import PROGRAM, write_whole
from .wrong_use import WrongUse

_FILTERS = ("flow", "status", "since", "thread", "version", "text", "limit")


def run_view(arguments: argparse.Namespace, *, most: int) -> int:
    """The handler of `jrun view`."""
    return answering("view", lambda: _export(arguments, most) if arguments.export else _serve(arguments))


def _export(arguments: argparse.Namespace, most: int) -> None:
    query = filter_of(arguments, most=most)
    with read_store() as store:
        if store is None:
            raise WrongUse(f"there are no runs yet in {store_file()}")
        if arguments.run is not None:
            terns = [store.get(arguments.run, tenant=arguments.tenant)]
        else:
            terns = list(store.export(query))[::-1]
        everything = filter_of(arguments, most=None)
        title = f"Run {terns[0].id[:8]}" if arguments.run is not None else f"{len(terns)} runs"
        page = export_page(terns, scores(store, everything), labels(store, everything), title=title)
    if arguments.export == "-":
        sys.stdout.flush()
        sys.stdout.buffer.write(page.encode("utf-8", "replace"))
        return
    _write(Path(arguments.export), page)
    print(f"{len(terns)} run{'' if len(terns) == 1 else 's'} written to {arguments.export}", file=sys.stderr)


def _write(path: Path, page: str) -> None:
    """The whole file or nothing new; its owner alone may read it."""
    if path.suffix == ".judge":
        raise WrongUse(f"{path}: {PROGRAM}")
    try:
        write_whole(str(path), page, private=True)
    except OSError as error:
        raise WrongUse(f"{path}: {error.strerror or error}; choose another file, or -") from None


def _serve(arguments: argparse.Namespace) -> None:
    given = [name for name in _FILTERS if getattr(arguments, name) is not None]
    if given:
        raise WrongUse(f"--{given[0]} chooses what --export writes; on the page there is a search")
    run = _found(arguments)
    try:
        server = ViewServer(store_file(), port=arguments.port, tenant=arguments.tenant)
    except (OSError, OverflowError) as error:
        raise WrongUse(f"port {arguments.port}: {error}; choose another with --port") from None
    address = server.address if run is None else f"{server.address}run/{run}"
    with server:
        print(f"{address}  (Ctrl-C ends it)", flush=True)
        if not arguments.no_open:
            webbrowser.open(address)
        try:
            server.serve_forever()
        except KeyboardInterrupt:
            print(file=sys.stderr)


def _found(arguments: argparse.Namespace) -> str | None:
    """The whole id of the run that was named; an error now is better than one in a browser."""
    with read_store() as store:
        if store is None:
            raise (
                UnknownRunError(arguments.run)
                if arguments.run
                else WrongUse(f"there are no runs yet in {store_file()}")
            )
        return _id(store, arguments) if arguments.run is not None else None


def _id(store: Store, arguments: argparse.Namespace) -> str:
    return store.get(arguments.run, tenant=arguments.tenant).id
