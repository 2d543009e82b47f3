"""The store of whoever types the command, and a run in it."""

from __future__ import annotations

import os
import sys
from pathlib import Path
from typing import TYPE_CHECKING

from ..store.place import store_path

if TYPE_CHECKING:
    from ..store.records import Tern


def store_file() -> Path:
    return store_path(os.environ, platform=sys.platform, home=Path.home())


def stored_run(typed: str, tenant: str) -> Tern:
    """The run with this id, or the only one that starts like it. Raises `StoreError`."""
    from ..store.errors import NoStoreError, UnknownRunError  # noqa: PLC0415  # only where a run is looked up
    from ..store.terns import Store  # noqa: PLC0415

    try:
        with Store.read(store_file()) as store:
            return store.get(typed, tenant=tenant)
    except NoStoreError:
        raise UnknownRunError(typed) from None
