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


@attrs.frozen
class Replies:
    """What a run is opened with."""

    cache: ReplyCache | None
    recorder: Recorder | None


@contextmanager
def kept_replies(arguments: argparse.Namespace) -> Iterator[Replies]:
    """Opens what the options ask for. The script is written however the run ends; that it can be is seen before the
    first call."""
    path = None if arguments.record is None else _writable(Path(arguments.record))
    recorder = None if path is None else Recorder()
    with reply_cache(arguments) as cache:
        try:
            yield Replies(cache, recorder)
        finally:
            if path is not None and recorder is not None:
                _write(recorder, path, quiet=arguments.quiet)


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


def _write(recorder: Recorder, path: Path, *, quiet: bool) -> None:
    if not recorder.count:
        if not quiet:
            print(f"--record {path}: nothing is written, no model was asked", file=sys.stderr)
        return
    try:
        recorder.write(path)
    except OSError as error:
        print(f"jrun: --record {path}: {error.strerror or error}", file=sys.stderr)
        return
    if not quiet:
        number = "1 reply" if recorder.count == 1 else f"{recorder.count} replies"
        print(
            f"recorded {number} in {path}; replay with --model '*=script/{path.absolute()}'", file=sys.stderr
        )
