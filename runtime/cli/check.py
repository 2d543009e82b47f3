"""`jrun check PATHS…`: every static rule, no call."""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Callable, Iterable, Iterator, Sequence
from typing import Any, TextIO

from ...dsl.files import read_bytes, refuse_pipe
from ...dsl.graph import normal
from ...dsl.passes import check_again, open_workspace
from ...dsl.workspace.analysis import Workspace
from ..report.findings import WRITERS, summary
from .streams import lead_nowhere

ANSWERED, WRONG_USE, FILE_ERRORS = 0, 2, 3
INTERVAL = 0.2
"""Seconds between two looks at the files with `--watch`."""

_SKIPPED = frozenset({"node_modules", "__pycache__", "venv"})


def add_parser(subparsers: Any) -> None:
    parser = subparsers.add_parser(
        "check",
        description="Finds everything that can be found without a call. Exit code 3 where there is an error.",
    )
    parser.add_argument(
        "paths", nargs="+", metavar="PATH", help="files, or folders that are searched for them"
    )
    parser.add_argument(
        "--strict", action="store_true", help="a judge of its agent's model family is an error"
    )
    parser.add_argument("--format", choices=tuple(WRITERS), default="text", help="text is the default")
    parser.add_argument("--watch", action="store_true", help="check again whenever a file changes")
    parser.set_defaults(handler=handle)


def handle(arguments: argparse.Namespace) -> int:
    if arguments.watch:
        return watch(arguments, sys.stdout, lambda: time.sleep(INTERVAL))
    return check_once(arguments, open_workspace(), sys.stdout)


def check_once(arguments: argparse.Namespace, workspace: Workspace, out: TextIO) -> int:
    """Checks and writes; the exit code."""
    try:
        paths = list(found_files(arguments.paths))
        problem = _problem(arguments.paths, paths)
    except OSError as error:
        problem = _unread(error.filename, error)
    if problem:
        print(f"jrun check: {problem}", file=sys.stderr)
        return WRONG_USE
    findings, sources = check_again(workspace, paths, strict=arguments.strict)
    try:
        out.write(WRITERS[arguments.format](findings, sources, color=_colored(out)))
        out.flush()
    except BrokenPipeError:
        if arguments.watch:
            raise
        lead_nowhere(out)  # what was found stays what it is (`jrun check … | head`)
    if arguments.format == "github":
        print(summary(findings, len(sources)), file=sys.stderr)
    return FILE_ERRORS if any(found.severity == "error" for found in findings) else ANSWERED


def _problem(given: Sequence[str], found: Sequence[str]) -> str:
    """What is wrong with the way the command was called; empty where nothing is."""
    for path in given:
        if not os.path.exists(path):
            return f"there is no file or folder {path}"
        if os.path.isfile(path) and not path.endswith(".judge"):
            return f"{path} is no .judge file"
    for path in found:
        try:
            refuse_pipe(path)
        except OSError as error:
            return _unread(path, error)
        if not os.access(path, os.R_OK):
            return f"{path} cannot be read: permission denied"
    return "" if found else f"there is no .judge file in {', '.join(given)}"


def _unread(path: str, error: OSError) -> str:
    return f"{path} cannot be read: {(error.strerror or '').lower()}"


def found_files(paths: Iterable[str]) -> Iterator[str]:
    """The files given, and those in the folders given, each once. Of a folder, what is hidden (an editor's lock among
    it) and what is no file (a pipe, a socket) are left alone. Raises `OSError` where one may not be looked into."""
    seen: set[str] = set()
    for path in paths:
        for file in _in_folder(path) if os.path.isdir(path) else (path,):
            if normal(file) not in seen:
                seen.add(normal(file))
                yield file


def _in_folder(path: str) -> Iterator[str]:
    for folder, folders, files in os.walk(path, onerror=_raise):
        folders[:] = sorted(name for name in folders if not name.startswith(".") and name not in _SKIPPED)
        for name in sorted(files):
            path = os.path.join(folder, name)
            if name.endswith(".judge") and not name.startswith(".") and not _is_pipe(path):
                yield path


def _is_pipe(path: str) -> bool:
    return os.path.exists(path) and not os.path.isfile(path)


def _raise(error: OSError) -> None:
    raise error


def _colored(out: TextIO) -> bool:
    return out.isatty() and not os.environ.get("NO_COLOR") and os.environ.get("TERM") != "dumb"


# --- watching -----------------------------------------------------------------------------------------------


def watch(arguments: argparse.Namespace, out: TextIO, pause: Callable[[], object]) -> int:
    """Checks again whenever a file that was read changes, comes or goes, until interrupted."""
    watched = Watched()
    workspace = open_workspace(watched.read)
    while True:
        if out.isatty():
            out.write("\x1b[2J\x1b[H")
        code = check_once(arguments, workspace, out)
        out.flush()
        if code == WRONG_USE:
            return code
        while not (changed := watched.changed(found_files(arguments.paths))):
            pause()
        for path in changed:
            workspace.forget(path)


class Watched:
    """The files that were read, or looked for, and how they were then."""

    def __init__(self) -> None:
        self._stamps: dict[str, tuple[int, int] | None] = {}

    def read(self, path: str) -> bytes | None:
        self._stamps[normal(path)] = _stamp(path)
        try:
            return read_bytes(path)
        except OSError:
            return None

    def changed(self, present: Iterable[str]) -> list[str]:
        """What differs from the last look; a file of `present` that was never read is new."""
        stamps = {path: _stamp(path) for path in {**self._stamps, **dict.fromkeys(map(normal, present))}}
        changed = [
            path for path, stamp in stamps.items() if path not in self._stamps or self._stamps[path] != stamp
        ]
        self._stamps = stamps
        return changed


def _stamp(path: str) -> tuple[int, int] | None:
    try:
        status = os.stat(path)
    except OSError:
        return None
    return status.st_mtime_ns, status.st_size
