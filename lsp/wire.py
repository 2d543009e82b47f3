"""What comes and goes with every key stroke, in the protocol's own shapes: read and written by msgspec in a few
microseconds, where pygls's classes take a hundred. Everything else is pygls's."""

from __future__ import annotations

import msgspec


class Position(msgspec.Struct, frozen=True):
    """A line and a column in the negotiated code units, both from 0."""

    line: int
    character: int


class Range(msgspec.Struct, frozen=True):
    start: Position
    end: Position


# --- textDocument/didChange ---------------------------------------------------------------------------------


class Change(msgspec.Struct, frozen=True):
    """`text` in place of `range`, or of the whole text."""

    text: str
    range: Range | None = None


class Versioned(msgspec.Struct, frozen=True):
    uri: str
    version: int


class DidChange(msgspec.Struct, frozen=True, rename="camel"):
    text_document: Versioned
    content_changes: list[Change]


# --- diagnostics --------------------------------------------------------------------------------------------


class Location(msgspec.Struct, frozen=True):
    uri: str
    range: Range


class Related(msgspec.Struct, frozen=True):
    location: Location
    message: str


class Page(msgspec.Struct, frozen=True):
    href: str


class Diagnostic(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    range: Range
    message: str
    severity: int
    code: str
    source: str
    code_description: Page | None = None
    tags: list[int] | None = None
    related_information: list[Related] | None = None


class Published(msgspec.Struct, frozen=True, omit_defaults=True):
    uri: str
    diagnostics: list[Diagnostic]
    version: int | None = None


class Report(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True, tag_field="kind", tag="full"):
    """The diagnostics of a text for a client that asks, under a name to ask again with."""

    items: list[Diagnostic]
    result_id: str | None = None


class Unchanged(msgspec.Struct, frozen=True, rename="camel", tag_field="kind", tag="unchanged"):
    """The client has them already."""

    result_id: str


class FileReport(msgspec.Struct, frozen=True, rename="camel", tag_field="kind", tag="full"):
    """The diagnostics of one of many files; `version` is None for one that is not open."""

    uri: str
    version: int | None
    items: list[Diagnostic]
    result_id: str


class FileUnchanged(msgspec.Struct, frozen=True, rename="camel", tag_field="kind", tag="unchanged"):
    uri: str
    version: int | None
    result_id: str


class FileReports(msgspec.Struct, frozen=True):
    items: list[FileReport | FileUnchanged]
