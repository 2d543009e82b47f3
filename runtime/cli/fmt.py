"""`jrun fmt PATHS`: one canonical layout. Comments are kept, and formatting twice changes nothing."""

from __future__ import annotations

import argparse
import difflib
import os
import sys
from pathlib import Path
from typing import Any

from ...dsl.files import read_bytes
from ...dsl.format import format_source
from ...dsl.parse import parse
from ...dsl.source import Source
from .check import found_files
from .streams import lead_nowhere
from .whole_file import write_whole


def add_parser(subparsers: Any) -> None:
    parser = subparsers.add_parser(
        "fmt",
        description="Rewrites files in the canonical layout. A declaration with a syntax error is left as it is.",
    )
    parser.add_argument(
        "paths",
        nargs="+",
        metavar="PATH",
        help="files, or folders with `.judge` files; `-` for standard input",
    )
    parser.add_argument(
        "--check", action="store_true", help="change nothing; exit 1 when a file would change"
    )
    parser.add_argument("--diff", action="store_true", help="change nothing; show what would change")
    parser.set_defaults(handler=handle)


def handle(arguments: argparse.Namespace) -> int:
    """0 done, 1 something would change (with --check or --diff), 2 wrong use, 3 a file has mistakes."""
    if arguments.paths == ["-"]:
        return _format_input()
    for name in arguments.paths:
        problem = _problem(name)
        if problem:
            print(f"jrun: {name}: {problem}", file=sys.stderr)
            return 2
    files = [Path(name) for name in found_files(arguments.paths)]
    changed, broken, failed = 0, False, False
    for path in files:
        try:
            before = read_bytes(str(path)).decode("utf-8-sig")
            after = format_source(before)
            if after != before and not (arguments.check or arguments.diff):
                write_whole(str(path), after)
        except UnicodeDecodeError as error:
            _tell_no_text(str(path), error)
            broken = True
            continue
        except OSError as error:
            print(f"jrun: {path}: {error.strerror or error}", file=sys.stderr)
            failed = True
            continue
        if after != before:
            changed += 1
            try:
                _show(path, before, after, arguments)
            except BrokenPipeError:
                lead_nowhere(sys.stdout)  # what was found stays what it is (`jrun fmt --check … | head`)
        broken = _told_broken(path, before) or broken
    word = "would be changed" if arguments.check or arguments.diff else "changed"
    print(f"{changed} of {len(files)} file{'s' if len(files) != 1 else ''} {word}", file=sys.stderr)
    if failed or broken:
        return 2 if failed else 3
    return 1 if changed and (arguments.check or arguments.diff) else 0


def _format_input() -> int:
    try:
        sys.stdout.write(format_source(sys.stdin.buffer.read().decode("utf-8-sig")))
    except UnicodeDecodeError as error:
        _tell_no_text("standard input", error)
        return 3
    return 0


def _problem(name: str) -> str:
    """What is wrong with the way a path is given; empty where nothing is."""
    if name == "-":
        return "standard input goes with no other file"
    if not os.path.exists(name):
        return "there is no such file"
    if os.path.isfile(name) and not name.endswith(".judge"):
        return "it is no .judge file"
    try:
        return "" if list(found_files([name])) else "no `.judge` file in it"
    except OSError as error:
        return f"{error.filename} cannot be read: {(error.strerror or '').lower()}"


def _tell_no_text(name: str, error: UnicodeDecodeError) -> None:
    print(
        f"jrun: {name}: byte {error.start} is not valid UTF-8, so it is left as it is: save it again as UTF-8",
        file=sys.stderr,
    )


def _told_broken(path: Path, text: str) -> bool:
    """Whether something was left as it is because it cannot be read; that is said, for nothing is silently skipped."""
    items = parse(Source(str(path), text)).items
    left = sum(any(found.severity == "error" for found in item.diagnostics) for item in items)
    if left:
        what = (
            "a declaration has a mistake and was"
            if left == 1
            else f"{left} declarations have mistakes and were"
        )
        print(
            f"jrun: {path}: {what} left as {'it is' if left == 1 else 'they are'}: see `jrun check {path}`",
            file=sys.stderr,
        )
    return bool(left)


def _show(path: Path, before: str, after: str, arguments: argparse.Namespace) -> None:
    """What would change, where that is asked for."""
    if arguments.diff:
        lines = difflib.unified_diff(
            before.splitlines(keepends=True), after.splitlines(keepends=True), str(path), str(path)
        )
        sys.stdout.writelines(lines)
    elif arguments.check:
        print(path)
