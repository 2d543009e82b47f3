"""`jrun graph FILE`: a flow as a picture."""

from __future__ import annotations

import argparse
import sys
from collections.abc import Callable
from pathlib import Path
from typing import Any

from ...dsl.lower import lower
from ...dsl.passes import Checked, load
from ..diagram.figure import Figure
from ..diagram.flow import figure_of
from ..diagram.mermaid import mermaid
from ..diagram.svg import svg
from ..report.exit_codes import ANSWERED, FILE_ERRORS, WRONG_USE
from .whole_file import PROGRAM, write_whole

FORMATS: dict[str, Callable[[Figure], str]] = {"svg": svg, "mermaid": mermaid}
_SUFFIXES = {".mmd": "mermaid", ".mermaid": "mermaid"}


def add_parser(subparsers: Any) -> None:
    parser = subparsers.add_parser(
        "graph",
        description="Draws a flow: what runs, in which order, and what decides. Nothing is called.",
        epilog="Example: jrun graph support.judge -o support.svg",
    )
    parser.add_argument("file", metavar="FILE.judge")
    parser.add_argument("--flow", metavar="NAME", help="the flow to draw; else `main`, else the only one")
    parser.add_argument("-o", "--output", metavar="OUT", help="a file to write; else standard output")
    parser.add_argument(
        "--format", choices=tuple(FORMATS), help="SVG, except where the output is named *.mmd or *.mermaid"
    )
    parser.set_defaults(handler=handle)


def handle(arguments: argparse.Namespace) -> int:
    """0 drawn, 2 wrong use, 3 the file has errors."""
    try:
        checked = load(arguments.file)
    except FileNotFoundError:
        return _refused(f"there is no file {arguments.file}", WRONG_USE)
    except OSError as error:
        return _refused(f"{arguments.file}: {error.strerror or error}", WRONG_USE)
    if any(found.severity == "error" for found in checked.diagnostics):
        print(checked.rendered(), file=sys.stderr)
        return FILE_ERRORS
    suffix = Path(arguments.output or "").suffix.lower()
    draw = FORMATS[arguments.format or _SUFFIXES.get(suffix, "svg")]
    return _write(checked, arguments.flow, draw, arguments.output)


def _write(checked: Checked, flow: str | None, draw: Callable[[Figure], str], output: str | None) -> int:
    plan = lower(checked.modules)
    name = flow or plan.entry
    if name not in plan.flows:
        if not plan.flows:
            return _refused("the file declares no flow", WRONG_USE)
        known = ", ".join(plan.flows)
        asked = f"there is no flow `{flow}`" if flow else "say which flow with --flow"
        return _refused(f"{asked}; the file's flows: {known}", WRONG_USE)
    text = draw(figure_of(plan, checked.modules, name))
    if output is None:
        sys.stdout.write(text)
        return ANSWERED
    if output.endswith(".judge"):
        return _refused(f"{output}: {PROGRAM}", WRONG_USE)
    try:
        write_whole(output, text)
    except OSError as error:
        return _refused(f"{output}: {error.strerror or error}", WRONG_USE)
    return ANSWERED


def _refused(reason: str, code: int) -> int:
    print(f"jrun graph: {reason}", file=sys.stderr)
    return code
