"""Runs the `test` blocks of files and tells how they ended."""

from __future__ import annotations

import argparse
import os
import sys
import time
from collections.abc import Iterator, Sequence
from pathlib import Path

import trio

from ...dsl.plan import TestPlan
from ..judge.errors import JudgeflowError
from ..program import CheckError, Program, load
from ..report.exit_codes import ANSWERED, FAILED, FILE_ERRORS, WRONG_USE
from ..report.junit import Case, junit_xml
from ..report.live import clean
from ..run import Stamp
from ..testing.blocks import TestOutcome, run_block
from ..testing.recorded import record_block
from .answers_only import answers_only
from .whole_file import PROGRAM, write_whole


def test_files(arguments: argparse.Namespace) -> int:
    """The handler of `jrun test`: 0 all passed, 1 one failed, 2 wrong use or no test, 3 errors in a file."""
    if (arguments.junit or "").endswith(".judge"):
        print(f"jrun: --junit {arguments.junit}: {PROGRAM}", file=sys.stderr)
        return WRONG_USE
    cases: list[Case] = []
    failed = ran = 0
    for name in arguments.files:
        try:
            program = load(name)
        except CheckError as error:
            print(error, file=sys.stderr)
            return FILE_ERRORS
        except OSError as error:
            reason = "there is no such file" if isinstance(error, FileNotFoundError) else error.strerror
            print(f"jrun: {name}: {reason or error}", file=sys.stderr)
            return WRONG_USE
        if arguments.record:
            try:
                program = _record(program, Path(name), arguments.k)
            except JudgeflowError as error:
                print(f"jrun: {name}: {error}", file=sys.stderr)
                return WRONG_USE
            except OSError as error:
                print(f"jrun: --record {name}: {error.strerror or error}", file=sys.stderr)
                return FAILED
        with answers_only():
            outcomes = trio.run(_run_all, program, arguments.k)
        for outcome, seconds in outcomes:
            ran += 1
            failed += not outcome.passed
            _print(name, outcome)
            cases.append(Case(name, outcome.name, seconds, "\n".join(_told(name, outcome)) or None))
    if ran:
        print(f"{ran - failed} passed, {failed} failed")
    if arguments.junit and not _reported(arguments.junit, cases):
        return FAILED if failed else WRONG_USE
    if not ran:
        wanted = f" whose name contains {arguments.k!r}" if arguments.k else ""
        print(f"jrun: there is no test{wanted}", file=sys.stderr)
        return WRONG_USE
    return FAILED if failed else ANSWERED


def _reported(path: str, cases: Sequence[Case]) -> bool:
    """Writes the report; whether it could be written."""
    try:
        write_whole(path, junit_xml("jrun test", cases))
    except OSError as error:
        print(f"jrun: --junit {path}: {error.strerror or error}", file=sys.stderr)
        return False
    return True


def _record(program: Program, path: Path, wanted: str) -> Program:
    """The program with the answers of its models written into the file. Raises `OSError` where it cannot be."""
    if not os.access(path, os.W_OK):
        raise JudgeflowError("it cannot be written, so no model is asked")
    own = [test for test in program.plan.tests if program.root / test.origin.file == path]
    chosen = [test for test in own if wanted in test.name]
    with answers_only():
        blocks = trio.run(_recorded, program, chosen)
    text = path.read_bytes().decode("utf-8-sig")
    for test, block in sorted(blocks, key=lambda pair: -pair[0].origin.offset):
        start, end = test.origin.offset, test.origin.offset + len(test.origin.text)
        if text[start:end] != test.origin.text:
            raise JudgeflowError("it was changed while its tests were recorded, so nothing is written")
        line_end = "\r\n" if "\r\n" in test.origin.text else "\n"
        text = text[:start] + block.replace("\n", line_end) + text[end:]
    write_whole(str(path), text)
    for test, _ in blocks:
        print(f"● {test.name}: recorded", file=sys.stderr)
    return load(path)


async def _recorded(program: Program, tests: Sequence[TestPlan]) -> list[tuple[TestPlan, str]]:
    return [(test, await record_block(program, test, Stamp(time.time), os.environ)) for test in tests]


async def _run_all(program: Program, wanted: str) -> list[tuple[TestOutcome, float]]:
    found = []
    for test in program.plan.tests:
        if wanted in test.name:
            began = time.perf_counter()
            outcome = await run_block(program, test, Stamp(time.time))
            found.append((outcome, time.perf_counter() - began))
    return found


def _print(file: str, outcome: TestOutcome) -> None:
    print(f"{'✔' if outcome.passed else '✖'} {outcome.name}")
    for line in _told(file, outcome):
        print(f"    {line}")


def _told(file: str, outcome: TestOutcome) -> Iterator[str]:
    """What did not hold, with its place, line by line."""
    for failure in outcome.failures:
        first, *rest = str(failure).splitlines()
        yield f"{file}:{failure.line}: {clean(first)}"
        yield from map(clean, rest)
