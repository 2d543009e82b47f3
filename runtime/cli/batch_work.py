"""Runs a batch from the command line: cases, results, progress, interruption, summary and exit code."""

from __future__ import annotations

import argparse
import os
import sys
from collections import Counter
from decimal import Decimal
from importlib.util import find_spec
from pathlib import Path
from typing import TextIO

import attrs
import msgspec
import trio

from ..batch.progress import Progress, Tally, clock
from ..batch.results_file import BatchResult, ResultsFile, input_hash
from ..batch.selection import Selection
from ..batch.work import SPENT, STOPPED, Batch, Task
from ..collecting import fewer_collections
from ..evaluate.cases import Case, broken_cases, read_cases
from ..evaluate.inputs import fitting
from ..program import Program, Session
from ..report.exit_codes import ANSWERED, INTERRUPTED, LIMIT, NOT_GOOD, worst
from ..report.live import clean
from .answers_only import answers_only
from .interrupt import stop_signals
from .opening import opened
from .replies import Replies, kept_replies
from .run_flow import amount_of, answering, duration_of, loaded
from .streams import columns_of
from .wrong_use import WrongUse

_CAUSES = 5


class Summary(msgspec.Struct, frozen=True, kw_only=True):
    """What a batch came to. `left` are the cases that have no result."""

    schema: int = 1
    kind: str = "batch"
    results: str
    cases: int
    resumed: int
    answered: int
    not_good: int
    paused: int
    failed: int
    left: int
    unreadable: int
    cost: str
    tokens: int
    seconds: float
    stopped: str | None
    exit: int


def run_batch(arguments: argparse.Namespace) -> int:
    """The handler of `jrun batch`."""
    return answering(lambda: _run_batch(arguments))


def _run_batch(arguments: argparse.Namespace) -> int:
    if arguments.engine == "ray":
        raise WrongUse(
            "--engine ray: cases run on this machine only; leave it out"
            if find_spec("ray") is not None
            else "--engine ray needs Ray, which is not installed (pip install ray); leave it out to run here"
        )
    program = loaded(arguments)
    program.flow_name(arguments.flow)
    path = Path(arguments.cases)
    cases = read_cases(path, strict=True).cases
    out = Path(arguments.out) if arguments.out else path.with_name(f"{path.stem}.results.jsonl")
    if out.suffix != ".jsonl":
        raise WrongUse(f"--out {out}: results are JSON lines, so the file ends in .jsonl")
    for option, file in (("--out", out), ("--record", arguments.record)):
        if file is not None and Path(file).exists() and path.samefile(file):
            raise WrongUse(f"{option} {file}: it is the file of the cases, and would be written over")
    with answers_only() as printed, fewer_collections():
        return trio.run(_run, program, arguments, cases, out, printed)


async def _run(
    program: Program, arguments: argparse.Namespace, cases: tuple[Case, ...], out: Path, printed: TextIO
) -> int:
    task, grace = _task(arguments), duration_of("--grace", arguments.grace)
    with kept_replies(arguments) as replies:
        async with opened(program, arguments, replies) as session:
            fit, faults = fitting(session, program.flow_name(arguments.flow), cases, arguments.cases)
            if faults:
                raise broken_cases(faults)
            with ResultsFile.opened(out, resume=arguments.resume, fresh=arguments.fresh) as results:
                chosen = _selection(arguments).of(fit)
                return await _go(session, results, chosen, task, grace, arguments, replies, printed)


async def _go(
    session: Session,
    results: ResultsFile,
    chosen: list[Case],
    task: Task,
    grace: float,
    arguments: argparse.Namespace,
    replies: Replies,
    printed: TextIO,
) -> int:
    asked = [(case.id, input_hash(case.input)) for case in chosen]
    done = results.done(asked, session.versions.config)
    waiting = [case for case in chosen if case.id not in done]
    ended = _Ended([results.past[case] for case in done])
    tally = Tally(of=len(waiting), resumed=len(done))
    live = not arguments.quiet and sys.stderr.isatty() and os.environ.get("TERM") != "dumb"
    progress = Progress(sys.stderr, tally, live, trio.current_time)
    progress.width = lambda: columns_of(sys.stderr)
    if not arguments.quiet:
        _tell_resumed(results, len(done), len(chosen))

    def told(result: BatchResult) -> None:
        if result.exit == INTERRUPTED:
            return
        ended.add(result)
        if arguments.quiet:
            tally.add(result)
        else:
            progress.ended(result)

    batch = Batch(session, results, task, arguments.concurrency, told, (progress.event,))
    progress.under_way = lambda: batch.under_way
    began = trio.current_time()
    await _interruptible(batch, waiting, grace, progress)
    progress.close()
    code = replies.code(_exit_code(batch, ended, arguments))
    summary = Summary(
        results=str(results.path),
        cases=len(chosen),
        resumed=len(done),
        answered=ended.counts[ANSWERED],
        not_good=tally.not_good + sum(results.past[case].exit == NOT_GOOD for case in done),
        paused=tally.paused + sum(results.past[case].status == "paused" for case in done),
        failed=tally.failed,
        left=len(waiting) - tally.done,
        unreadable=tally.unreadable,
        cost=tally.cost.removeprefix("$"),
        tokens=tally.tokens,
        seconds=round(trio.current_time() - began, 3),
        stopped=batch.stopped,
        exit=code,
    )
    if arguments.json:
        print(msgspec.json.encode(summary).decode(), file=printed, flush=True)
    _tell(summary, tally, ended)
    return code


