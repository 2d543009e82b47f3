"""What the evaluating verbs share: a program, its store, progress, reports and exit codes."""

from __future__ import annotations

import argparse
import os
import re
import signal
import sys
from collections.abc import AsyncIterator, Awaitable, Callable, Iterator, Sequence
from contextlib import AbstractAsyncContextManager, asynccontextmanager, contextmanager, suppress
from pathlib import Path
from typing import TypeVar

import msgspec
import trio

from ...dsl.plan import Plan
from ...dsl.printable import clean
from ..evaluate.account import EvalAccount, day_limits
from ..evaluate.cases import Case, CaseFile, read_cases
from ..evaluate.document import Document
from ..evaluate.pace import INTERRUPTED, Pace
from ..evaluate.render import counted
from ..evaluate.rows import Fault
from ..program import Program, Session, load
from ..providers.cache import ReplyCache
from ..report.exit_codes import ANSWERED, FAILED, NOT_GOOD
from ..report.exit_codes import INTERRUPTED as EXIT_INTERRUPTED
from ..report.junit import Case as JUnitCase
from ..report.junit import junit_xml
from ..report.text import one_line
from .answers_only import answers_only
from .replies import reply_cache
from .store_file import store_file
from .wrong_use import WrongUse

T = TypeVar("T")

_PROGRESS_LINES = 20
"""At most so many, where the output is no terminal."""
_WIDTH = 100


def loaded(file: str) -> Program:
    try:
        return load(file)
    except FileNotFoundError:
        raise WrongUse(f"there is no file {file}") from None
    except OSError as error:
        raise WrongUse(f"{file}: {error.strerror or error}") from None


def evaluated(
    program: Program,
    cache: ReplyCache | None,
    *,
    profile: str | None = None,
    extend: Callable[[Plan], Plan] | None = None,
) -> AbstractAsyncContextManager[Session]:
    """The program over the user's store, with its runs booked to no day: evaluations have an account of their own."""
    return program.opened(
        profile=profile, store=store_file(), extend=extend, grace=0.5, booked=False, cache=cache
    )


@contextmanager
def kept(arguments: argparse.Namespace) -> Iterator[ReplyCache | None]:
    """The cache that `--cache` asks for; how much came from it is told at the end. What could not be written is told
    before anything is paid for, and what judges and tools print is no part of the report, which comes afterwards."""
    for path in (arguments.html, arguments.junit):
        if path is not None:
            _check_writable(Path(path))
    if arguments.cache and getattr(arguments, "repeat", 1) > 1:
        raise WrongUse(
            "--repeat asks anew, and --cache would answer with the same replies: leave one of them out"
        )
    with answers_only(), reply_cache(arguments) as cache:
        yield cache
        if cache is not None and not arguments.quiet:
            print(f"{counted(cache.taken, 'reply', 'replies')} from the cache", file=sys.stderr)


@asynccontextmanager
async def evaluating(
    program: Program,
    arguments: argparse.Namespace,
    *,
    profile: str | None = None,
    extend: Callable[[Plan], Plan] | None = None,
) -> AsyncIterator[Session]:
    """As `evaluated`, for a command that opens one program."""
    with kept(arguments) as cache:
        async with evaluated(program, cache, profile=profile, extend=extend) as session:
            yield session


def refuse(arguments: argparse.Namespace, options: Sequence[str], why: str) -> None:
    """`WrongUse` for options that would be left aside."""
    for option in options:
        value = getattr(arguments, option)
        if value is True or value not in (None, False, 1):
            raise WrongUse(f"--{option} {why}")


def pace_of(session: Session, arguments: argparse.Namespace, suite: str | None) -> Pace:
    """How to go through the cases: so many at once, from the account for evaluations, with progress shown."""
    plan = session.plan
    account = EvalAccount(
        f"{plan.workflow}:eval", arguments.tenant, day_limits(plan, suite), session.writer, session.stamp
    )
    return Pace(account, arguments.concurrency, Progress(quiet=arguments.quiet))


