"""What can go wrong with the file. Each error names the file, what is wrong with it and a way out."""

from __future__ import annotations

import sqlite3
from collections.abc import Sequence
from pathlib import Path

# SQLite's primary result codes (https://sqlite.org/rescode.html), the low bits of the extended ones.
_PRIMARY = 0xFF
_PERM, _BUSY, _LOCKED, _READONLY, _IOERR, _CORRUPT = 3, 5, 6, 8, 10, 11
_FULL, _CANTOPEN, _NOTADB = 13, 14, 26


class StoreError(Exception):
    """The store could not do what it was asked. `code` is stable; the message says how to go on."""

    code = "store"

    def __init__(self, message: str) -> None:
        super().__init__(message)
        self.message = message


class StoreTooNewError(StoreError):
    """The file was written by a newer judgeflow."""

    code = "store.too-new"


class NotAStoreError(StoreError):
    """The file is no SQLite database, or some other program's."""

    code = "store.not-a-store"


class NoStoreError(StoreError):
    """There is no file yet: nothing has run."""

    code = "store.missing"


class StoreDamagedError(StoreError):
    """The file is a store, and part of it cannot be read."""

    code = "store.damaged"


class StoreReadOnlyError(StoreError):
    """The file, or the folder it is in, may not be written or not even opened."""

    code = "store.read-only"


class StoreFullError(StoreError):
    """The disk has no room left."""

    code = "store.full"


class StoreBusyError(StoreError):
    """Other processes held the file for longer than anybody should have to wait."""

    code = "store.busy"


class RecordError(StoreError):
    """This one record cannot be kept; the store is fine."""

    code = "store.record"


class LostRecordsError(StoreError):
    """Records that nobody waited for could not be kept. `lost` says how many, the cause says why."""

    code = "store.lost"

    def __init__(self, lost: int, first: Exception) -> None:
        records = "1 record was" if lost == 1 else f"{lost} records were"
        super().__init__(f"{records} not kept: {first}")
        self.lost = lost


class UnknownIdError(StoreError):
    """Nothing has this id or prefix. `suggestions` are the ids that come nearest."""

    what, command = "", ""

    def __init__(self, typed: str, suggestions: Sequence[str] = ()) -> None:
        near = " or ".join(suggestions)
        hint = f"; did you mean {near}?" if suggestions else f"; `{self.command}` lists them"
        super().__init__(f"there is no {self.what} {typed!r}{hint}")
        self.typed = typed
        self.suggestions = tuple(suggestions)


class AmbiguousIdError(StoreError):
    """More than one id starts like this. `matches` are they, newest first, at most ten."""

    what = ""

    def __init__(self, typed: str, matches: Sequence[str]) -> None:
        several = ", ".join(matches)
        super().__init__(
            f"{typed!r} begins the id of more than one {self.what}: {several}; type a few characters more"
        )
        self.typed = typed
        self.matches = tuple(matches)


class UnknownRunError(UnknownIdError):
    """No run has this id or prefix."""

    code = "store.unknown-run"
    what, command = "run", "jrun runs"


class AmbiguousRunError(AmbiguousIdError):
    """More than one run starts like this."""

    code = "store.ambiguous-run"
    what = "run"


class NoThreadError(UnknownIdError):
    """No thread has this id or prefix."""

    code = "store.unknown-thread"
    what, command = "thread", "jrun threads"


class AmbiguousThreadError(AmbiguousIdError):
    """More than one thread starts like this."""

    code = "store.ambiguous-thread"
    what = "thread"


def is_busy(error: sqlite3.Error) -> bool:
    return _primary(error) in (_BUSY, _LOCKED)


def explain(error: sqlite3.Error, path: Path) -> StoreError:
    """What an error of SQLite means for the person whose file it is."""
    code = _primary(error)
    if code == _FULL:
        return StoreFullError(
            f"{path}: no room left to write the run down; free some space, "
            "remove old runs with `jrun runs prune --older 30d`, or point $TERN_DB at another disk"
        )
    if code in (_READONLY, _CANTOPEN, _PERM):
        return StoreReadOnlyError(
            f"{path}: it cannot be opened or written ({error}); "
            f"check the permissions of the file and of the folder {path.parent}, "
            "point $TERN_DB at a file you may write, or run with --no-store"
        )
    if code == _NOTADB:
        return NotAStoreError(
            f"{path}: this is not a store of runs; move it away or point $TERN_DB at another file"
        )
    if code == _CORRUPT:
        return damaged(path, str(error))
    if is_busy(error):
        return StoreBusyError(
            f"{path}: other processes kept it locked for too long; "
            "see which ones have it open, or give this one its own file in $TERN_DB"
        )
    if code == _IOERR:
        return StoreError(
            f"{path}: the disk failed while reading or writing ({error}); check the disk and try again"
        )
    return StoreError(f"{path}: {error}")


def damaged(path: Path, problem: str) -> StoreDamagedError:
    return StoreDamagedError(
        f"{path}: the file is damaged ({problem}). `jrun runs recover saved.sqlite` saves what can still be read; "
        "then move this file away and the saved one into its place, or point $TERN_DB at it"
    )


def _primary(error: sqlite3.Error) -> int:
    return getattr(error, "sqlite_errorcode", 0) & _PRIMARY
