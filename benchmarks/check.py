"""`jrun check` on files of several sizes, as a whole process, beside `baml-cli check` in the same run.

    python benchmarks/check.py [--runs 9] [--lines 50 10000]

Both files have the same number of lines and about as much to check on each (`check_texts.py`); one of 10,000 lines has
about 1,300 declarations. The two commands take turns, so that whatever else the machine does meets both. Shown are the
medians of wall time with the least in brackets, and of processor time. Needs the wheel `baml-py`. Exit code 1 where a
bound is missed: half of the peer's time on the long file, twice on the short one.

The peer's time depends on what refers to what. `plain` rows, without references between types and without tests, have
no bound.
"""

from __future__ import annotations

import argparse
import os
import resource
import shutil
import statistics
import subprocess
import sys
import tempfile
import time
from collections.abc import Iterator, Sequence
from pathlib import Path
from typing import NamedTuple

from check_texts import baml_text, judge_text

from judgeflow.dsl.syntax.chunks import split

LONG = 10_000
JRUN = (sys.executable, "-c", "import sys; from judgeflow.runtime.cli import main; sys.exit(main())", "check")


def bound(lines: int) -> float:
    """How many times the peer's time is allowed."""
    return 0.5 if lines >= LONG else 2.0


def baml() -> tuple[str, ...] | None:
    """The peer, run by this interpreter: a start script of its own would cost it time."""
    beside = f"{Path(sys.executable).parent}{os.pathsep}{os.environ.get('PATH', '')}"
    script = shutil.which("baml-cli", path=beside)
    return (sys.executable, script, "check", "--from") if script is not None else None


class Took(NamedTuple):
    """Seconds of one process: on the wall, and of the processor."""

    wall: float
    processor: float


def took(command: Sequence[str], environment: dict[str, str]) -> Took:
    before, began = resource.getrusage(resource.RUSAGE_CHILDREN), time.perf_counter()
    done = subprocess.run(
        command, capture_output=True, env=environment, stdin=subprocess.DEVNULL, check=False
    )
    wall, after = time.perf_counter() - began, resource.getrusage(resource.RUSAGE_CHILDREN)
    if done.returncode:
        raise SystemExit(f"{' '.join(command)} ended with {done.returncode}:\n{done.stdout.decode()[:2000]}")
    return Took(wall, after.ru_utime + after.ru_stime - before.ru_utime - before.ru_stime)


def turns(
    commands: Sequence[Sequence[str]], runs: int, environment: dict[str, str]
) -> Iterator[tuple[Took, ...]]:
    """The commands in turn; the first round warms the disk and the byte code, and is not counted."""
    for number in range(runs + 1):
        each = tuple(took(command, environment) for command in commands)
        if number:
            yield each


def measured(lines: int, plain: bool, runs: int, folder: Path, environment: dict[str, str]) -> bool:
    """Prints one row; whether the bound holds."""
    ours = judge_text(lines, plain=plain)
    name = f"{'plain' if plain else 'of'}_{lines}"
    path = folder / f"{name}.judge"
    path.write_text(ours, encoding="utf-8")
    commands: list[Sequence[str]] = [(*JRUN, str(path))]
    peer = baml()
    if peer is not None:
        source = folder / name / "baml_src"
        source.mkdir(parents=True)
        (source / "main.baml").write_text(baml_text(lines, plain=plain), encoding="utf-8")
        commands.append((*peer, str(source)))
    columns = list(zip(*turns(commands, runs, environment), strict=True))
    count = f"{len(ours.splitlines()):,} lines, {len(split(ours)):,} declarations{', plain' if plain else ''}"
    print(f"{count:<40} jrun check {told(columns[0])}", end="")
    if peer is None:
        print("   (baml-cli is not installed: pip install baml-py)")
        return True
    walls = [statistics.median(each.wall for each in column) for column in columns]
    ratio = walls[0] / walls[1]
    print(f"   baml-cli check {told(columns[1])}   {ratio:.2f}×", end="")
    print("" if plain else f" (at most {bound(lines):g}×)")
    return plain or ratio <= bound(lines)


def told(times: Sequence[Took]) -> str:
    walls = [each.wall * 1000 for each in times]
    processor = statistics.median(each.processor for each in times) * 1000
    return f"{statistics.median(walls):6.0f} ms [{min(walls):.0f}], {processor:.0f} ms processor"


def main() -> int:
    parser = argparse.ArgumentParser(description="whole-process times of checking")
    parser.add_argument("--runs", type=int, default=9)
    parser.add_argument("--lines", type=int, nargs="+", default=[50, LONG])
    options = parser.parse_args()
    environment = {**os.environ}
    environment.pop("PYTHONDONTWRITEBYTECODE", None)
    with tempfile.TemporaryDirectory() as name:
        held = [
            measured(lines, plain, options.runs, Path(name), environment)
            for lines in options.lines
            for plain in (False, True)
        ]
    return 0 if all(held) else 1


if __name__ == "__main__":
    sys.exit(main())
