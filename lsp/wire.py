"""What comes and goes with every key stroke, and answers of thousands of parts, in the protocol's own shapes: read and
written by msgspec in a few microseconds, where pygls's classes take a hundred. Everything else is pygls's."""

from __future__ import annotations

import msgspec


class Position(msgspec.Struct, frozen=True):
    """A line and a column in the negotiated code units, both from 0."""

    line: int
    character: int

    def moved(self, lines: int) -> Position:
        return Position(self.line + lines, self.character)


class Range(msgspec.Struct, frozen=True):
    start: Position
    end: Position

    def moved(self, lines: int) -> Range:
        return Range(self.start.moved(lines), self.end.moved(lines))


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


# --- answers of many parts ----------------------------------------------------------------------------------


class Fold(msgspec.Struct, frozen=True, rename="camel"):
    start_line: int
    end_line: int
    kind: str

    def moved(self, lines: int) -> Fold:
        return Fold(self.start_line + lines, self.end_line + lines, self.kind)


class Symbol(msgspec.Struct, frozen=True, rename="camel"):
    name: str
    kind: int
    range: Range
    selection_range: Range
    detail: str
    children: list[Symbol]

    def moved(self, lines: int) -> Symbol:
        return Symbol(
            self.name,
            self.kind,
            self.range.moved(lines),
            self.selection_range.moved(lines),
            self.detail,
            [child.moved(lines) for child in self.children],
        )


class Link(msgspec.Struct, frozen=True, omit_defaults=True):
    range: Range
    target: str
    tooltip: str | None = None

    def moved(self, lines: int) -> Link:
        return Link(self.range.moved(lines), self.target, self.tooltip)


class Command(msgspec.Struct, frozen=True):
    title: str
    command: str
    arguments: list[object]


class Lens(msgspec.Struct, frozen=True):
    range: Range
    command: Command


class Tokens(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    data: list[int]
    result_id: str | None = None


class TokensEdit(msgspec.Struct, frozen=True, rename="camel"):
    start: int
    delete_count: int
    data: list[int]


class TokensDelta(msgspec.Struct, frozen=True, rename="camel"):
    edits: list[TokensEdit]
    result_id: str


class TextEdit(msgspec.Struct, frozen=True, rename="camel"):
    range: Range
    new_text: str


class Markup(msgspec.Struct, frozen=True):
    kind: str
    value: str


class Completion(msgspec.Struct, frozen=True, rename="camel", omit_defaults=True):
    label: str
    kind: int
    sort_text: str
    text_edit: TextEdit
    insert_text_format: int
    detail: str | None = None
    insert_text_mode: int | None = None
    documentation: Markup | str | None = None
    data: dict[str, str] | None = None


class Completions(msgspec.Struct, frozen=True, rename="camel"):
    items: list[Completion]
    is_incomplete: bool = False
