"""The results of a batch as JSON lines: one for each case as it ends, so that a killed batch has lost nothing.

The last line of a case counts. A line that a killed process left half written is cut off before anything is added.
"""

from __future__ import annotations

import os
from collections.abc import Iterable
from pathlib import Path
from types import TracebackType
from typing import BinaryIO

import msgspec

from ...dsl.files import read_bytes
from ..judge.errors import ConfigurationError, JudgeflowError
from ..report.exit_codes import ANSWERED, NOT_GOOD, PAUSED
from ..store.canonical import canonical_hash
from ..store.records import Json

FINAL = (ANSWERED, NOT_GOOD, PAUSED)
"""Exit codes of cases that are not run again: they have an answer, they were judged, or a person has to answer."""


class BatchResult(msgspec.Struct, frozen=True, kw_only=True, omit_defaults=False):
    """How one case ended. `exit` is what `jrun run` would have exited with, `input` a hash of what was asked,
    `config` of the program that was asked."""

    schema: int = 1
    case: str
    line: int
    run: str
    thread: str
    status: str
    code: str | None
    reason: str | None
    answer: Json
    exit: int
    cost: str
    known: str
    """What of the cost is certain."""
    tokens: int
    seconds: float
    unreadable: int
    """Judgements that could not be read."""
    input: str
    config: str | None

    @property
    def is_final(self) -> bool:
        return self.exit in FINAL


def input_hash(value: Json) -> str:
    return canonical_hash(value)


class ResultsError(JudgeflowError):
    """A result could not be written down. The record of its run has it, where runs are kept."""

    code = "batch.results"

    def __init__(self, path: Path, error: OSError) -> None:
        super().__init__(
            f"{path}: a result could not be written ({error.strerror or error}): make room, then go on with --resume"
        )


class ResultsFile:
    """The file of one batch. `past` are the results that it held when it was opened, by case."""

    def __init__(self, path: Path, file: BinaryIO, past: dict[str, BatchResult], torn: bool) -> None:
        self.path = path
        self.past = past
        self.torn = torn
        """Whether a half-written line was cut off."""
        self._file = file

    @classmethod
    def opened(cls, path: Path, *, resume: bool, fresh: bool) -> ResultsFile:
        """Raises `ConfigurationError` where there are results and nobody said what is to become of them, or where they
        are not a batch's."""
        try:
            data = read_bytes(str(path)) if path.exists() else b""
            if data.strip() and not (resume or fresh):
                raise ConfigurationError(
                    f"{path} holds results already: --resume goes on with them, --fresh begins anew, "
                    "--out writes elsewhere",
                    code="batch.results",
                )
            past: dict[str, BatchResult] = {}
            whole = 0
            if resume and not fresh:
                past, whole = _read(path, data)
            file = open(path, "r+b" if path.exists() else "w+b")  # noqa: SIM115  # closed by `__exit__`
            file.truncate(whole)
            file.seek(whole)
        except OSError as error:
            raise ConfigurationError(f"{path}: {error.strerror or error}", code="batch.results") from None
        return cls(path, file, past, torn=resume and whole < len(data))

    def add(self, result: BatchResult) -> None:
        """Writes a line. It is with the operating system when this returns, so that killing the process loses none.

        Raises `ResultsError`; what was written of the line is cut off by whoever goes on.
        """
        try:
            self._file.write(msgspec.json.encode(result) + b"\n")
            self._file.flush()
        except OSError as error:
            raise ResultsError(self.path, error) from None

    def done(self, cases: Iterable[tuple[str, str]], config: str | None) -> set[str]:
        """Of some cases (id and input hash) those that need not be run again. One that was asked something else under
        its name is.

        Raises `ConfigurationError` where the results are of another program.
        """
        found = set()
        for case, asked in cases:
            result = self.past.get(case)
            if result is None or result.input != asked or not result.is_final:
                continue
            if result.config != config:
                raise ConfigurationError(
                    f"{self.path} holds results of another version of the program ({_short(result.config)}, now "
                    f"{_short(config)}): --fresh begins anew, --out writes elsewhere",
                    code="batch.results",
                )
            found.add(case)
        return found

    def __enter__(self) -> ResultsFile:
        return self

    def __exit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        try:
            with self._file:
                os.fsync(self._file.fileno())
        except OSError as lost:
            if error is None:
                raise ResultsError(self.path, lost) from None


def _read(path: Path, data: bytes) -> tuple[dict[str, BatchResult], int]:
    """The results in a file, and how many of its bytes are whole lines."""
    whole = data.rfind(b"\n") + 1
    past: dict[str, BatchResult] = {}
    for number, line in enumerate(data[:whole].splitlines(), 1):
        if not line.strip():
            continue
        try:
            result = msgspec.json.decode(line, type=BatchResult)
        except msgspec.DecodeError as error:
            raise ConfigurationError(
                f"{path}:{number}: this is no result of a batch ({error}): --fresh begins anew",
                code="batch.results",
            ) from None
        past[result.case] = result
    return past, whole


def _short(config: str | None) -> str:
    return config[:8] if config else "unknown"
