"""Files on disk, read for what they say and never run."""

from __future__ import annotations

from pathlib import Path

MAX_BYTES = 64 * 1024 * 1024


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