@attrs.define(eq=False)
class _Ended:
    """How the cases ended, those of earlier processes included, and why some failed."""

    past: list[BatchResult]
    counts: Counter[int] = attrs.field(factory=Counter)
    causes: dict[str, list[str]] = attrs.field(factory=dict)

    def __attrs_post_init__(self) -> None:
        for result in self.past:
            self.counts[result.exit] += 1

    def add(self, result: BatchResult) -> None:
        self.counts[result.exit] += 1
        if result.exit != ANSWERED:
            cause = clean(f"{result.code or result.status}: {(result.reason or '').split(chr(10))[0]}")
            self.causes.setdefault(cause[:160], []).append(result.case)


def _selection(arguments: argparse.Namespace) -> Selection:
    return Selection(
        limit=arguments.limit, sample=arguments.sample, shuffle=arguments.shuffle, seed=arguments.seed
    )


def _task(arguments: argparse.Namespace) -> Task:
    seconds = None
    if arguments.timeout is not None:
        seconds = Decimal(str(duration_of("--timeout", arguments.timeout)))
    most = None if arguments.max_cost is None else amount_of("--max-cost", arguments.max_cost)
    return Task(
        flow=arguments.flow, tenant=arguments.tenant, capture=arguments.capture, seconds=seconds, most=most
    )


async def _interruptible(batch: Batch, cases: list[Case], grace: float, progress: Progress) -> None:
    """Ctrl-C begins no other case and gives calls in flight the grace; a second one ends them now, a third us."""

    async def listen() -> None:
        seen = 0
        async with trio.open_nursery() as nursery:
            async for _ in signals:
                seen += 1
                if seen > 2:
                    raise KeyboardInterrupt
                if seen == 2:
                    batch.abort()
                    continue
                print(
                    f"\nstopping, {batch.under_way} cases under way (Ctrl-C again to stop now)",
                    file=sys.stderr,
                )
                batch.stop()
                nursery.start_soon(later)

    async def later() -> None:
        await trio.sleep(grace)
        batch.abort()

    async def tick() -> None:
        while True:
            await trio.sleep(0.5)
            progress.draw()

    failures: list[Exception] = []
    with trio.open_signal_receiver(*stop_signals()) as signals:
        async with trio.open_nursery() as nursery:
            nursery.start_soon(listen)
            nursery.start_soon(tick)
            try:
                await batch.run(cases)
            except Exception as error:
                # Raised below, as itself: a group of one would hide what it is.
                failures.append(_alone(error))
            nursery.cancel_scope.cancel()
    if failures:
        raise failures[0]


def _alone(error: Exception) -> Exception:
    """Cases that run at once meet the same fault at once: a missing key, a model without a price."""
    while isinstance(error, ExceptionGroup):
        error = error.exceptions[0]
    return error


def _exit_code(batch: Batch, ended: _Ended, arguments: argparse.Namespace) -> int:
    """The worst of all cases, those of earlier processes included."""
    codes = list(ended.counts)
    if batch.stopped == STOPPED:
        codes.append(INTERRUPTED)
    elif batch.stopped == SPENT:
        codes.append(LIMIT)
    if arguments.exit_zero_on_fail:
        codes = [code for code in codes if code != NOT_GOOD]
    return worst(codes)


def _tell_resumed(results: ResultsFile, done: int, of: int) -> None:
    if results.torn:
        print(
            f"{results.path}: a line that was cut off is left out, and its case is run again", file=sys.stderr
        )
    if done:
        print(f"resumed: {done:,} of {of:,} cases have their result", file=sys.stderr)


def _tell(summary: Summary, tally: Tally, ended: _Ended) -> None:
    parts = [f"{summary.cases:,} case{'s' if summary.cases != 1 else ''}"]
    parts += [
        f"{count:,} {what}"
        for count, what in (
            (summary.answered, "answered"),
            (summary.not_good, "not good enough"),
            (summary.paused, "paused"),
            (summary.failed, "failed"),
            (summary.left, "left"),
        )
        if count
    ]
    print(
        f"{', '.join(parts)}   {tally.cost}   {tally.tokens:,} tokens   {clock(summary.seconds)}",
        file=sys.stderr,
    )
    if summary.unreadable:
        print(f"{summary.unreadable:,} judgements could not be read", file=sys.stderr)
    causes = sorted(ended.causes.items(), key=lambda each: -len(each[1]))
    for cause, cases in causes[:_CAUSES]:
        print(f"  {len(cases):,} × {cause}  (first: {cases[0]})", file=sys.stderr)
    if len(causes) > _CAUSES:
        print(f"  and {len(causes) - _CAUSES} other causes", file=sys.stderr)
    if summary.stopped is not None:
        print(f"stopped: {summary.stopped}; --resume goes on", file=sys.stderr)
    print(f"results: {summary.results}", file=sys.stderr)
