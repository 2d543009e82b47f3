"""Files on disk, read for what they say and never run."""

from __future__ import annotations

import os
from collections.abc import Iterator
from pathlib import Path

from ..dsl.graph import SUFFIX, normal

MAX_BYTES = 64 * 1024 * 1024
MAX_FILES = 5_000
"""Files of a folder that are looked at: a home folder opened by mistake must not take minutes."""

_SKIPPED = frozenset(("node_modules", "__pycache__", "venv", "site-packages", "dist", "build", "target"))


def read_file(path: str) -> bytes | None:
    """The bytes of a regular file, None where there is none that can be read: a pipe or a device would
    never end."""
    file = Path(path)
    try:
        if not file.is_file() or file.stat().st_size > MAX_BYTES:
            return None
        return file.read_bytes()
    except (OSError, ValueError):
        return None


def exists(path: str) -> bool:
    try:
        return Path(path).is_file()
    except (OSError, ValueError):
        return False


def names_in_folder(path: str) -> list[str]:
    """What is in a folder, folders with a `/` at the end, hidden ones left out."""
    try:
        with os.scandir(path) as entries:
            return [
                f"{one.name}/" if one.is_dir() else one.name
                for one in entries
                if not one.name.startswith(".")
            ]
    except (OSError, ValueError):
        return []


def judge_files(root: str) -> list[str]:
    """The `.judge` files below a folder, as far as they can be told from what tools put there."""
    return [path for path, _ in zip(_judge_files(root), range(MAX_FILES), strict=False)]


def is_judge_file_of(root: str, path: str) -> bool:
    """Whether a path is one that `judge_files` looks at below a folder, whether there is a file or not."""
    if not path.startswith(f"{root}/") or not path.endswith(SUFFIX):
        return False
    folders = path[len(root) + 1 :].split("/")[:-1]
    return not any(name in _SKIPPED or name.startswith(".") for name in folders)


def _judge_files(root: str) -> Iterator[str]:
    for folder, folders, names in os.walk(root):
        folders[:] = sorted(name for name in folders if name not in _SKIPPED and not name.startswith("."))
        for name in sorted(names):
            if name.endswith(SUFFIX):
                yield normal(os.path.join(folder, name))
