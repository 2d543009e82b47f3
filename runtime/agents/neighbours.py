"""What a hook's file imports from beside it: its own neighbours, whatever other programs have loaded before."""

from __future__ import annotations

import sys
from collections.abc import Collection, Iterator
from contextlib import contextmanager
from pathlib import Path
from threading import RLock
from types import ModuleType


class HookFolder(str):
    """A folder that stands on `sys.path` because a hook's file is in it: nobody else may count on its modules."""

    __slots__ = ()


_one_at_a_time = RLock()
"""`sys.path` and `sys.modules` are the whole process's, and programs may start in several threads of it."""


@contextmanager
def at_home(folder: Path) -> Iterator[None]:
    """Imports inside find what stands in `folder`, as if a file there were run by itself: behind everything installed,
    before the folders of other programs."""
    with _one_at_a_time:
        _settle(folder)
        yield


def _settle(folder: Path) -> None:
    here = str(folder.absolute())
    hooks = [each for each in sys.path if isinstance(each, HookFolder)]
    if here in sys.path and here not in hooks:
        return
    others = [each for each in hooks if each != here]
    if hooks[:1] != [here]:
        sys.path[:] = [each for each in sys.path if each not in hooks] + [HookFolder(here), *others]
    if others:
        _forget(Path(here), others)


def _forget(here: Path, others: Collection[str]) -> None:
    """Other programs' modules whose names stand here as well. Who has imported them keeps them."""
    theirs = {
        name
        for name, module in list(sys.modules.items())
        if "." not in name and _folder(module) in others and _stands(here, name)
    }
    for name in [each for each in list(sys.modules) if each.partition(".")[0] in theirs]:
        sys.modules.pop(name, None)


def _folder(module: ModuleType) -> str | None:
    """Where the module, or the folder of the package, stands."""
    packages = list(getattr(module, "__path__", ()))
    file = packages[0] if packages else getattr(module, "__file__", None)
    return str(Path(file).parent) if isinstance(file, str) else None


def _stands(here: Path, name: str) -> bool:
    return (here / f"{name}.py").is_file() or (here / name).is_dir()
