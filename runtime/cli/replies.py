"""`--cache` and `--record`: replies that are kept for the next run, and those that become a script."""

from __future__ import annotations

import argparse
import os
import sys
from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import attrs

from ..judge.errors import ConfigurationError
from ..providers.cache import ReplyCache, cache_folder
from ..providers.recording import Recorder
from ..report.exit_codes import FAILED, worst


@attrs.frozen(eq=False)
class Replies:
    """What a run is opened with, and the script that becomes of it."""

    cache: ReplyCache | None
    script: Script | None

    @property
    def recorder(self) -> Recorder | None:
        return None if self.script is None else self.script.recorder

    def code(self, code: int) -> int:
        """The exit code where a run alone came to `code`: a script that was asked for and could not be written is a
        failure. Nothing may be recorded afterwards."""
        return code if self.script is None or self.script.written() else worst([code, FAILED])


@contextmanager
def kept_replies(arguments: argparse.Namespace) -> Iterator[Replies]:
    """Opens what the options ask for. The script is written however the run ends; that it can be is seen before the
    first call."""
    path = None if arguments.record is None else _writable(Path(arguments.record))
    script = None if path is None else Script(path, quiet=arguments.quiet)
    with reply_cache(arguments) as cache:
        try:
            yield Replies(cache, script)
        finally:
            if script is not None:
                script.written()


@contextmanager
def reply_cache(arguments: argparse.Namespace) -> Iterator[ReplyCache | None]:
    """The replies kept on this machine, where `--cache` asks for them; whether more could be kept is told at the
    end."""
    if not arguments.cache:
        yield None
        return
    cache = ReplyCache(cache_folder(os.environ, platform=sys.platform, home=Path.home()))
    try:
        yield cache
    finally:
        if cache.trouble is not None:
            print(f"jrun: replies could not be kept: {cache.trouble}", file=sys.stderr)


def _writable(path: Path) -> Path:
    if path.suffix != ".jsonl":
        raise ConfigurationError(f"--record {path}: a script ends in .jsonl", code="script.missing")
    if not path.parent.is_dir() or path.is_dir() or not os.access(path.parent, os.W_OK):
        raise ConfigurationError(f"--record {path}: no file can be written there", code="script.missing")
    return path


@attrs.define(eq=False)
class Script:
    """The file of `--record`."""

    path: Path
    quiet: bool
    recorder: Recorder = attrs.field(factory=Recorder)
    _written: bool | None = None

    def written(self) -> bool:
        """Writes the file, once, and says so; whether that went well."""
        if self._written is None:
            self._written = self._write()
        return self._written

    def _write(self) -> bool:
        count, path = self.recorder.count, self.path
        if not count:
            self._remark(f"--record {path}: nothing is written, no model was asked")
            return True
        try:
            self.recorder.write(path)
        except OSError as error:
            print(f"jrun: --record {path}: {error.strerror or error}", file=sys.stderr)
            return False
        number = "1 reply" if count == 1 else f"{count} replies"
        self._remark(f"recorded {number} in {path}; replay with --model '*=script/{path.absolute()}'")
        return True

    def _remark(self, text: str) -> None:
        if not self.quiet:
            print(text, file=sys.stderr)