class Progress:
    """Tells on standard error how far it is: one line that is written again, or a few lines where that is no
    terminal."""

    def __init__(self, *, quiet: bool) -> None:
        self._quiet = quiet
        self._live = sys.stderr.isatty() and os.environ.get("TERM") != "dumb"

    def __call__(self, done: int, of: int, what: str) -> None:
        if self._quiet:
            return
        line = one_line(f"{done:,} of {of:,}  {what}", _WIDTH)
        if self._live:
            sys.stderr.write(f"\r\x1b[2K{line}" + ("\n" if done == of else ""))
            sys.stderr.flush()
        elif done == of or done % max(of // _PROGRESS_LINES, 1) == 0:
            print(line, file=sys.stderr, flush=True)


async def stoppable(pace: Pace, work: Callable[[], Awaitable[T]]) -> T:
    """Does the work; Ctrl-C lets the cases under way end and begins no others, a second one ends it now."""
    failure: Exception | None = None
    async with trio.open_nursery() as nursery:
        nursery.start_soon(_listen, pace)
        try:
            result = await work()
        except Exception as error:
            # Raised below, as itself: a group would hide what it is.
            failure = error
        nursery.cancel_scope.cancel()
    if failure is not None:
        raise failure
    return result


async def _listen(pace: Pace) -> None:
    with suppress(RuntimeError), trio.open_signal_receiver(signal.SIGINT, signal.SIGTERM) as signals:
        async for _ in signals:
            if pace.stopped == INTERRUPTED:
                raise KeyboardInterrupt
            pace.interrupt()
            print("stopping: no other case is begun; again to end now", file=sys.stderr)


# --- cases --------------------------------------------------------------------------------------------------


def cases_of(path: Path, arguments: argparse.Namespace) -> CaseFile:
    """The cases of a file, named as the user knows it."""
    with suppress(ValueError):
        return read_cases(path, strict=arguments.strict, name=str(path.relative_to(Path.cwd())))
    return read_cases(path, strict=arguments.strict)


def limited(cases: Sequence[Case], limit: int | None) -> Sequence[Case]:
    return cases if limit is None else cases[:limit]


def tell_faults(faults: Sequence[Fault]) -> None:
    for fault in faults:
        print(f"jrun: {fault}", file=sys.stderr)


# --- reports ------------------------------------------------------------------------------------------------


def show(report: msgspec.Struct, document: Document, arguments: argparse.Namespace) -> None:
    """The report on standard output, as JSON alone or as text, and as a page where one is wanted."""
    if arguments.json:
        sys.stdout.write(msgspec.json.format(msgspec.json.encode(report), indent=2).decode() + "\n")
    else:
        sys.stdout.write(document.text())
    sys.stdout.flush()
    _summarise(document)
    if arguments.html is not None:
        write_file(arguments.html, document.html())


def _summarise(document: Document) -> None:
    """The report on the page of a GitHub job, where there is one."""
    path = os.environ.get("GITHUB_STEP_SUMMARY")
    if not path:
        return
    text = document.text()
    fence = "`" * max([3, *(len(ticks) + 1 for ticks in re.findall("`{3,}", text))])
    try:
        with Path(path).open("a", encoding="utf-8") as page:
            page.write(f"{fence}text\n{text}{fence}\n")
    except OSError as error:
        print(f"jrun: $GITHUB_STEP_SUMMARY {path}: {error.strerror or error}", file=sys.stderr)


def _check_writable(path: Path) -> None:
    if path.is_dir():
        raise WrongUse(f"{path} is a folder; choose a file")
    there = path if path.exists() else path.parent
    if not os.access(there, os.W_OK):
        raise WrongUse(f"{path}: no file can be written there; choose another")


def write_file(path: str, text: str) -> None:
    try:
        Path(path).write_text(text, encoding="utf-8")
    except OSError as error:
        raise WrongUse(f"{path}: {error.strerror or error}; choose another file") from None


def write_junit(path: str | None, name: str, cases: Sequence[JUnitCase]) -> None:
    if path is not None:
        write_file(path, junit_xml(name, cases))


def annotate(file: str, line: int, title: str, message: str) -> None:
    """A note at a line of a file, where GitHub shows it. On standard error, so that JSON stays alone."""
    if os.environ.get("GITHUB_ACTIONS") != "true":
        return
    place = f"file={_property(file)}" + (f",line={line}" if line else "")
    print(f"::error {place},title={_property(title)}::{_data(message)}", file=sys.stderr)


def _data(text: str) -> str:
    return clean(text).replace("%", "%25").replace("\r", "%0D").replace("\n", "%0A")


def _property(text: str) -> str:
    return _data(text).replace(":", "%3A").replace(",", "%2C")


# --- exit codes ---------------------------------------------------------------------------------------------


def below(mean: float | None, bar: float | None) -> bool:
    """Whether a mean does not reach the bar; at the bar it does, whatever a sum of decimals makes of it."""
    return bar is not None and mean is not None and mean < bar - 1e-9


def exit_of(
    arguments: argparse.Namespace,
    *,
    means: Sequence[float | None],
    stopped: str | None,
    incomplete: bool,
    failed: bool = False,
) -> int:
    """An interruption first, then what has no result, then what is not good enough: `failed`, or one of the means
    below the bar. A bar that nothing could be held against was not reached, whatever the reason."""
    bar = arguments.fail_under
    if stopped == INTERRUPTED:
        return EXIT_INTERRUPTED
    if incomplete or (bar is not None and None in means):
        return FAILED
    if (failed or any(below(mean, bar) for mean in means)) and not arguments.exit_zero_on_fail:
        return NOT_GOOD
    return ANSWERED
