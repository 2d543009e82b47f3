"""Which runs are meant: filters as SQL, ids by their beginning, and what a mistyped id may have meant."""

from __future__ import annotations

import difflib
from collections.abc import Iterable, Sequence
from datetime import datetime

import msgspec

from .clock import milliseconds
from .history import as_text
from .records import Json, Status

LIVE_STATUS = (
    "CASE WHEN status = 'running' AND NOT lives(pid, host, born, started) THEN 'abandoned' ELSE status END"
)
"""A run's status as of now: a killed process's run is `running` in the table. `lives` is the store's."""

_SHOWN_HASH = 8
_SUGGESTIONS = 3


class TernFilter(msgspec.Struct, frozen=True, kw_only=True):
    """Which runs of one tenant. None leaves a question open; all that is given must hold."""

    tenant: str = ""
    flow: str | None = None
    status: Status | None = None
    since: datetime | None = None
    """Started then or later."""
    thread: str | None = None
    """Its id, or the beginning of it."""
    version: str | None = None
    """A declared workflow version, or the beginning (from 8 characters) of a prompt, model or config hash."""
    text: str | None = None
    """Stands in the task, the answer or the reason; capitals do not matter."""
    limit: int | None = None
    """At most so many, the newest."""


def where(query: TernFilter) -> tuple[str, list[str | int]]:
    """A condition over the table `terns` and its values."""
    parts, values = ["tenant = ?"], list[str | int]([storable(query.tenant)])

    def add(condition: str, *given: str | int) -> None:
        parts.append(condition)
        values.extend(storable(value) if isinstance(value, str) else value for value in given)

    if query.flow is not None:
        add("flow = ?", query.flow)
    if query.thread is not None:
        wanted = typed_id(query.thread)
        add("thread >= ? AND thread < ?", wanted, f"{wanted}\U0010ffff")
    if query.since is not None:
        add("started >= ?", milliseconds(query.since))
    if query.version is not None:
        add(*_version(query.version))
    if query.status is not None:
        add(f"{LIVE_STATUS} = ?", query.status)
    if query.text is not None:
        add("mentions(body, ?)", query.text.casefold())
    return " AND ".join(parts), values


def _version(version: str) -> tuple[str, ...]:
    if len(version) < _SHOWN_HASH:
        return "version = ?", version
    hashes = " OR ".join(
        f"substr({column}, 1, {len(version)}) = ?" for column in ("prompt", "model", "config")
    )
    return f"(version = ? OR {hashes})", version, version, version, version


class _Texts(msgspec.Struct, gc=False):
    """The fields of a record's head that a search looks at."""

    task: Json = None
    answer: Json = None
    reason: str | None = None


_decode_texts = msgspec.json.Decoder(_Texts).decode


def mentions(body: str, needle: str) -> bool:
    """Whether a record's task, answer or reason has `needle` (case-folded) in it."""
    try:
        texts = _decode_texts(body)
    except msgspec.DecodeError:
        return True  # found, so that whoever reads it reports the damage
    return any(
        needle in as_text(value).casefold() for value in (texts.task, texts.answer, texts.reason or "")
    )


def typed_id(typed: str) -> str:
    """An id as it was meant: screens shorten ids and show where, and a copy of that is fine."""
    return storable(typed.strip().rstrip("…."))


def suggest(typed: str, known: Iterable[str]) -> Sequence[str]:
    """The ids whose beginnings come nearest to what was typed, nearest first, as short as people see them."""
    if not typed:
        return ()
    length = max(len(typed), _SHOWN_HASH)
    beginnings = {one[: len(typed)]: one[:length] for one in known}
    close = difflib.get_close_matches(typed, beginnings, n=_SUGGESTIONS, cutoff=0.7)
    return tuple(beginnings[one] for one in close)


def storable(text: str) -> str:
    """`text` as SQLite takes it: half a character, which no encoding can write, becomes U+FFFD."""
    if text.isascii():
        return text
    try:
        text.encode()
    except UnicodeEncodeError:
        # UTF-16 is where halves come from: two that belong together become one character again on the way.
        return text.encode("utf-16-le", "surrogatepass").decode("utf-16-le", "replace")
    return text
