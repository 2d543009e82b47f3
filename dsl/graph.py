"""Files and their imports: which file an `import` means, what a file sees, and where a circle closes."""

from __future__ import annotations

import os
from collections.abc import Callable, Iterator
from functools import lru_cache

import msgspec

from . import ast

SUFFIX = ".judge"


class Import(msgspec.Struct, frozen=True):
    """One `import` of a file: `index` is the place of its declaration among the file's chunks."""

    index: int
    path: str
    node: ast.Import


class Reach(msgspec.Struct, frozen=True):
    """What a file's imports lead to. `files` are all files that it sees, itself first, each once, in the
    order in which a reader meets them. `missing` and `circles` are the file's own imports that cannot be
    followed."""

    files: tuple[str, ...]
    missing: tuple[Import, ...] = ()
    circles: tuple[tuple[Import, tuple[str, ...]], ...] = ()
    broken: bool = False
    """Some import on the way, here or in an imported file, cannot be followed: names may be unknown because
    of it."""


def target_of(importer: str, written: str) -> str:
    """The path that `import "written"` means in the file `importer`: relative to that file's folder."""
    return normal(os.path.join(os.path.dirname(importer), written))


@lru_cache(maxsize=1024)
def normal(path: str) -> str:
    """One spelling for one path; nothing is looked up."""
    return os.path.normpath(path).replace(os.sep, "/")


def shown(path: str, importer: str) -> str:
    """`path` as it would be written in the file `importer`."""
    return os.path.relpath(path, os.path.dirname(importer) or ".").replace(os.sep, "/")


def reach(path: str, imports: Callable[[str], tuple[Import, ...] | None]) -> Reach:
    """Follows the imports of `path`; `imports` gives those of a file, or None where there is no such file."""
    files: list[str] = [path]
    seen = {path}
    missing: list[Import] = []
    broken = False
    own = imports(path) or ()
    for first in own:
        for found, exists in _below(first.path, imports, seen):
            if exists:
                files.append(found)
            else:
                broken = True
        if not _is_there(first.path, imports):
            missing.append(first)
    circles = tuple((item, way) for item in own if (way := _way(item.path, path, imports)))
    return Reach(tuple(files), tuple(missing), circles, broken)


def _below(
    start: str, imports: Callable[[str], tuple[Import, ...] | None], seen: set[str]
) -> Iterator[tuple[str, bool]]:
    """Every file from `start` on that was not seen yet, depth first, and whether it is there."""
    waiting = [start]
    while waiting:
        path = waiting.pop()
        if path in seen:
            continue
        seen.add(path)
        exists = _is_there(path, imports)
        yield path, exists
        further = imports(path) if exists else None
        waiting.extend(item.path for item in reversed(further or ()))


def _is_there(path: str, imports: Callable[[str], tuple[Import, ...] | None]) -> bool:
    return path.endswith(SUFFIX) and imports(path) is not None


def _way(start: str, goal: str, imports: Callable[[str], tuple[Import, ...] | None]) -> tuple[str, ...]:
    """The shortest way from `start` to `goal` along imports, both ends included; empty where there is
    none."""
    ways: dict[str, tuple[str, ...]] = {start: (start,)}
    waiting = [start]
    for path in waiting:
        if path == goal:
            return ways[path]
        for item in (imports(path) or ()) if path.endswith(SUFFIX) else ():
            if item.path not in ways:
                ways[item.path] = (*ways[path], item.path)
                waiting.append(item.path)
    return ()
