"""What the checker says: one shape for the terminal, the editor and machines.

Offsets are code points from the start of the file named by `path`. A `code` is `area.name`; `dsl/explain/` has a page
for each.
"""

from __future__ import annotations

from typing import Literal

import msgspec

Severity = Literal["error", "warning", "hint"]


class Edit(msgspec.Struct, frozen=True):
    """Replace the text between two offsets."""

    start: int
    end: int
    text: str


class Fix(msgspec.Struct, frozen=True):
    """A change to the same file that is safe to apply without being read first."""

    title: str
    edits: tuple[Edit, ...]


class Label(msgspec.Struct, frozen=True):
    """A second place that explains the first; `path` is None where it is in the same file."""

    start: int
    end: int
    text: str
    path: str | None = None


class Diagnostic(msgspec.Struct, frozen=True):
    code: str
    severity: Severity
    message: str
    """One sentence that names the mistake and the things involved."""
    start: int
    end: int
    path: str = ""
    label: str = ""
    """A few words under the primary place."""
    labels: tuple[Label, ...] = ()
    help: str = ""
    """What to write instead, maybe several lines."""
    fixes: tuple[Fix, ...] = ()

    def moved(self, offset: int, path: str) -> Diagnostic:
        """The same finding with its declaration's offsets turned into the file's."""
        return msgspec.structs.replace(
            self,
            path=path,
            start=self.start + offset,
            end=self.end + offset,
            labels=tuple(
                label
                if label.path is not None
                else Label(label.start + offset, label.end + offset, label.text)
                for label in self.labels
            ),
            fixes=tuple(
                Fix(fix.title, tuple(Edit(e.start + offset, e.end + offset, e.text) for e in fix.edits))
                for fix in self.fixes
            ),
        )
