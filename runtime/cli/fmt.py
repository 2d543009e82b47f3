"""`jrun fmt PATHS`: one canonical layout. Comments are kept, and formatting twice changes nothing."""

from __future__ import annotations

import argparse
import difflib
import sys
from pathlib import Path
from typing import Any

from ...dsl.format import format_source


def add_parser(subparsers: Any) -> None:
    parser = subparsers.add_parser(
        "fmt",
        help="lay files out in the one canonical way",
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
    """0 done, 1 something would change (with --check or --diff), 2 wrong use."""
    if arguments.paths == ["-"]:
        sys.stdout.write(format_source(sys.stdin.read()))
        return 0
    files: list[Path] = []
    for name in arguments.paths:
        path = Path(name)
        found = sorted(path.rglob("*.judge")) if path.is_dir() else [path]
        if not path.exists() or not found:
            reason = "no `.judge` file in it" if path.exists() else "there is no such file"
            print(f"jrun: {name}: {reason}", file=sys.stderr)
            return 2
        files += found
    changed = 0
    for path in files:
        try:
            before = path.read_bytes().decode("utf-8-sig")
        except (OSError, UnicodeDecodeError) as error:
            print(f"jrun: {path}: {error}", file=sys.stderr)
            return 2
        after = format_source(before)
        if after != before:
            changed += 1
            _changed(path, before, after, arguments)
    word = "would be changed" if arguments.check or arguments.diff else "changed"
    print(f"{changed} of {len(files)} file{'s' if len(files) != 1 else ''} {word}", file=sys.stderr)
    return 1 if changed and (arguments.check or arguments.diff) else 0


def _changed(path: Path, before: str, after: str, arguments: argparse.Namespace) -> None:
    if arguments.diff:
        lines = difflib.unified_diff(
            before.splitlines(keepends=True), after.splitlines(keepends=True), str(path), str(path)
        )
        sys.stdout.writelines(lines)
    elif arguments.check:
        print(path)
    else:
        path.write_text(after, encoding="utf-8", newline="\n")
