"""Records as rows and back. Encoding is pure and happens where the record is made; rows travel."""

from __future__ import annotations

from pathlib import Path
from typing import Any, TypeVar

import msgspec

from .clock import milliseconds, parse_timestamp
from .errors import RecordError, damaged
from .money import merge
from .query import storable
from .records import JournalEntry, RunEnd, StepRecord, Tern, TernHead, Usage, count_unreadable

_decode_tern = msgspec.json.Decoder(Tern).decode
_decode_head = msgspec.json.Decoder(TernHead).decode
_decode_step = msgspec.json.Decoder(StepRecord).decode

Head = TypeVar("Head", bound=TernHead)

ABANDONED = "run.abandoned"


class StepRow(msgspec.Struct, frozen=True, gc=False):
    run: str
    id: str
    place: int
    body: str


class EndRow(msgspec.Struct, frozen=True, gc=False):
    """How a run ended, ready to be written where it has begun."""

    id: str
    tenant: str
    thread: str
    status: str
    started: int
    body: str


class TernRow(EndRow, frozen=True, gc=False):
    """A run ready to be written. `columns` are flow … replay_of, in the order of the table."""

    columns: tuple[str | None, ...]
    steps: tuple[StepRow, ...]

    @property
    def size(self) -> int:
        """Characters to write, roughly bytes."""
        return len(self.body) + sum(len(step.body) for step in self.steps)


def encode_tern(tern: Tern) -> TernRow:
    """`RecordError` if a value in it is no JSON or its start is no moment."""
    versions = tern.versions
    columns = (
        tern.flow, tern.workflow,
        versions.workflow, versions.prompt, versions.model, versions.config, tern.replay_of,
    )  # fmt: skip
    return TernRow(
        *_end_values(tern),
        columns=tuple(None if column is None else storable(column) for column in columns),
        steps=tuple(_step_row(tern.id, step, place) for place, step in enumerate(tern.steps, start=1)),
    )


def encode_end(end: RunEnd) -> EndRow:
    """`RecordError` if a value in it is no JSON or its start is no moment."""
    return EndRow(*_end_values(end.tern))


def _end_values(tern: Tern) -> tuple[str, str, str, str, int, str]:
    """The fields of an `EndRow`, in its order."""
    place = storable(tern.id), storable(tern.tenant), storable(tern.thread)
    head = msgspec.structs.replace(tern, steps=()) if tern.steps else tern
    return *place, tern.status, _started(tern), _encode(head, tern.id)


def _started(tern: Tern) -> int:
    try:
        return milliseconds(parse_timestamp(tern.started))
    except ValueError as error:
        problem = f"its start {tern.started!r} is no moment"
        raise RecordError(f"run {tern.id}: it cannot be kept, as {problem}") from error


def encode_entry(entry: JournalEntry) -> StepRow:
    """`RecordError` if a value in it is no JSON."""
    return _step_row(entry.run, entry.step, entry.place)


def _step_row(run: str, step: StepRecord, place: int) -> StepRow:
    return StepRow(storable(run), storable(step.id), place, _encode(step, run))


def _encode(record: TernHead | StepRecord, run: str) -> str:
    try:
        try:
            return msgspec.json.encode(record).decode()
        except UnicodeEncodeError:
            return msgspec.json.encode(_whole(msgspec.to_builtins(record))).decode()
    except (TypeError, ValueError, OverflowError, RecursionError) as error:
        raise RecordError(f"run {run}: it cannot be kept, as a value in it is no JSON: {error}") from error


def _whole(value: Any) -> Any:
    """JSON data with every half character replaced: a model's broken text must not cost a run its record."""
    if isinstance(value, str):
        return storable(value)
    if isinstance(value, list | tuple):
        return [_whole(item) for item in value]
    if isinstance(value, dict):
        return {_whole(key): _whole(item) for key, item in value.items()}
    return value


def decode_head(body: str, run: str, path: Path) -> TernHead:
    try:
        return _decode_head(body)
    except msgspec.DecodeError as error:
        raise damaged(path, f"the record of run {run} cannot be read: {error}") from error


def decode_tern(body: str, run: str, path: Path) -> Tern:
    try:
        return _decode_tern(body)
    except msgspec.DecodeError as error:
        raise damaged(path, f"the record of run {run} cannot be read: {error}") from error


def decode_steps(bodies: list[str], run: str, path: Path) -> tuple[StepRecord, ...]:
    try:
        return tuple(_decode_step(body) for body in bodies)
    except msgspec.DecodeError as error:
        raise damaged(path, f"a step of run {run} cannot be read: {error}") from error


def sum_up(head: Head, steps: tuple[StepRecord, ...]) -> Head:
    """A run that has not ended, with what its steps have cost and shown so far."""
    usage = Usage()
    for step in steps:
        usage = usage.plus(step.usage)
    return msgspec.structs.replace(
        head,
        route=tuple(step.name for step in steps),
        cost=merge(step.cost for step in steps),
        usage=usage,
        unreadable=count_unreadable(steps),
    )


def as_abandoned(head: Head, pid: int, host: str) -> Head:
    """A run whose process died. When it died nobody knows, so it has no end."""
    return msgspec.structs.replace(
        head,
        status="abandoned",
        code=ABANDONED,
        reason=f"its process ({pid} on {host}) ended without saying how the run ended",
    )
